import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/domain/task.js';
import { type ChatHost, startChatHost } from '../support/chat-host.js';
import { readEvents } from '../support/event-reader.js';
import { asked, begun, completed, line, says } from '../support/log-entries.js';

const RAW = '/api/v1/agent-output/stream';
const raw = (host: ChatHost, query: string): string => `${host.url}${RAW}?${query}`;

const finished: readonly Entry[] = [
  asked(),
  begun,
  line('out 0', []),
  line('err 1', undefined, 'stderr'),
  { type: 'line', at: 42, raw: Uint8Array.of(0x77, 0xff, 0xc3), channel: 'stdout', events: [] },
  line('out 3', []),
  completed,
];

async function linesOf(host: ChatHost, query: string, lastEventId?: string): Promise<[unknown, unknown][]> {
  const events = await (await readEvents(raw(host, query), { lastEventId })).rest();
  return events.map(({ event, data }) => [event, JSON.parse(data).line]);
}

describe("the agent's lines", () => {
  it('are there byte for byte, with channel, number and time', async () => {
    const host = await startChatHost();
    await host.open({}, finished);
    const events = await (await readEvents(raw(host, 'command_id=task-1&replay=true'))).rest();
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ['agent_output.replay', 'context-1-0'],
      ['agent_output.replay', 'context-1-1'],
      ['agent_output.replay', 'context-1-2'],
      ['agent_output.replay', 'context-1-3'],
    ]);
    expect(JSON.parse(events[2]?.data ?? '')).toEqual({
      schema: 'agentic.agent_output.v1',
      event_type: 'chunk',
      command_id: 'task-1',
      stream: 'stdout',
      timestamp_ms: 42,
      data_base64: 'd//D',
      text: 'w\ufffd\ufffd',
      line: 2,
    });
  });

  it('come live after those that are replayed', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun, says('a')]);
    const reader = await readEvents(raw(host, 'command_id=task-1&replay=true'));
    expect((await reader.next())?.event).toBe('agent_output.replay');
    await host.store.log.append(key, [says('b'), completed]);
    expect(await reader.rest()).toMatchObject([{ event: 'agent_output', id: 'context-1-1' }]);
  });

  it('come from now on where no replay is asked for', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun, says('a')]);
    const reader = await readEvents(raw(host, 'command_id=task-1'));
    await host.store.log.append(key, [says('b'), completed]);
    expect(await reader.rest()).toMatchObject([{ event: 'agent_output', id: 'context-1-1' }]);
  });

  it('can be had of one channel, and the newest alone', async () => {
    const host = await startChatHost();
    await host.open({}, finished);
    const replay = 'agent_output.replay';
    expect(await linesOf(host, 'command_id=task-1&replay=1&stream=stderr')).toEqual([[replay, 1]]);
    expect(await linesOf(host, 'command_id=task-1&replay=1&stream=%20STDOUT')).toEqual([
      [replay, 0],
      [replay, 2],
      [replay, 3],
    ]);
    expect(await linesOf(host, 'command_id=task-1&replay=1&stream=stdout&limit=2')).toEqual([
      [replay, 2],
      [replay, 3],
    ]);
    expect(await linesOf(host, 'command_id=task-1&replay=1&limit=0')).toEqual([]);
  });

  it('bounded in what is replayed are all there live', async () => {
    const host = await startChatHost();
    const key = await host.open({}, [asked(), begun, says('a'), says('b')]);
    const reader = await readEvents(raw(host, 'command_id=task-1&replay=1&limit=1'));
    expect((await reader.next())?.id).toBe('context-1-1');
    await host.store.log.append(key, [says('c'), says('d'), completed]);
    expect((await reader.rest()).map(({ id }) => id)).toEqual(['context-1-2', 'context-1-3']);
  });

  it('go on after a cursor, and end with 204 past the last', async () => {
    const host = await startChatHost();
    await host.open({}, finished);
    expect(await linesOf(host, 'command_id=task-1&limit=1', 'context-1-1')).toEqual([
      ['agent_output.replay', 2],
      ['agent_output.replay', 3],
    ]);
    for (const [query, lastEventId] of [
      ['command_id=task-1', 'context-1-3'],
      ['command_id=task-1&stream=stderr', 'context-1-1'],
      ['command_id=task-1', undefined],
    ] as const) {
      expect((await readEvents(raw(host, query), { lastEventId })).status).toBe(204);
    }
  });

  it.each([
    ['', 400],
    ['command_id=task-1&stream=log', 400],
    ['command_id=task-1&limit=-1', 400],
    ['command_id=task-1&limit=x', 400],
    ['command_id=task-1&replay=2', 400],
    ['command_id=task-2', 404],
  ])('are refused to a request that is wrong (%j)', async (query, status) => {
    const host = await startChatHost();
    await host.open({}, finished);
    const response = await fetch(raw(host, query));
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('of a stranger are unknown', async () => {
    const host = await startChatHost();
    await host.open({ principal: 'alice' }, finished);
    expect((await fetch(raw(host, 'command_id=task-1&replay=1'))).status).toBe(404);
  });
});
