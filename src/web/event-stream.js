/**
 * Follows a stream of server-sent events for as long as the server has some: comes back with the last id when the
 * connection is lost, and ends at 204. Yields `{event, id, data}`; `lost` hears `true` when the connection goes and
 * `false` when it is back. `request` is `fetch` with the credential.
 */
export async function* followEvents(url, { request, signal, lost }) {
  let cursor = '';
  let wait = 1_000;
  while (!signal.aborted) {
    let response;
    try {
      response = await request(url, { signal, headers: cursor === '' ? {} : { 'Last-Event-ID': cursor } });
      if (response.status === 204) return;
      if (!response.ok && response.status < 500) throw new Refused(await response.text());
      if (response.ok) {
        lost(false);
        for await (const event of readEvents(response.body)) {
          wait = 1_000;
          if (event.id !== undefined) cursor = event.id;
          yield event;
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused) throw error;
    }
    if (signal.aborted) return;
    lost(true);
    await pause(wait, signal);
    wait = Math.min(wait * 2, 15_000);
  }
}

/** The server does not know this stream, or does not give it to us: coming back would not help. */
export class Refused extends Error {}

async function* readEvents(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let event = {};
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (line !== '') readField(event, line);
        else if (event.data !== undefined) {
          yield event;
          event = {};
        } else event = {};
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Our server ends lines with LF alone. */
function readField(event, line) {
  const colon = line.indexOf(':');
  if (colon <= 0) return;
  const value = line.slice(colon + 1).replace(/^ /, '');
  switch (line.slice(0, colon)) {
    case 'event':
      event.event = value;
      break;
    case 'id':
      event.id = value;
      break;
    case 'data':
      event.data = event.data === undefined ? value : `${event.data}\n${value}`;
      break;
  }
}

const pause = (milliseconds, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
