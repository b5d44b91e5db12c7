import { describe, expect, it } from 'vitest';
import { codexDecoder } from '../../src/agents/codex/decode.js';
import { widget } from '../harness/widget.js';
import { ofType, spoken } from './support/events.js';
import { recordedLines, scenes } from './support/recorded.js';

function decoded(scene: string) {
  const decoder = codexDecoder();
  const events = recordedLines('codex', scene).flatMap((line) => decoder.decode(line) ?? []);
  return { events, decoder };
}

describe('the lines of Codex', () => {
  it.each(scenes('codex'))('are all understood (%s)', (scene) => {
    const decoder = codexDecoder();
    const unread = recordedLines('codex', scene).filter((line) => decoder.decode(line) === undefined);
    expect(unread.map((line) => line.toString())).toEqual([]);
  });

  it('say the answer, show what the model thought, name the session and the usage', () => {
    const { events } = decoded('text');
    expect(spoken(events)).toBe('Hello there, wörld 😀.');
    expect(ofType(events, 'raw').map(({ text }) => text)).toEqual(['Let me think.']);
    expect(ofType(events, 'session')).toHaveLength(1);
    expect(ofType(events, 'usage')).toEqual([
      {
        type: 'usage',
        finishReason: 'stop',
        usage:
          '{"input_tokens":11,"cached_input_tokens":3,"cache_write_input_tokens":0,"output_tokens":7,"reasoning_output_tokens":0}',
      },
    ]);
  });

  it('tell warnings as what they are, never as the answer', () => {
    const statuses = ofType(decoded('text').events, 'status');
    expect(statuses.map(({ status, text }) => [status, text])).toEqual([
      ['init', 'Session begun.'],
      ['warning', expect.stringMatching(/^Model metadata for/)],
    ]);
  });

  it('hold the document with every digit and every byte', () => {
    expect(decoded('structured').decoder.lastMessage()).toBe(widget);
  });

  it('tell of a command when it starts, and of its output and exit code when it ends', () => {
    const { events } = decoded('commands');
    expect(ofType(events, 'tool_call').map(({ name, input }) => [name, input])).toEqual([
      ['command_execution', `{"command":"/bin/bash -lc 'cat a.txt; echo x >&2'"}`],
      ['command_execution', `{"command":"/bin/bash -lc 'exit 3'"}`],
    ]);
    expect(ofType(events, 'tool_result').map(({ ok, text }) => [ok, text])).toEqual([
      [true, 'hello file\nx\n'],
      [false, 'exit code 3'],
    ]);
  });

  it('give the arguments of a tool as they were written', () => {
    const { events } = decoded('tools');
    expect(ofType(events, 'tool_call').map(({ name, input }) => [name, input])).toEqual([
      ['echo.echo', '{"value":78.0,"id":9007199254740993}'],
      ['echo.echo', '{"fail":true}'],
    ]);
    expect(ofType(events, 'tool_result').map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('tell of changes to files', () => {
    expect(ofType(decoded('patch').events, 'tool_call').map(({ input }) => input)).toEqual([
      '{"changes":[{"path":"/workspace/b.txt","kind":"add"}]}',
    ]);
  });

  it('tell a plan, and a search of the web', () => {
    const decoder = codexDecoder();
    const line = (type: string, item: object) => decoder.decode(Buffer.from(JSON.stringify({ type, item })));
    const items = [
      { text: 'one', completed: true },
      { text: 'two', completed: false },
    ];
    expect(line('item.updated', { id: 'a', type: 'todo_list', items })).toEqual([
      { type: 'status', status: 'plan', text: '[x] one\n[ ] two' },
    ]);
    expect(line('item.started', { id: 'b', type: 'web_search', query: 'w' })).toEqual([
      { type: 'tool_call', id: 'b', name: 'web_search', input: '{"query":"w"}' },
    ]);
    expect(line('item.completed', { id: 'b', type: 'web_search', query: 'w' })).toEqual([
      { type: 'tool_result', id: 'b', ok: true, text: '' },
    ]);
  });

  it('tell each retry, and at the end that the turn failed and why', () => {
    const { events, decoder } = decoded('unauthorized');
    expect(ofType(events, 'status').map(({ status }) => status)).toEqual([
      'init',
      'warning',
      'retry',
      'retry',
      'error',
    ]);
    expect(decoder.turn()).toEqual({ ok: false, message: expect.stringMatching(/401 Unauthorized/) });
    expect(decoded('bad-schema').decoder.turn()).toEqual({ ok: false, message: 'Invalid schema.' });
  });

  it('of a kind that is not known are left to be shown raw', () => {
    const lines = [
      '{"type":"turn.paused"}',
      '{"type":"item.started","item":{"id":"a","type":"hologram"}}',
      '7',
      '',
    ];
    for (const line of lines) expect(codexDecoder().decode(Buffer.from(line))).toBeUndefined();
  });
});
