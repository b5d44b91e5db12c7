import { describe, expect, it } from 'vitest';
import { startChatHost } from '../support/chat-host.js';
import { asked, begun, completed } from '../support/log-entries.js';

async function read(url: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, { headers });
  const body: unknown = await response.json();
  if (typeof body !== 'object' || body === null) throw new Error(`not an object: ${body}`);
  return { status: response.status, ...body };
}

describe('the sessions', () => {
  it('are the contexts with their state, the newest change first, and where to read their chat', async () => {
    const host = await startChatHost();
    await host.open({ contextId: 'one' }, [asked('What is up?'), begun]);
    await host.open({ contextId: 'two', agentKind: 'forgotten' }, [asked(), completed]);
    await host.open({ contextId: 'one', structured: true }, [
      asked(' And\nthen?  Say more.\n'),
      { ...completed, at: completed.at + 1 },
    ]);
    expect(await read(`${host.url}/api/v1/sessions`)).toEqual({
      status: 200,
      total: 2,
      next_page: null,
      sessions: [
        {
          session_id: 'one',
          title: 'And then? Say more.',
          command_count: 2,
          created_at_ms: 1,
          updated_at_ms: completed.at + 1,
          command_id: 'task-3',
          state: 'TASK_STATE_COMPLETED',
          terminal: true,
          agent: 'demo',
          chat_source: 'stream-json',
          chat_stream_url: '/api/v1/agent-output/chat?command_id=task-3',
          output_stream_url: '/api/v1/agent-output/stream?command_id=task-3',
        },
        expect.objectContaining({ session_id: 'two', command_count: 1, chat_source: 'none' }),
      ],
    });
  });

  it('have their commands, each with its state and its chat', async () => {
    const host = await startChatHost();
    await host.open({ contextId: 'one' }, [asked(), begun]);
    await host.open({ contextId: 'one', structured: true }, [
      asked(),
      { ...completed, at: completed.at + 1 },
    ]);
    expect(await read(`${host.url}/api/v1/sessions/one`)).toMatchObject({
      status: 200,
      session_id: 'one',
      total: 2,
      next_page: null,
      commands: [
        { command_id: 'task-2', state: 'TASK_STATE_COMPLETED', structured: true, terminal: true },
        {
          command_id: 'task-1',
          state: 'TASK_STATE_WORKING',
          structured: false,
          terminal: false,
          chat_stream_url: '/api/v1/agent-output/chat?command_id=task-1',
        },
      ],
    });
  });

  it('come in pages, and so do their commands', async () => {
    const host = await startChatHost();
    for (const at of [1, 2, 3]) {
      await host.open({ contextId: `context-${at}` }, [asked(), { ...completed, at: 100 + at }]);
      await host.open({ contextId: 'many', taskId: `many-${at}` }, [asked(), { ...completed, at: 50 - at }]);
    }
    for (const [path, list] of [
      ['/api/v1/sessions', 'sessions'],
      ['/api/v1/sessions/many', 'commands'],
    ] as const) {
      const seen: unknown[] = [];
      let query = '?limit=2';
      for (let pages = 0; pages < 10 && query !== ''; pages += 1) {
        const { [list]: items, next_page: next } = await read(`${host.url}${path}${query}`);
        if (!Array.isArray(items)) throw new Error('not a list');
        expect(items.length).toBeLessThanOrEqual(2);
        seen.push(
          ...items.map(({ session_id, command_id }) => (list === 'sessions' ? session_id : command_id)),
        );
        query = typeof next === 'string' ? `?limit=2&page=${encodeURIComponent(next)}` : '';
      }
      expect(seen).toEqual(
        list === 'sessions'
          ? ['context-3', 'context-2', 'context-1', 'many']
          : ['many-1', 'many-2', 'many-3'],
      );
    }
  });

  it('of a stranger are unknown', async () => {
    const host = await startChatHost();
    await host.open({ principal: 'alice', contextId: 'one' }, [asked(), begun]);
    expect(await read(`${host.url}/api/v1/sessions`)).toMatchObject({ sessions: [], total: 0 });
    const stranger = await read(`${host.url}/api/v1/sessions/one`);
    expect(stranger).toEqual(await read(`${host.url}/api/v1/sessions/two`));
    expect(stranger).toMatchObject({ status: 404, title: 'Not Found' });
    const own = await read(`${host.url}/api/v1/sessions/one`, { 'x-principal': 'alice' });
    expect(own).toMatchObject({ status: 200, session_id: 'one' });
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'page=nonsense', 'limit=1&limit=2'])(
    'are refused to a page that is wrong (%s)',
    async (query) => {
      const host = await startChatHost();
      await host.open({ contextId: 'one' }, [asked(), begun]);
      for (const path of ['/api/v1/sessions', '/api/v1/sessions/one']) {
        expect(await read(`${host.url}${path}?${query}`)).toMatchObject({
          status: 400,
          code: 'INVALID_PARAMS',
        });
      }
    },
  );

  it.each(['%', '%FF', '%00', 'a%2Fb', `${'x'.repeat(5_000)}`])(
    'under a name that is none are unknown (%j)',
    async (name) => {
      const host = await startChatHost();
      expect(await read(`${host.url}/api/v1/sessions/${name}`)).toMatchObject({ status: 404 });
    },
  );
});
