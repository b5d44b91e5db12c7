import { request } from 'node:http';

/** What a client of Fortemi's chat stream makes of one: the words, how it ended, and where it is. */
export interface FortemiChat {
  text: string;
  session: string | undefined;
  seq: number;
  end:
    | { readonly kind: 'done'; readonly finishReason: string; readonly model: string }
    | { readonly kind: 'error'; readonly error: string; readonly code: string }
    | undefined;
}

/**
 * A client that knows Fortemi's `fortemi-chat-stream/v1` and nothing of ours, written from its documentation: events
 * `delta` (`content`), `done` (`finish_reason`, `model`) and `error` (`error`, `code`); every other is ignored; ids are
 * `{session}-{seq}`, split at the last hyphen, and go back as `Last-Event-ID`. `hangUp` decides after each event
 * whether to break the connection off, as a bad network does.
 */
export async function followFortemi(
  url: string,
  chat: FortemiChat,
  { hangUp = () => false }: { readonly hangUp?: (events: number) => boolean } = {},
): Promise<void> {
  const headers = chat.session === undefined ? {} : { 'last-event-id': `${chat.session}-${chat.seq}` };
  await new Promise<void>((resolve, reject) => {
    const asked = request(url, { headers, agent: false }, (response) => {
      if (response.statusCode === 204) return resolve();
      if (response.statusCode !== 200) return reject(new Error(`HTTP ${response.statusCode}`));
      let pending = '';
      let events = 0;
      response.setEncoding('utf8');
      response.on('data', (text: string) => {
        const blocks = (pending + text).split('\n\n');
        pending = blocks.pop() ?? '';
        for (const block of blocks) {
          if (asked.destroyed || !takeIn(chat, block)) continue;
          events += 1;
          if (hangUp(events)) asked.destroy();
        }
      });
      response.on('close', resolve);
    });
    asked.on('error', () => resolve());
    asked.end();
  });
}

export const newFortemiChat = (): FortemiChat => ({ text: '', session: undefined, seq: -1, end: undefined });

/** Whether the block was an event. */
function takeIn(chat: FortemiChat, block: string): boolean {
  const field = (name: string): string | undefined =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2);
  const data = field('data');
  const id = field('id');
  if (data === undefined) return false;
  if (id !== undefined) {
    const hyphen = id.lastIndexOf('-');
    chat.session = id.slice(0, hyphen);
    chat.seq = Number(id.slice(hyphen + 1));
  }
  const { content, finish_reason: finishReason, model, error, code } = JSON.parse(data);
  switch (field('event')) {
    case 'delta':
      if (typeof content !== 'string') throw new Error('a delta has a content');
      chat.text += content;
      break;
    case 'done':
      if (typeof finishReason !== 'string' || typeof model !== 'string')
        throw new Error('done tells why and who');
      chat.end = { kind: 'done', finishReason, model };
      break;
    case 'error':
      if (typeof error !== 'string' || typeof code !== 'string')
        throw new Error('an error has a sentence and a code');
      chat.end = { kind: 'error', error, code };
      break;
  }
  return true;
}
