import { describe, expect, it } from 'vitest';
import type { OutputEvent } from '../../src/domain/agent.js';
import type { Artifact, Message } from '../../src/domain/message.js';
import type { Entry } from '../../src/domain/task.js';
import { readFailure } from '../../src/protocol/failure.js';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../../src/protocol/kedi-extension.js';
import { foldTask, type StreamEvent, type Task } from '../../src/protocol/task-fold.js';
import { jsonText } from '../../src/schema/document.js';

const key = { taskId: 't', contextId: 'c' };
let clock = 0;
const at = () => ++clock;

const message = (messageId: string): Message => ({
  messageId,
  role: 'user',
  parts: [{ kind: 'text', text: messageId }],
  extensions: [],
  referenceTaskIds: [],
});

const asked = (messageId = 'm'): Entry => ({
  type: 'message',
  at: at(),
  message: message(messageId),
  acceptedOutputModes: [],
});
const run = (): Entry => ({ type: 'run', at: at(), attempt: 1 });
const line = (...events: OutputEvent[]): Entry => ({
  type: 'line',
  at: at(),
  raw: Buffer.from('x'),
  channel: 'stdout',
  events,
});
const says = (text: string, more: { startsMessage?: boolean; parent?: string } = {}): OutputEvent => ({
  type: 'delta',
  text,
  ...more,
});
const ends = (more: Partial<Entry & { type: 'state' }> = {}): Entry => ({
  type: 'state',
  at: at(),
  state: 'completed',
  ...more,
});

const fold = (entries: readonly Entry[]): Task => {
  const folded = foldTask(key);
  folded.add(entries);
  return folded.task();
};

const stream = (entries: readonly Entry[]): readonly StreamEvent[] => {
  const events: StreamEvent[] = [];
  foldTask(key).add(entries, (event) => events.push(event));
  return events;
};

const text = (artifact: Artifact | undefined): string =>
  (artifact?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : `<${part.kind}>`)).join('');

/** What a client has that puts the stream's artifacts together as A2A 1.0 says. */
function put(
  events: readonly StreamEvent[],
): ReadonlyMap<string, { parts: Artifact['parts']; last: boolean }> {
  const artifacts = new Map<string, { parts: Artifact['parts']; last: boolean }>();
  for (const event of events) {
    if (event.kind !== 'artifact') continue;
    const before = event.append ? (artifacts.get(event.artifact.artifactId)?.parts ?? []) : [];
    artifacts.set(event.artifact.artifactId, {
      parts: [...before, ...event.artifact.parts],
      last: event.lastChunk,
    });
  }
  return artifacts;
}

describe('the answer of a text request', () => {
  const entries = [
    asked(),
    run(),
    line(says('Hel'), says('lo')),
    line(says('searching', { parent: 'tool-1' }), { type: 'status', status: 'x', text: 'not the answer' }),
    line(says(' you.')),
    line(says('', { startsMessage: true })),
    line(says('Second.')),
    ends(),
  ];

  it('is one artifact of one text part: what the agent itself said, a blank line between messages', () => {
    expect(fold(entries).artifacts).toEqual([
      {
        artifactId: 'response',
        name: 'response',
        parts: [{ kind: 'text', text: 'Hello you.\n\nSecond.' }],
        extensions: [],
      },
    ]);
  });

  it('comes in chunks that a client puts together to the same text, the last one marked', () => {
    const events = stream(entries);
    const chunks = events.filter((event) => event.kind === 'artifact');
    expect(chunks.map(({ artifact, append, lastChunk }) => [text(artifact), append, lastChunk])).toEqual([
      ['Hello', false, false],
      [' you.', true, false],
      ['\n\nSecond.', true, false],
      ['', true, true],
    ]);
    expect(events.at(-1)).toMatchObject({ kind: 'status', status: { state: 'completed' } });
  });

  it('stays, as far as it came, on a task that failed or was canceled', () => {
    const failed = fold([
      asked(),
      run(),
      line(says('half')),
      ends({ state: 'failed', code: 'TIMED_OUT', text: 'Too late.' }),
    ]);
    expect(text(failed.artifacts[0])).toBe('half');
  });

  it('may be an artifact that the log has whole', () => {
    const artifact: Artifact = {
      artifactId: 'response',
      parts: [{ kind: 'text', text: 'all of it' }],
      extensions: [],
    };
    const whole: Entry[] = [asked(), run(), { type: 'artifact', at: at(), artifact }, ends()];
    expect(fold(whole).artifacts).toEqual([artifact]);
    expect(stream(whole).filter(({ kind }) => kind === 'artifact')).toEqual([
      { kind: 'artifact', ...key, artifact, append: false, lastChunk: true },
    ]);
  });

  it('goes on after a question in a message of its own', () => {
    const task = fold([
      asked(),
      run(),
      line(says('One.')),
      ends({ state: 'input-required', text: 'Which?' }),
      asked('m2'),
      run(),
      line(says('Two.')),
      ends(),
    ]);
    expect(text(task.artifacts[0])).toBe('One.\n\nTwo.');
  });

  it('is still one artifact where a later turn gives its answer whole', () => {
    const whole: Artifact = {
      artifactId: 'response',
      name: 'response',
      parts: [{ kind: 'text', text: 'Four.' }],
      extensions: [],
    };
    const entries: Entry[] = [
      asked(),
      run(),
      line(says('Let me see.')),
      ends({ state: 'input-required', text: 'Which?' }),
      asked('again'),
      run(),
      { type: 'artifact', at: at(), artifact: whole },
      ends(),
    ];
    expect(fold(entries).artifacts.map(text)).toEqual(['Let me see.\n\nFour.']);
    const chunks = stream(entries).flatMap((event) => (event.kind === 'artifact' ? [event] : []));
    expect(chunks.map(({ artifact }) => text(artifact)).join('')).toBe('Let me see.\n\nFour.');
    expect(chunks.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
  });

  it('keeps its id, whatever an agent calls its artifacts', () => {
    const yielded: OutputEvent = {
      type: 'artifact',
      artifactId: 'response',
      parts: [{ kind: 'text', text: 'mine' }],
      append: false,
      lastChunk: true,
    };
    const ids = fold([asked(), run(), line(yielded), line(says('Hello.')), ends()]).artifacts;
    expect(ids.map(({ artifactId }) => artifactId).sort()).toEqual(['agent-response', 'response']);
  });
});

describe('artifacts that an agent yields', () => {
  const file = (content: string, append: boolean): OutputEvent => ({
    type: 'artifact',
    artifactId: 'file',
    name: 'notes.txt',
    parts: [{ kind: 'text', text: content }],
    append,
    lastChunk: content === 'end',
  });

  it('are put together as they were yielded, beside the answer', () => {
    const entries = [
      asked(),
      run(),
      line(file('a', false)),
      line(says('Done.')),
      line(file('b', true), file('end', true)),
      ends(),
    ];
    expect(fold(entries).artifacts.map((artifact) => [artifact.artifactId, text(artifact)])).toEqual([
      ['response', 'Done.'],
      ['file', 'abend'],
    ]);
    const received = put(stream(entries));
    expect(received.get('file')).toMatchObject({ last: true });
    expect(received.get('file')?.parts).toHaveLength(3);
  });

  it('begin anew where one is appended to that is not there', () => {
    const events = stream([asked(), run(), line(file('a', true)), ends()]);
    expect(events.find(({ kind }) => kind === 'artifact')).toMatchObject({ append: false });
  });

  it('are taken in at the same cost, however many chunks came before', () => {
    const cost = (chunks: number): number => {
      const folded = foldTask(key);
      folded.add([asked(), run()]);
      const one = [line(file('x', true), says('x'))];
      const start = performance.now();
      for (let count = 0; count < chunks; count += 1) folded.add(one);
      folded.task();
      return (performance.now() - start) / chunks;
    };
    cost(2_000);
    expect(cost(64_000)).toBeLessThan(cost(2_000) * 5);
  });
});

describe('a structured task', () => {
  const structured = { schema: jsonText({}), resultEncoding: 'json-utf8' as const };
  const opened: Entry = {
    type: 'message',
    at: 1,
    message: message('m'),
    structured,
    acceptedOutputModes: [],
  };
  const result: Artifact = {
    artifactId: 'r',
    name: 'kedi-structured-output',
    parts: [{ kind: 'raw', bytes: Buffer.from('{}'), mediaType: 'application/json' }],
    extensions: [KEDI_STRUCTURED_OUTPUT_URI],
  };
  const chatter = line(says('Thinking…'), {
    type: 'artifact',
    artifactId: 'file',
    parts: [{ kind: 'text', text: 'x' }],
    append: false,
    lastChunk: true,
  });

  it('streams its states and at the end the whole result once', () => {
    const events = stream([opened, run(), chatter, { type: 'artifact', at: at(), artifact: result }, ends()]);
    expect(events.map((event) => (event.kind === 'status' ? event.status.state : event.kind))).toEqual([
      'working',
      'artifact',
      'completed',
    ]);
    expect(events[1]).toEqual({ kind: 'artifact', ...key, artifact: result, append: false, lastChunk: true });
  });

  it('that fails has no artifact, and says why under the URI of the extension', () => {
    const task = fold([
      opened,
      run(),
      chatter,
      ends({ state: 'failed', code: 'RESULT_INVALID', pointer: '/a', text: 'No.' }),
    ]);
    expect(task.artifacts).toEqual([]);
    expect(task.status.message).toMatchObject({
      parts: [{ kind: 'text', text: 'No.' }],
      extensions: [KEDI_STRUCTURED_OUTPUT_URI],
      metadata: jsonText({ [KEDI_STRUCTURED_OUTPUT_URI]: { code: 'RESULT_INVALID', pointer: '/a' } }),
    });
  });
});

describe('the status of a task', () => {
  it('is what the last entry made it, since then', () => {
    const entries = [asked(), run(), line(says('x')), ends()];
    const [first, second, , last] = entries;
    expect(fold(entries.slice(0, 1)).status).toEqual({ state: 'submitted', at: first?.at });
    expect(fold(entries.slice(0, 3)).status).toEqual({ state: 'working', at: second?.at });
    expect(fold(entries).status).toEqual({ state: 'completed', at: last?.at });
  });

  it('tells the code of a failed text request under our own URI, for programs to read back', () => {
    const { message: said } = fold([
      asked(),
      run(),
      ends({ state: 'failed', code: 'AGENT_FAILED', text: 'It broke.' }),
    ]).status;
    expect(said).toMatchObject({
      role: 'agent',
      contextId: 'c',
      taskId: 't',
      extensions: ['urn:kedi-a2a-server:failure:v1'],
    });
    expect(said && readFailure(said)).toEqual({ code: 'AGENT_FAILED' });
  });

  it('has a message with the same id on every reading', () => {
    const entries = [asked(), run(), ends({ state: 'canceled', code: 'CANCELED' })];
    expect(fold(entries).status.message?.messageId).toBe(fold(entries).status.message?.messageId);
  });
});

describe('the history of a task', () => {
  it('has the messages of both sides in order, the question as soon as it is answered', () => {
    const question = ends({ state: 'input-required', text: 'Which?' });
    const waiting = fold([asked('m1'), run(), question]);
    expect(waiting.history.map(({ messageId }) => messageId)).toEqual(['m1']);
    expect(waiting.status.message?.parts).toEqual([{ kind: 'text', text: 'Which?' }]);
    const answered = fold([asked('m1'), run(), question, asked('m2')]);
    expect(answered.history.map(({ role, parts }) => [role, parts[0]])).toEqual([
      ['user', { kind: 'text', text: 'm1' }],
      ['agent', { kind: 'text', text: 'Which?' }],
      ['user', { kind: 'text', text: 'm2' }],
    ]);
    expect(answered.status).toMatchObject({ state: 'submitted' });
    expect(answered.status.message).toBeUndefined();
  });

  it('names task and context in every message', () => {
    expect(fold([asked()]).history[0]).toMatchObject({ taskId: 't', contextId: 'c' });
  });
});

describe('a fold', () => {
  it('comes to the same task and tells the same, however the log is cut', () => {
    const entries = [asked(), run(), line(says('a')), line(says('b', { startsMessage: true })), ends()];
    for (let cut = 0; cut <= entries.length; cut += 1) {
      const events: StreamEvent[] = [];
      const folded = foldTask(key);
      folded.add(entries.slice(0, cut), (event) => events.push(event));
      folded.add(entries.slice(cut), (event) => events.push(event));
      expect(folded.task()).toEqual(fold(entries));
      expect(events).toEqual(stream(entries));
      expect(folded.length).toBe(entries.length);
    }
  });

  it('gives out tasks that stay as they were', () => {
    const folded = foldTask(key);
    folded.add([asked(), run(), line(says('a'))]);
    const before = folded.task();
    folded.add([line(says('b')), ends()]);
    expect(text(before.artifacts[0])).toBe('a');
    expect(before.status.state).toBe('working');
  });
});
