import { describe, expect, it } from 'vitest';
import { type ClaudeDecoder, claudeDecoder } from '../../src/agents/claude-code/decode.js';
import type { OutputEvent } from '../../src/domain/agent.js';
import { widget } from '../harness/widget.js';
import { ofType, spoken } from './support/events.js';
import { recordedLines, scenes } from './support/recorded.js';

function decoded(scene: string): {
  readonly events: readonly OutputEvent[];
  readonly decoder: ClaudeDecoder;
} {
  const decoder = claudeDecoder();
  const events = recordedLines('claude-code', scene).flatMap((line) => decoder.decode(line) ?? []);
  return { events, decoder };
}

describe('the lines of Claude Code', () => {
  it.each(scenes('claude-code'))('are all understood (%s)', (scene) => {
    const decoder = claudeDecoder();
    const unread = recordedLines('claude-code', scene).filter((line) => decoder.decode(line) === undefined);
    expect(unread.map((line) => line.toString())).toEqual([]);
  });

  it('say the answer once, as it comes, though the finished message repeats it', () => {
    const { events } = decoded('text');
    expect(spoken(events)).toBe('Hello there, wörld 😀.');
    const deltas = ofType(events, 'delta');
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.map((delta) => delta.startsMessage === true)).toEqual([
      true,
      ...deltas.slice(1).map(() => false),
    ]);
  });

  it('show what the model thought, once, and never as its answer', () => {
    const { events } = decoded('text');
    expect(
      ofType(events, 'raw')
        .map((event) => event.text)
        .join(''),
    ).toBe('Let me think.');
  });

  it('name the session, and at the end the model, its usage and its cost as they were written', () => {
    const { events } = decoded('text');
    expect(ofType(events, 'session')).toHaveLength(1);
    const usage = ofType(events, 'usage').at(-1);
    expect(usage).toMatchObject({
      finishReason: 'stop',
      model: 'claude-opus-5-5',
      costUsd: '0.00018399999999999997',
      text: 'Hello there, wörld 😀.',
    });
    expect(usage?.usage).toContain('"input_tokens":11');
  });

  it('give the input of a tool as the model wrote it, not as the program printed it again', () => {
    const { events } = decoded('tools');
    expect(ofType(events, 'tool_call').map(({ name, input }) => [name, input])).toEqual([
      ['Read', '{"file_path":"a.txt","limit":9.0}'],
      ['Bash', '{"command":"touch /etc/no"}'],
    ]);
    expect(ofType(events, 'tool_result').map(({ ok }) => ok)).toEqual([true, false]);
    expect(ofType(events, 'status').map(({ status }) => status)).toEqual(['init', 'permission_denied']);
    expect(ofType(events, 'delta').filter((delta) => delta.startsMessage)).toHaveLength(2);
  });

  it('keep the words of a subagent apart from the answer', () => {
    const { events, decoder } = decoded('subagent');
    const [call] = ofType(events, 'tool_call');
    expect(spoken(events, call?.id)).not.toBe('');
    expect(spoken(events)).not.toContain(spoken(events, call?.id));
    expect(decoder.busy()).toBe(false);
    expect(ofType(events, 'usage').filter(({ finishReason }) => finishReason !== undefined)).toHaveLength(2);
  });

  it('hold the document with every digit and every byte', () => {
    expect(decoded('structured').decoder.document()).toEqual({ text: widget, exact: true });
  });

  it('hold the document that the program took, not the one that it refused before', () => {
    expect(decoded('corrected-document').decoder.document()).toEqual({ text: widget, exact: true });
  });

  it('hold no document where the program took none', () => {
    expect(decoded('wrong-document').decoder.document()).toBeUndefined();
    expect(decoded('no-document').decoder.document()).toBeUndefined();
  });

  it('hold only a parsed document where the program asked the model without a stream', () => {
    expect(decoded('fallback-without-stream').decoder.document()).toEqual({
      text: '{"id":9007199254740992,"price":78,"exp":100,"small":1e-7,"name":"wïdget"}',
      exact: false,
    });
  });

  it('tell of each retry, and of what it was for', () => {
    expect(ofType(decoded('retries').events, 'status').map(({ status, text }) => [status, text])).toEqual([
      ['init', 'Session begun with claude-opus-5-5.'],
      [
        'retry',
        expect.stringMatching(/^The model did not answer \(HTTP 429, rate_limit\); retry 1 of 2 in \d/),
      ],
      [
        'retry',
        expect.stringMatching(/^The model did not answer \(HTTP 500, server_error\); retry 2 of 2 in \d/),
      ],
    ]);
  });

  it('tell of an answer that broke off and was said anew', () => {
    const statuses = ofType(decoded('dropped').events, 'status').map(({ status }) => status);
    expect(statuses).toEqual(['init', 'broken_off', 'retry']);
  });

  it('tell a failure of the model as a failure, under `success` too', () => {
    const { events, decoder } = decoded('unauthorized');
    expect(spoken(events)).toBe('');
    expect(decoder.result()).toMatchObject({ ok: false, subtype: 'success', status: 401 });
    expect(ofType(events, 'usage').at(-1)).toMatchObject({ finishReason: 'error' });
  });

  it.each(scenes('claude-code'))('are read or left alone wherever they are cut (%s)', (scene) => {
    for (const line of recordedLines('claude-code', scene)) {
      const decoder = claudeDecoder();
      for (let length = 0; length < line.length; length += 1 + Math.floor(line.length / 50)) {
        expect(decoder.decode(line.subarray(0, length))).toBeUndefined();
      }
    }
  });

  it('of a kind that is not known are left to be shown raw', () => {
    const decoder = claudeDecoder();
    const lines = [
      '{"type":"something_new"}',
      '{"type":"system","subtype":"something_new"}',
      '[]',
      'null',
      'oops',
      '',
    ];
    for (const line of lines) expect(decoder.decode(Buffer.from(line))).toBeUndefined();
  });

  it('show a block of a kind that is not known as it was written', () => {
    const line = '{"type":"assistant","message":{"id":"m","content":[{"type":"hologram","depth":1.50}]}}';
    expect(claudeDecoder().decode(Buffer.from(line))).toEqual([
      { type: 'raw', text: '{"type":"hologram","depth":1.50}' },
    ]);
  });
});
