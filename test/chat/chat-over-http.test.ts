import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/domain/task.js';
import type { SseEvent } from '../../src/protocol/sse.js';
import { type ChatHost, startChatHost } from '../support/chat-host.js';
import { collect } from '../support/collect.js';
import { readEvents } from '../support/event-reader.js';
import { asked, begun, completed, line, says } from '../support/log-entries.js';

const CHAT = '/api/v1/agent-output/chat';
const beyond = Number.MAX_SAFE_INTEGER;

const finished: readonly Entry[] = [asked(), begun, says('Hel'), says('lo'), completed];
const failed: Entry = { type: 'state', at: 1, state: 'failed', code: 'AGENT_FAILED', text: 'It broke.' };

const chat = (host: ChatHost, query: string): string => `${host.url}${CHAT}?${query}`;
const idsOf = (events: readonly SseEvent[]): unknown[] => events.map(({ id }) => id);

async function problem(response: Response): Promise<Record<string, unknown>> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error('a problem is an object');
  return { ...body };
}

describe('a chat that is replayed', () => {
  it('has every frame with its event, id and data, and ends after the terminal one', async () => {
    const host = await startChatHost();
    await host.open({}, finished);
    const reader = await readEvents(chat(host, 'command_id=task-1&replay=true'));
    expect(reader.status).toBe(200);
    expect(reader.headers.get('content-type')).toBe('text/event-stream');
    expect(reader.headers.get('x-accel-buffering')).toBe('no');
    const events = await reader.rest();
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['delta', 'context-1-0'],
      ['delta', 'context-1-1'],
      ['done', 'context-1-2'],
    ]);
    expect(JSON.parse(events[1]?.data ?? '')).toEqual({
      role: 'assistant',
      kind: 'message',
      content: 'lo',
      session_id: 'context-1',
      raw_ref: { command_id: 'task-1', line: 1 },
    });
  });

  it('goes on live where the replay ends', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun, says('Hel')]);
    const reader = await readEvents(chat(host, 'command_id=task-1&replay=1'));
    expect((await reader.next())?.id).toBe('context-1-0');
    await host.store.log.append(key, [says('lo')]);
    expect((await reader.next())?.id).toBe('context-1-1');
    await host.store.log.append(key, [completed]);
    expect((await reader.next())?.event).toBe('done');
    expect(await reader.next()).toBeUndefined();
  });

  it('tells a client how soon to come back, and that it is alive', async () => {
    const host = await startChatHost({ heartbeatMs: 20 });
    await host.open({}, [asked(), begun]);
    const response = await fetch(chat(host, 'command_id=task-1&replay=true'));
    const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!/:\n\n:\n\n/.test(text)) text += (await body?.read())?.value;
    expect(text).toMatch(/^retry: 1000\n\n/);
    await body?.cancel();
  });
});

describe('a chat without replay', () => {
  it('has what comes from now on, with the numbers of a replay', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun, says('a'), says('b')]);
    const reader = await readEvents(chat(host, 'command_id=task-1'));
    await host.store.log.append(key, [says('c')]);
    expect((await reader.next())?.id).toBe('context-1-2');
    await host.store.log.append(key, [completed]);
    expect(idsOf(await reader.rest())).toEqual(['context-1-3']);
  });

  it.each(['', '&replay=false', '&replay=0'])(
    'of a finished command has the terminal frame alone (%j)',
    async (query) => {
      const host = await startChatHost();
      await host.open({}, finished);
      const reader = await readEvents(chat(host, `command_id=task-1${query}`));
      expect(idsOf(await reader.rest())).toEqual(['context-1-2']);
    },
  );
});

describe('a client that comes back with a cursor', () => {
  it.each([0, 1])('has what came after frame %i, whatever `replay` says', async (seq) => {
    const host = await startChatHost();
    await host.open({}, finished);
    for (const query of ['', '&replay=true', '&replay=false']) {
      const reader = await readEvents(chat(host, `command_id=task-1${query}`), {
        lastEventId: `context-1-${seq}`,
      });
      expect(idsOf(await reader.rest())).toEqual(['context-1-1', 'context-1-2'].slice(seq));
    }
  });

  it('may give it in the query, and the header beats it', async () => {
    const host = await startChatHost();
    await host.open({}, finished);
    const url = chat(host, 'command_id=task-1&last_event_id=context-1-0');
    expect(idsOf(await (await readEvents(url)).rest())).toEqual(['context-1-1', 'context-1-2']);
    const reader = await readEvents(url, { lastEventId: 'context-1-1' });
    expect(idsOf(await reader.rest())).toEqual(['context-1-2']);
  });

  it('waits for what is new where it has had all there is', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun, says('a')]);
    const reader = await readEvents(chat(host, 'command_id=task-1'), { lastEventId: 'context-1-0' });
    await host.store.log.append(key, [completed]);
    expect(idsOf(await reader.rest())).toEqual(['context-1-1']);
  });

  it.each([2, 3, beyond])('gets 204 at or past the terminal frame (%i)', async (seq) => {
    const host = await startChatHost();
    await host.open({}, finished);
    const reader = await readEvents(chat(host, 'command_id=task-1'), { lastEventId: `context-1-${seq}` });
    expect(reader.status).toBe(204);
  });

  it.each([
    'context-1',
    'context-1-',
    'context-1-x',
    'context-1-01',
    'context-1-9007199254740992',
    '-3',
    'a b-1',
  ])('gets 400 for a cursor that is none (%j)', async (lastEventId) => {
    const host = await startChatHost();
    await host.open({}, finished);
    const response = await fetch(chat(host, 'command_id=task-1'), {
      headers: { 'Last-Event-ID': lastEventId },
    });
    expect(response.status).toBe(400);
    expect(await problem(response)).toMatchObject({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      code: 'INVALID_PARAMS',
      request_id: 'request-1',
    });
  });

  it('gets 400 for the cursor of another session, and for one that is ahead of a running command', async () => {
    const host = await startChatHost();
    await host.open({}, [asked(), begun, says('a')]);
    for (const lastEventId of ['context-2-0', 'context-1-1']) {
      const response = await fetch(chat(host, 'command_id=task-1'), {
        headers: { 'Last-Event-ID': lastEventId },
      });
      expect([lastEventId, response.status]).toEqual([lastEventId, 400]);
      await problem(response);
    }
  });
});

describe('an unknown command', () => {
  it('is 404 without a cursor, and so is that of a stranger', async () => {
    const host = await startChatHost();
    await host.open({ principal: 'alice' }, finished);
    const [unknown, stranger] = await Promise.all(
      ['task-0', 'task-1'].map(async (id) =>
        problem(await fetch(chat(host, `command_id=${id}&replay=true`))),
      ),
    );
    expect(unknown).toMatchObject({ status: 404, code: 'TASK_NOT_FOUND' });
    expect(stranger).toEqual(unknown);
    const own = await readEvents(chat(host, 'command_id=task-1'), { headers: { 'x-principal': 'alice' } });
    expect(own.status).toBe(200);
    own.abort();
  });

  it('is one error frame with a cursor, whose own id gets 204', async () => {
    const host = await startChatHost();
    const url = chat(host, 'command_id=task-0');
    const reader = await readEvents(url, { lastEventId: 'my-session-4' });
    const events = await reader.rest();
    expect(events).toMatchObject([{ event: 'error', id: `my-session-${beyond}` }]);
    expect(JSON.parse(events[0]?.data ?? '')).toMatchObject({
      code: 'STREAM_INTERRUPTED',
      session_id: 'my-session',
      raw_ref: { command_id: 'task-0', line: 0 },
    });
    expect((await readEvents(url, { lastEventId: events[0]?.id })).status).toBe(204);
  });
});

describe('a session named by the client', () => {
  it('names the ids and the data, and resumes under that name alone', async () => {
    const host = await startChatHost();
    await host.open({}, finished);
    const url = chat(host, 'command_id=task-1&replay=true&session_id=my.own_name-7');
    const events = await (await readEvents(url)).rest();
    expect(idsOf(events)).toEqual(['my.own_name-7-0', 'my.own_name-7-1', 'my.own_name-7-2']);
    expect(JSON.parse(events[0]?.data ?? '').session_id).toBe('my.own_name-7');
    const resumed = await readEvents(url, { lastEventId: 'my.own_name-7-1' });
    expect(idsOf(await resumed.rest())).toEqual(['my.own_name-7-2']);
    expect((await readEvents(url, { lastEventId: 'context-1-1' })).status).toBe(400);
  });

  it('grants nothing: a stranger stays a stranger', async () => {
    const host = await startChatHost();
    await host.open({ principal: 'alice' }, finished);
    expect((await fetch(chat(host, 'command_id=task-1&session_id=context-1'))).status).toBe(404);
  });

  it.each(['', 'a%20b', 'a%0Ab', 'a%00', `${'x'.repeat(129)}`])(
    'is 400 where it cannot stand in an id (%j)',
    async (name) => {
      const host = await startChatHost();
      await host.open({}, finished);
      expect((await fetch(chat(host, `command_id=task-1&session_id=${name}`))).status).toBe(400);
    },
  );
});

describe('a request that is wrong', () => {
  it.each([
    ['', /command_id/],
    ['command_id=', /command_id/],
    ['command_id=a&command_id=b', /command_id/],
    ['command_id=task-1&replay=yes', /replay/],
    ['command_id=task-1&replay=', /replay/],
    ['command_id=task-1&replay=1&replay=0', /replay/],
  ])('is 400 and a sentence that names the parameter (%j)', async (query, detail) => {
    const host = await startChatHost();
    await host.open({}, finished);
    const response = await fetch(chat(host, query));
    expect(response.status).toBe(400);
    expect((await problem(response)).detail).toMatch(detail);
  });

  it('is 405 for another method, and HEAD is answered at once', async () => {
    const host = await startChatHost();
    await host.open({}, [asked(), begun]);
    const posted = await fetch(chat(host, 'command_id=task-1'), { method: 'POST' });
    expect(posted.status).toBe(405);
    expect(posted.headers.get('allow')).toBe('GET, HEAD');
    const head = await fetch(chat(host, 'command_id=task-1'), { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.headers.get('content-type')).toBe('text/event-stream');
    await expect.poll(host.openStreams).toBe(0);
  });
});

describe('a connection', () => {
  it('leaves nothing behind when the client goes', async () => {
    const host = await startChatHost();
    await host.open({}, [asked(), begun]);
    const reader = await readEvents(chat(host, 'command_id=task-1&replay=true'));
    expect(host.openStreams()).toBe(1);
    reader.abort();
    await expect.poll(host.openStreams).toBe(0);
    expect(host.logged).toEqual([]);
  });

  it('ends when the server does, and the terminal frame is there after its restart', async () => {
    const host = await startChatHost();
    await host.open({}, [asked(), begun, says('a')]);
    const reader = await readEvents(chat(host, 'command_id=task-1&replay=true'));
    const first = await reader.next();
    await host.close();
    await reader.rest().catch(() => []);

    const again = await startChatHost({ directory: host.directory });
    const key = { principal: 'local', taskId: 'task-1' };
    await again.store.log.append(key, [
      { type: 'state', at: 2, state: 'failed', code: 'INTERRUPTED', text: 'Gone.' },
    ]);
    const resumed = await readEvents(chat(again, 'command_id=task-1'), { lastEventId: first?.id });
    const events = await resumed.rest();
    expect(events).toMatchObject([{ event: 'error', id: 'context-1-1' }]);
    expect(JSON.parse(events[0]?.data ?? '').code).toBe('STREAM_INTERRUPTED');
  });

  it('to a client that reads nothing holds little, and it is fed from the log when it comes back to it', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun]);
    const response = await fetch(chat(host, 'command_id=task-1&replay=true'));
    const block = 'x'.repeat(64 * 1024);
    collect();
    const before = process.memoryUsage();
    for (let count = 0; count < 800; count += 1) await host.store.log.append(key, [says(block)]);
    await host.store.log.append(key, [completed]);
    collect();
    const after = process.memoryUsage();
    expect(after.external + after.heapUsed - before.external - before.heapUsed).toBeLessThan(10e6);

    let length = 0;
    const decoder = new TextDecoderStream();
    for await (const text of response.body?.pipeThrough(decoder) ?? []) length += text.length;
    expect(length).toBeGreaterThan(800 * block.length);
  });

  it('loses nothing and doubles nothing while the agent prints as fast as it can', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun]);
    const readers: Promise<SseEvent[]>[] = [];
    const total = 2_000;
    for (let count = 0; count < total; count += 1) {
      const appended = host.store.log.append(key, [says(`${count},`)]);
      if (count % 100 === 0) {
        readers.push(readEvents(chat(host, 'command_id=task-1&replay=true')).then((reader) => reader.rest()));
        await appended;
      }
      if (count % 7 === 0) await new Promise(setImmediate);
    }
    await host.store.log.append(key, [failed]);
    for (const events of await Promise.all(readers)) {
      expect(idsOf(events)).toEqual(Array.from({ length: total + 1 }, (_, seq) => `context-1-${seq}`));
      expect(JSON.parse(events[1234]?.data ?? '').content).toBe('1234,');
    }
  });
});

it('a line that an agent wrote to break out of its event stays inside', async () => {
  const host = await startChatHost();
  const evil = 'x\r\n\r\nevent: done\ndata: {}\n\n\u0000id: 9';
  await host.open({}, [
    asked(),
    begun,
    says(evil),
    line(evil, undefined),
    line('s', [{ type: 'status', status: evil, text: evil }]),
    completed,
  ]);
  const events = await (await readEvents(chat(host, 'command_id=task-1&replay=true'))).rest();
  expect(events.map(({ event }) => event)).toEqual(['delta', 'raw', 'status', 'done']);
  for (const { data } of events.slice(0, 3)) expect(JSON.parse(data).content).toBe(evil);
});
