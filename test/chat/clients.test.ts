import { EventSourceParserStream } from 'eventsource-parser/stream';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/domain/task.js';
import { startChatHost } from '../support/chat-host.js';
import { followFortemi, newFortemiChat } from '../support/fortemi-client.js';
import { document } from '../support/json.js';
import { asked, begun, completed, line, says } from '../support/log-entries.js';

/** A run with all that Fortemi does not know: tools, a subagent's words, statuses, raw lines, several messages. */
const run: readonly Entry[] = [
  asked(),
  begun,
  line('i', [{ type: 'status', status: 'init', text: 'begun' }]),
  says('Let me ', { startsMessage: true }),
  says('look.'),
  line('t', [{ type: 'tool_call', id: 't', name: 'Task', input: document('{"a":1}') }]),
  says('I am the subagent.', { startsMessage: true, parent: 't' }),
  line('r', [{ type: 'tool_result', id: 't', ok: true, text: 'found' }]),
  line('?', undefined),
  line('err', undefined, 'stderr'),
  says('It says ', { startsMessage: true }),
  says('hello — "wörld"\n'),
  line('u', [{ type: 'usage', model: 'm-1', finishReason: 'stop' }]),
];
const answer = 'Let me look.\n\nIt says hello — "wörld"\n';
const chatUrl = (url: string): string => `${url}/api/v1/agent-output/chat?command_id=task-1&replay=true`;

describe("a client that knows only Fortemi's chat stream", () => {
  it("reads the assistant's text unchanged, and how it ended", async () => {
    const host = await startChatHost();
    await host.open({ contextId: '0198-with-hyphens' }, [...run, completed]);
    const chat = newFortemiChat();
    await followFortemi(chatUrl(host.url), chat);
    expect(chat).toEqual({
      text: answer,
      session: '0198-with-hyphens',
      seq: 10,
      end: { kind: 'done', finishReason: 'stop', model: 'm-1' },
    });
  });

  it('understands a failure', async () => {
    const host = await startChatHost();
    await host.open({}, [
      ...run,
      { type: 'state', at: 1, state: 'failed', code: 'INTERRUPTED', text: 'The server ended.' },
    ]);
    const chat = newFortemiChat();
    await followFortemi(chatUrl(host.url), chat);
    expect(chat).toMatchObject({
      text: answer,
      end: { kind: 'error', error: 'The server ended.', code: 'STREAM_INTERRUPTED' },
    });
  });

  it('loses nothing and doubles nothing when its connection breaks after every single event', async () => {
    const host = await startChatHost();
    const key = await host.open({}, run.slice(0, 2));
    const writing = (async () => {
      for (const entry of [...run.slice(2), completed]) {
        await host.store.log.append(key, [entry]);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    })();
    const chat = newFortemiChat();
    let connections = 0;
    for (; chat.end === undefined; connections += 1) {
      await followFortemi(chatUrl(host.url), chat, { hangUp: (events) => events === 1 });
    }
    await writing;
    expect(chat).toMatchObject({ text: answer, seq: 10, end: { kind: 'done' } });
    expect(connections).toBe(11);
    await followFortemi(chatUrl(host.url), chat);
    expect(chat.text).toBe(answer);
  });
});

it('is read by eventsource-parser, retry and ids included', async () => {
  const host = await startChatHost();
  await host.open({}, [...run, completed]);
  const response = await fetch(chatUrl(host.url));
  const retries: number[] = [];
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(
      new EventSourceParserStream({ onRetry: (retry) => retries.push(retry), onError: 'terminate' }),
    );
  const ids: unknown[] = [];
  for await (const { id, event, data } of events ?? []) {
    ids.push(id);
    expect([event, JSON.parse(data)]).toEqual([event, expect.objectContaining({ session_id: 'context-1' })]);
  }
  expect(ids).toEqual(Array.from({ length: 11 }, (_, seq) => `context-1-${seq}`));
  expect(retries).toEqual([1000]);
});
