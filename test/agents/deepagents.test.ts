import { describe, expect, it } from 'vitest';
import { deepAgentDecoder } from '../../src/agents/deepagents/decode.js';
import { failureOf } from '../../src/agents/deepagents/failure.js';
import { modelCalls } from '../../src/agents/deepagents/model-calls.js';
import { deepAgents } from '../../src/agents/deepagents.js';
import { streamJson } from '../../src/agents/kit/stream-json.js';
import { temporaryDirectory } from '../support/temporary.js';
import { eventsOf } from './support/turn.js';

const write = streamJson({ sessionId: 's' });

/** What a stream of these items means; its end included. */
function decode(...items: readonly unknown[]) {
  const decoder = deepAgentDecoder(write);
  const lines = [...items.flatMap((item) => decoder.take(item)), ...decoder.end()];
  return { events: eventsOf(lines), messages: decoder.messages() };
}

const message = (fields: object, namespace: readonly string[] = []) => [namespace, 'messages', [fields, {}]];
const task = (id: string, call: string, namespace: readonly string[] = []) => [
  namespace,
  'tasks',
  { id, name: 'tools', input: { lg_tool_call: { id: call } } },
];

describe('the stream of a deep agent', () => {
  it('puts a subagent of a subagent under the call that it works for', () => {
    const inner = ['tools:one', 'tools:two'];
    const { events, messages } = decode(
      task('one', 'call-1'),
      message({ type: 'ai', id: 'a', content: 'Outer.' }, ['tools:one']),
      task('two', 'call-2', ['tools:one']),
      message({ type: 'ai', id: 'b', content: 'Inner.' }, inner),
      message({ type: 'tool', tool_call_id: 'call-3', content: 'no', status: 'error' }, inner),
      message({ type: 'ai', id: 'c', content: 'Mine.' }),
    );
    expect(events).toMatchObject([
      { type: 'delta', text: 'Outer.', parent: 'call-1' },
      { type: 'delta', text: 'Inner.', parent: 'call-2' },
      { type: 'tool_result', id: 'call-3', ok: false, text: 'no', parent: 'call-2' },
      { type: 'delta', text: 'Mine.' },
    ]);
    expect(messages).toEqual(['Mine.']);
  });

  it('never takes the words of a part of the graph that it does not know for the agent’s own', () => {
    const { events, messages } = decode(
      message({ type: 'ai', id: 'a', content: 'Whose?' }, ['other:unknown']),
    );
    expect(events).toEqual([expect.objectContaining({ text: 'Whose?', parent: 'other:unknown' })]);
    expect(messages).toEqual([]);
  });

  it('keeps calls apart that subagents make at the same time', () => {
    const piece = (args: string, id?: string) => ({
      type: 'ai',
      id: 'm',
      content: '',
      tool_call_chunks: [{ index: 0, args, ...(id !== undefined && { id, name: 'look' }) }],
    });
    const { events } = decode(
      message(piece('{"n":90071', 'x'), ['tools:one']),
      message(piece('{"n":', 'y'), ['tools:two']),
      message(piece('99254740993}'), ['tools:one']),
      message(piece('1.0}'), ['tools:two']),
    );
    expect(events).toMatchObject([
      { type: 'tool_call', id: 'x', input: '{"n":9007199254740993}', parent: 'tools:one' },
      { type: 'tool_call', id: 'y', input: '{"n":1.0}', parent: 'tools:two' },
    ]);
  });

  it('reads content in blocks, thinking apart, and messages of models that do not stream', () => {
    const { events, messages } = decode(
      message({ type: 'ai', id: 'a', content: [{ type: 'thinking', thinking: 'Hm.' }] }),
      message({ type: 'ai', id: 'a', content: [{ type: 'text', text: 'Let me look.' }] }),
      message({
        getType: () => 'ai',
        id: 'b',
        content: '',
        tool_calls: [{ id: 'c', name: 'look', args: { n: 1 } }],
      }),
      message({ getType: () => 'human', id: 'h', content: 'not mine' }),
      message({ type: 'ai', id: 'd', content: 'Found \ud83d' }),
      message({ type: 'ai', id: 'd', content: '\ude00.' }),
      ['not', 'known'],
      undefined,
    );
    expect(events).toEqual([
      { type: 'raw', text: 'Hm.' },
      { type: 'delta', text: 'Let me look.' },
      { type: 'tool_call', id: 'c', name: 'look', input: '{"n":1}' },
      { type: 'delta', text: 'Found ', startsMessage: true },
      { type: 'delta', text: '😀.' },
    ]);
    expect(messages).toEqual(['Let me look.', 'Found 😀.']);
  });
});

describe('the calls of a deep agent’s models', () => {
  const heard = (generation: object, metadata: object = {}) => {
    const calls = modelCalls();
    const { handleChatModelStart: start, handleLLMEnd: end } = calls.handler;
    if (typeof start !== 'function' || typeof end !== 'function') throw new Error('no handlers');
    start({}, [], 'run', undefined, {}, [], metadata);
    end({ generations: [[generation]] }, 'run');
    return calls;
  };

  it.each([
    [{ generationInfo: { finish_reason: 'stop' } }, 'stop'],
    [{ generationInfo: { finish_reason: 'length' } }, 'length'],
    [{ message: { response_metadata: { stop_reason: 'max_tokens' } } }, 'length'],
    [{ message: { additional_kwargs: { stop_reason: 'end_turn' } } }, 'stop'],
    [{ message: { response_metadata: { finishReason: 'SAFETY' } } }, 'content-filter'],
    [{ message: { response_metadata: { status: 'incomplete' } } }, 'length'],
    [
      { message: { response_metadata: { messageStop: { stopReason: 'guardrail_intervened' } } } },
      'content-filter',
    ],
  ])('tell why an answer ended, whatever their provider calls it: %j', (generation, reason) => {
    expect(heard(generation).last()).toMatchObject({ reason, cut: false });
  });

  it('tell that one was cut off whose provider should have told why it ended', () => {
    const cut = { message: { response_metadata: { model_provider: 'openai' } } };
    expect(heard(cut).last()).toMatchObject({ cut: true });
    expect(heard({ message: {} }).last()).toMatchObject({ cut: false });
    expect(heard({ generationInfo: { finish_reason: 'tool_calls' } }).last()).toMatchObject({
      wantsTools: true,
    });
  });

  it('count a subagent’s tokens, and do not take the end of its answer for that of the agent’s', () => {
    const generation = {
      generationInfo: { finish_reason: 'length' },
      message: { usage_metadata: { total_tokens: 3 } },
    };
    const calls = heard(generation, { langgraph_checkpoint_ns: 'tools:a|model_request:b' });
    expect(calls.last()).toBeUndefined();
    expect(calls.usage()).toEqual({ total_tokens: 3 });
  });
});

describe('a failure of a deep agent', () => {
  it('is told without the advice of its library, and without the key', () => {
    const advice = '\n\nTroubleshooting URL: https://example.org/errors/';
    const thrown = new Error(`401 bad key sk-secret${advice}`, {
      cause: new Error(`401 bad key sk-secret${advice}`),
    });
    expect(failureOf(thrown, { key: () => 'sk-secret', recursionLimit: 9 })).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The agent failed: 401 bad key ***',
    });
    expect(failureOf('odd', { key: undefined, recursionLimit: 9 })).toMatchObject({
      code: 'AGENT_FAILED',
      message: 'The agent failed: odd',
    });
  });

  it('is seen at the start where its packages are not there, and names what to install', async () => {
    const surroundings = { env: {}, directory: await temporaryDirectory(), warn: () => {} };
    const options = { provider: '@langchain/openai', model: 'm' };
    await expect(deepAgents.create(options, surroundings)).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringMatching(
        /The package deepagents is not installed in .+ run "npm install deepagents" there/,
      ),
    });
  });
});
