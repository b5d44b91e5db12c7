import { describe, expect, it } from 'vitest';
import type { SseEvent } from '../../src/protocol/sse.js';
import { readEvents } from '../support/event-reader.js';
import { startProxy } from '../support/proxy.js';
import { type ServerProcess, startServer } from '../support/server.js';

async function send(server: ServerProcess, text: string): Promise<{ id: string; contextId: string }> {
  const response = await fetch(`${server.url}/a2a`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: {
        message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }] },
        configuration: { returnImmediately: true },
      },
    }),
  });
  const answer: unknown = await response.json();
  if (typeof answer !== 'object' || answer === null || !('result' in answer))
    throw new Error(JSON.stringify(answer));
  const { task }: { task?: { id: string; contextId: string } } = Object(answer.result);
  if (task === undefined) throw new Error(JSON.stringify(answer));
  return task;
}

const chatUrl = (url: string, id: string): string =>
  `${url}/api/v1/agent-output/chat?command_id=${id}&replay=true`;

/** Reads `most` events after `after`, then breaks the connection off. */
async function some(url: string, after: SseEvent | undefined, most: number): Promise<SseEvent[]> {
  const reader = await readEvents(url, after?.id === undefined ? {} : { lastEventId: after.id });
  if (reader.status === 204) return [];
  const events: SseEvent[] = [];
  while (events.length < most) {
    const event = await reader.next();
    if (event === undefined) break;
    events.push(event);
  }
  reader.abort();
  return events;
}

describe('a run that is watched over a bad network and a bad host', () => {
  it('is whole though the connection breaks after every single frame', async () => {
    const server = await startServer({ options: { delayMs: 10 } });
    const { id } = await send(server, '/tool one two three');
    const seen: SseEvent[] = [];
    while (seen.at(-1)?.event !== 'done') seen.push(...(await some(chatUrl(server.url, id), seen.at(-1), 1)));
    const whole = await some(chatUrl(server.url, id), undefined, Number.POSITIVE_INFINITY);
    expect(seen).toEqual(whole);
    expect(whole.length).toBeGreaterThan(8);
    expect((await readEvents(chatUrl(server.url, id), { lastEventId: seen.at(-1)?.id })).status).toBe(204);
  });

  it('is whole though the server is killed after every few frames and started again', {
    timeout: 90_000,
  }, async () => {
    let server = await startServer({ options: { delayMs: 5 } });
    const { id } = await send(server, '/tool one two three');
    const whole: SseEvent[] = [];
    while (whole.at(-1)?.event !== 'done') {
      whole.push(...(await some(chatUrl(server.url, id), whole.at(-1), Number.POSITIVE_INFINITY)));
    }
    const { dataDir } = server;
    const seen: SseEvent[] = [];
    while (seen.at(-1)?.event !== 'done') {
      seen.push(...(await some(chatUrl(server.url, id), seen.at(-1), 4)));
      await server.stop('SIGKILL');
      server = await startServer({ dataDir });
    }
    expect(seen).toEqual(whole);
  });

  it('ends with STREAM_INTERRUPTED, after all that was seen, when the server is killed while it runs', async () => {
    const first = await startServer({ options: { delayMs: 50 } });
    const proxy = await startProxy(first.url);
    const { id, contextId } = await send(first, `Say ${'much '.repeat(20)}`);
    const seen = await some(chatUrl(proxy.url, id), undefined, 4);
    await first.stop('SIGKILL');
    const second = await startServer({ dataDir: first.dataDir });
    proxy.lead(second.url);
    const rest = await some(chatUrl(proxy.url, id), seen.at(-1), Number.POSITIVE_INFINITY);
    const all = [...seen, ...rest];
    expect(all.map((event) => event.id)).toEqual(all.map((_, seq) => `${contextId}-${seq}`));
    expect(all.at(-1)?.event).toBe('error');
    expect(JSON.parse(all.at(-1)?.data ?? '').code).toBe('STREAM_INTERRUPTED');
    expect(await some(chatUrl(second.url, id), undefined, Number.POSITIVE_INFINITY)).toEqual(all);
  });
});
