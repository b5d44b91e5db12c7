import { describe, expect, it } from 'vitest';
import { describeArtifact } from '../../src/chat/describe.js';
import { project, unread } from '../../src/chat/project.js';
import type { Entry } from '../../src/domain/task.js';
import type { Frame, FrameBody } from '../../src/protocol/agent-output.js';
import { document } from '../support/json.js';
import { asked, begun, completed, line, says } from '../support/log-entries.js';

const at = 1_790_000_000_000;

const askedForType: Entry = {
  type: 'message',
  at,
  message: { messageId: 'm1', role: 'user', parts: [], extensions: [], referenceTaskIds: [] },
  acceptedOutputModes: [],
  structured: { schema: document('{"type":"object"}'), resultEncoding: 'json-utf8' },
};
/** A frame's event and fields beside its place. */
type Flat = FrameBody & Omit<Frame, 'body'>;

const flat = ({ body, ...place }: Frame): Flat => ({ ...body, ...place });

const framesOf = (...entries: readonly Entry[]): readonly Flat[] => project(unread, entries).frames.map(flat);

const answerOf = (frames: readonly Flat[]): string =>
  frames.map((frame) => (frame.event === 'delta' ? frame.content : '')).join('');

describe('the conversation of a task', () => {
  it('gives the text as it comes, then one done', () => {
    expect(framesOf(asked(), begun, says('Hel'), says('lo'), completed)).toEqual([
      { event: 'delta', content: 'Hel', seq: 0, line: 0 },
      { event: 'delta', content: 'lo', seq: 1, line: 1 },
      { event: 'done', finishReason: 'stop', figures: {}, seq: 2, line: 1 },
    ]);
  });

  it('sets messages of the agent off by a blank line, but begins with none', () => {
    const frames = framesOf(
      asked(),
      begun,
      says('One', { startsMessage: true }),
      says(' two'),
      says('Three', { startsMessage: true }),
    );
    expect(answerOf(frames)).toBe('One two\n\nThree');
  });

  it('keeps what a subagent says out of the answer', () => {
    const frames = framesOf(
      asked(),
      begun,
      says('looking', { startsMessage: true, parent: 'call-1' }),
      says('Found', { startsMessage: true }),
    );
    expect(frames).toMatchObject([
      { event: 'status', status: 'subagent', content: 'looking', parent: 'call-1' },
      { event: 'delta', content: 'Found' },
    ]);
  });

  it('gives tool calls and results with their parent, and the input as it was written', () => {
    const input = document('{"id": 9007199254740993, "price": 78.0}');
    const frames = framesOf(
      asked(),
      begun,
      line('a', [{ type: 'tool_call', id: 't1', name: 'Buy', input }]),
      line('b', [{ type: 'tool_result', id: 't1', ok: false, text: 'sold\nout', parent: 't0' }]),
    );
    expect(frames).toMatchObject([
      { event: 'tool_call', toolId: 't1', name: 'Buy', input, line: 0 },
      { event: 'tool_result', toolId: 't1', ok: false, content: 'sold\nout', parent: 't0', line: 1 },
    ]);
  });

  it('shows a line that was not understood, and one of stderr, raw', () => {
    const frames = framesOf(
      asked(),
      begun,
      line('{"type":"new"}', undefined),
      {
        type: 'line',
        at,
        raw: Uint8Array.of(0x77, 0xff, 0xef, 0xbb, 0xbf),
        channel: 'stderr',
        events: undefined,
      },
      line('think', [{ type: 'raw', text: 'hm', parent: 't0' }]),
    );
    expect(frames).toMatchObject([
      { event: 'raw', content: '{"type":"new"}', channel: 'stdout' },
      { event: 'raw', content: 'w\ufffd\ufeff', channel: 'stderr', line: 1 },
      { event: 'raw', content: 'hm', parent: 't0', line: 2 },
    ]);
  });

  it('makes no frame of a silent line, yet counts it', () => {
    const frames = framesOf(asked(), begun, line('x', []), says('a'), completed);
    expect(frames.map(({ event, line }) => [event, line])).toEqual([
      ['delta', 1],
      ['done', 1],
    ]);
  });

  it('names an artifact once, whatever the number of its pieces', () => {
    const piece = (append: boolean, lastChunk: boolean): Entry =>
      line('artifact', [
        {
          type: 'artifact',
          artifactId: 'a1',
          name: 'plot',
          parts: [{ kind: 'raw', bytes: new Uint8Array(3), mediaType: 'image/png', filename: 'plot.png' }],
          append,
          lastChunk,
        },
      ]);
    const frames = framesOf(asked(), begun, piece(false, false), piece(true, true));
    expect(frames).toEqual([
      {
        event: 'status',
        status: 'artifact',
        content: 'plot: plot.png, image/png, 3 bytes',
        artifactId: 'a1',
        seq: 0,
        line: 0,
      },
    ]);
  });

  it('tells what the server has to say about the run', () => {
    const frames = framesOf(asked(), begun, {
      type: 'notice',
      at,
      status: 'session',
      text: 'The session was begun anew.',
    });
    expect(frames).toMatchObject([
      { event: 'status', status: 'session', content: 'The session was begun anew.', line: 0 },
    ]);
  });
});

describe('the end of a run', () => {
  const end = line('result', [
    { type: 'usage', model: 'm-1' },
    {
      type: 'usage',
      finishReason: 'length',
      usage: document('{"output_tokens":12345678901234567890}'),
      costUsd: document('0.10'),
      text: 'Hi.',
    },
  ]);

  it("is held back until the task's own end is known", () => {
    const held = project(unread, [asked(), begun, says('Hi.'), end]);
    expect(held.frames.map(({ body }) => body.event)).toEqual(['delta']);
    expect(project(held.after, [completed]).frames.map(flat)).toMatchObject([
      {
        event: 'done',
        finishReason: 'length',
        content: 'Hi.',
        figures: { model: 'm-1', usage: '{"output_tokens":12345678901234567890}', costUsd: '0.10' },
        seq: 1,
        line: 1,
      },
    ]);
  });

  it.each([
    ['failed', 'RESULT_INVALID', 'RESULT_INVALID'],
    ['failed', 'TIMED_OUT', 'TIMED_OUT'],
    ['failed', 'INTERRUPTED', 'STREAM_INTERRUPTED'],
    ['failed', undefined, 'AGENT_FAILED'],
    ['canceled', 'CANCELED', 'CANCELED'],
    ['canceled', undefined, 'CANCELED'],
    ['rejected', undefined, 'REJECTED'],
  ] as const)('is an error when the task has %s with %s, and its cost is told', (state, code, expected) => {
    const frames = framesOf(asked(), begun, end, { type: 'state', at, state, code, text: 'Because.' });
    expect(frames).toMatchObject([
      { event: 'error', code: expected, error: 'Because.', figures: { costUsd: '0.10' } },
    ]);
  });

  it('comes without a line where the agent never ran', () => {
    const refused: Entry = { type: 'state', at, state: 'failed', code: 'SCHEMA_INVALID', text: 'No.' };
    expect(framesOf(asked(), refused)).toMatchObject([{ event: 'error', seq: 0, line: 0 }]);
  });

  it('leaves the chat open when the agent asks something', () => {
    const asks: Entry = { type: 'state', at, state: 'input-required', text: 'Which one?' };
    const frames = framesOf(asked(), begun, end, asks, asked(), begun, says('That one.'), completed);
    expect(frames).toMatchObject([
      { event: 'status', status: 'input_required', content: 'Which one?', figures: { model: 'm-1' } },
      { event: 'status', status: 'working' },
      { event: 'delta', content: 'That one.' },
      { event: 'done', finishReason: 'stop' },
    ]);
    expect(frames.at(-1)).not.toHaveProperty('figures.model', 'm-1');
  });

  it('tells of a further attempt, with why and what the one before it cost', () => {
    const again: Entry = { type: 'run', at, attempt: 2, why: '/age: must be a number' };
    expect(framesOf(askedForType, begun, end, again)).toMatchObject([
      {
        event: 'status',
        status: 'attempt',
        content: 'Attempt 2: /age: must be a number',
        figures: { costUsd: '0.10' },
      },
    ]);
  });

  it('is told once, and nothing comes after it', () => {
    expect(framesOf(asked(), completed, completed, says('late'))).toHaveLength(1);
  });
});

describe('an answer that no delta carried', () => {
  const response: Entry = {
    type: 'artifact',
    at,
    artifact: {
      artifactId: 'response',
      name: 'response',
      parts: [{ kind: 'text', text: 'Whole.' }],
      extensions: [],
    },
  };

  it('is one delta', () => {
    expect(framesOf(asked(), begun, response, completed).map(({ event }) => event)).toEqual([
      'delta',
      'done',
    ]);
    expect(answerOf(framesOf(asked(), begun, response))).toBe('Whole.');
  });
});

describe('a typed result', () => {
  const json = '{"id": 9007199254740993, "price": 78.0}';
  const end = line('result', [{ type: 'usage', text: '{"id":9007199254740992,"price":78}' }]);

  it('is named, and done carries the document as it was written', () => {
    const result: Entry = {
      type: 'artifact',
      at,
      artifact: {
        artifactId: 'r',
        name: 'kedi-structured-output',
        parts: [{ kind: 'raw', bytes: new TextEncoder().encode(json), mediaType: 'application/json' }],
        extensions: [],
      },
    };
    expect(framesOf(askedForType, begun, end, result, completed)).toMatchObject([
      {
        event: 'status',
        status: 'artifact',
        content: 'kedi-structured-output: application/json, 39 bytes',
      },
      { event: 'done', content: json },
    ]);
  });

  it('is the data part for a client of the legacy encoding', () => {
    const result: Entry = {
      type: 'artifact',
      at,
      artifact: {
        artifactId: 'r',
        name: 'kedi-structured-output',
        parts: [{ kind: 'data', json: document('{"a":1.5}') }],
        extensions: [],
      },
    };
    expect(framesOf(askedForType, begun, result, completed)).toMatchObject([
      { event: 'status', content: 'kedi-structured-output: application/json, 9 bytes' },
      { event: 'done', content: '{"a":1.5}' },
    ]);
  });
});

it('describes every kind of part in plain words', () => {
  const parts = [
    { kind: 'text', text: 'wï' },
    { kind: 'url', url: 'https://example.com/a', filename: 'a' },
    { kind: 'data', json: document('[1]'), mediaType: 'application/x' },
    { kind: 'raw', bytes: new Uint8Array(2) },
  ] as const;
  expect(describeArtifact({ artifactId: 'a1', parts })).toBe(
    'a1: text/plain, 3 bytes; a, https://example.com/a; application/x, 3 bytes; application/octet-stream, 2 bytes',
  );
});
