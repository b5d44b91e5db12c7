import { describe, expect, it } from 'vitest';
import { claudeDecoder } from '../../src/agents/claude-code/decode.js';
import { project, unread } from '../../src/chat/project.js';
import type { FrameBody } from '../../src/protocol/agent-output.js';
import { asked, begun, completed, line } from '../support/log-entries.js';

/** The frames of these lines of Claude Code's, without the terminal one unless it is asked for. */
function framesOf(lines: readonly (object | string)[]): readonly FrameBody[] {
  const { decode } = claudeDecoder();
  const entries = lines.map((each) => {
    const text = typeof each === 'string' ? each : JSON.stringify(each);
    return line(text, decode(new TextEncoder().encode(text)));
  });
  return project(unread, [asked(), begun, ...entries, completed]).frames.map(({ body }) => body);
}

const shown = (...lines: (object | string)[]): readonly FrameBody[] => framesOf(lines).slice(0, -1);
const assistant = (content: unknown, more: object = {}): object => ({
  type: 'assistant',
  message: { id: 'm1', role: 'assistant', model: 'claude-x', content },
  ...more,
});
const user = (content: unknown): object => ({ type: 'user', message: { role: 'user', content } });
const piece = (delta: object, index = 0): object => ({
  type: 'stream_event',
  event: { type: 'content_block_delta', index, delta },
});

describe('a message of Claude Code', () => {
  it('whose content is a string is text', () => {
    expect(shown(assistant('Hello'))).toMatchObject([{ event: 'delta', content: 'Hello' }]);
  });

  it('is not repeated where its words came in pieces, be its content a string or blocks', () => {
    const start = { type: 'stream_event', event: { type: 'message_start', message: { id: 'm1' } } };
    const block = {
      type: 'stream_event',
      event: { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    };
    const pieces = [
      start,
      block,
      piece({ type: 'text_delta', text: 'Hel' }),
      piece({ type: 'text_delta', text: 'lo' }),
    ];
    for (const content of ['Hello', [{ type: 'text', text: 'Hello' }]]) {
      expect(shown(...pieces, assistant(content))).toMatchObject([{ content: 'Hel' }, { content: 'lo' }]);
    }
  });

  it.each([
    { type: 'thinking', thinking: 'hm' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
    { type: 'hologram', depth: 1 },
    'words outside of any block',
    17,
    null,
  ])('keeps a block that is no conversation (%j)', (block) => {
    const frames = shown(assistant([block, { type: 'text', text: 'and text' }]));
    expect(frames).toMatchObject([{ event: 'raw' }, { event: 'delta', content: 'and text' }]);
  });

  it('keeps pieces and events of kinds that are not known', () => {
    const citation = piece({ type: 'citations_delta', citation: { cited_text: 'so it says' } });
    const failure = { type: 'stream_event', event: { type: 'error', error: { message: 'Overloaded' } } };
    expect(shown(citation, failure)).toMatchObject([
      { event: 'raw', content: JSON.stringify(citation) },
      { event: 'raw', content: JSON.stringify(failure) },
    ]);
  });
});

describe('a tool of Claude Code', () => {
  it('has its input with every digit, also without partial messages', () => {
    const call =
      '{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Buy","input":{"id":9007199254740993,"price":78.0}}]}}';
    expect(shown(call)).toMatchObject([
      { event: 'tool_call', toolId: 't', name: 'Buy', input: '{"id":9007199254740993,"price":78.0}' },
    ]);
  });

  it('has its texts on lines of their own, and pictures named among them and kept', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const content = [{ type: 'text', text: 'one\ntwo' }, picture, { type: 'text', text: 'three' }];
    expect(shown(user([{ type: 'tool_result', tool_use_id: 't', content }]))).toMatchObject([
      { event: 'tool_result', toolId: 't', ok: true, content: 'one\ntwo\n[image image/png]\nthree' },
      { event: 'raw', content: JSON.stringify(picture) },
    ]);
  });

  it('of the model’s server has its results named and kept', () => {
    const found = { type: 'web_search_result', title: 'Rain', url: 'https://example.com/rain' };
    const call = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'rain' } };
    const result = { type: 'web_search_tool_result', tool_use_id: 's', content: [found] };
    expect(shown(assistant([call, result]))).toMatchObject([
      { event: 'tool_call', toolId: 's', name: 'web_search' },
      { event: 'tool_result', toolId: 's', content: '[web_search_result Rain https://example.com/rain]' },
      { event: 'raw', content: JSON.stringify(found) },
    ]);
  });

  it.each([
    [undefined, ''],
    ['plain', 'plain'],
    [{ error_code: 'too_many' }, '{"error_code":"too_many"}'],
  ])('may give %j as its result', (content, text) => {
    expect(shown(user([{ type: 'tool_result', tool_use_id: 't', is_error: true, content }]))).toMatchObject([
      { event: 'tool_result', ok: false, content: text },
    ]);
  });
});

describe('the end of a run of Claude Code', () => {
  const result = (more: object): object => ({ type: 'result', subtype: 'success', is_error: false, ...more });
  const done = (...lines: (object | string)[]): FrameBody | undefined => framesOf(lines).at(-1);

  it.each([
    [{ stop_reason: 'end_turn' }, 'stop'],
    [{ stop_reason: null }, 'stop'],
    [{}, 'stop'],
    [{ stop_reason: 'tool_use' }, 'stop'],
    [{ stop_reason: 'max_tokens' }, 'length'],
    [{ stop_reason: 'refusal' }, 'content-filter'],
    [{ stop_reason: 'pause_turn' }, 'other'],
    [{ is_error: true, stop_reason: 'end_turn' }, 'error'],
    [{ subtype: 'error_max_turns', stop_reason: 'tool_use' }, 'error'],
  ])('has the reason that %j means: %s', (more, finishReason) => {
    expect(done(result(more))).toMatchObject({ event: 'done', finishReason });
  });

  it('has the model of the session where no message named one', () => {
    const init = { type: 'system', subtype: 'init', session_id: 's', model: 'claude-y' };
    expect(framesOf([init, result({})])).toMatchObject([
      { event: 'status', status: 'init', content: 'Session begun with claude-y.' },
      { event: 'done', figures: { model: 'claude-y' } },
    ]);
  });

  it('has usage and cost as they were written', () => {
    expect(
      done(
        '{"type":"result","subtype":"success","usage":{"output_tokens":1.0e1},"total_cost_usd":0.10,"result":"Hi"}',
      ),
    ).toMatchObject({ content: 'Hi', figures: { usage: '{"output_tokens":1.0e1}', costUsd: '0.10' } });
  });
});
