import { ListTasksResponse, StreamResponse, Task as WireTask } from '@a2a-js/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonText } from '../../src/domain/json.js';
import type { Artifact, Message, Part } from '../../src/domain/message.js';
import type { TaskState } from '../../src/domain/task.js';
import { readSendMessage } from '../../src/protocol/a2a-read.js';
import { writeMessage, writeStreamEvent, writeTask, writeTaskList } from '../../src/protocol/a2a-write.js';
import type { StreamEvent, Task } from '../../src/protocol/task-fold.js';
import { jsonText, readDocument, readEnvelope } from '../../src/schema/document.js';

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** Without a top-level null, which the SDK loses as data. */
const document = fc
  .jsonValue({ maxDepth: 2 })
  .filter((value) => value !== null)
  .map((value) => jsonText(value));
const struct = fc
  .dictionary(word, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => jsonText(value));

const content: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text: fc.string({ unit: 'binary' }) }),
  fc.record({ kind: fc.constant('raw' as const), bytes: fc.uint8Array() }),
  fc.record({ kind: fc.constant('url' as const), url: word }),
  fc.record({ kind: fc.constant('data' as const), json: document }),
);

const part: fc.Arbitrary<Part> = fc
  .tuple(content, optional(word), optional(word), optional(struct))
  .map(([base, mediaType, filename, metadata]) => ({
    ...base,
    ...(mediaType !== undefined && { mediaType }),
    ...(filename !== undefined && { filename }),
    ...(metadata !== undefined && { metadata }),
  }));

const parts = fc.array(part, { minLength: 1, maxLength: 3 });
const words = fc.array(word, { maxLength: 2 });

const messageOf = (role: fc.Arbitrary<'user' | 'agent'>): fc.Arbitrary<Message> =>
  fc
    .tuple(
      fc.record({ messageId: word, role, parts, extensions: words, referenceTaskIds: words }),
      optional(struct),
    )
    .map(([message, metadata]) => ({ ...message, ...(metadata !== undefined && { metadata }) }));

const message = messageOf(fc.constantFrom('user', 'agent'));

const artifact: fc.Arbitrary<Artifact> = fc
  .tuple(
    fc.record({ artifactId: word, parts, extensions: words }),
    optional(word),
    optional(word),
    optional(struct),
  )
  .map(([base, name, description, metadata]) => ({
    ...base,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(metadata !== undefined && { metadata }),
  }));

const status = fc
  .tuple(
    fc.constantFrom<TaskState>(
      'submitted',
      'working',
      'input-required',
      'auth-required',
      'completed',
      'failed',
      'canceled',
      'rejected',
    ),
    fc.integer({ min: 0, max: 4e12 }),
    optional(message),
  )
  .map(([state, at, said]) => ({ state, at, ...(said !== undefined && { message: said }) }));

const task: fc.Arbitrary<Task> = fc.record({
  id: word,
  contextId: word,
  status,
  artifacts: fc.array(artifact, { maxLength: 2 }),
  history: fc.array(message, { maxLength: 2 }),
});

const event: fc.Arbitrary<StreamEvent> = fc.oneof(
  fc.record({ kind: fc.constant('task' as const), task }),
  fc.record({ kind: fc.constant('message' as const), message }),
  fc.record({ kind: fc.constant('status' as const), taskId: word, contextId: word, status }),
  fc.record({
    kind: fc.constant('artifact' as const),
    taskId: word,
    contextId: word,
    artifact,
    append: fc.boolean(),
    lastChunk: fc.boolean(),
  }),
);

describe('what is written', () => {
  it('reads back through the codec of the SDK and is equal to what that would have written', () => {
    fc.assert(
      fc.property(event, (told) => {
        const written: unknown = JSON.parse(writeStreamEvent(told));
        expect(StreamResponse.toJSON(StreamResponse.fromJSON(written))).toEqual(written);
      }),
    );
    fc.assert(
      fc.property(task, (told) => {
        const written: unknown = JSON.parse(writeTask(told));
        expect(WireTask.toJSON(WireTask.fromJSON(written))).toEqual(written);
      }),
    );
  });

  it('reads back through our own reader as it was', () => {
    fc.assert(
      fc.property(messageOf(fc.constant('user')), (told) => {
        const read = readEnvelope(`{"message":${writeMessage(told)}}`);
        expect(read.ok && normal(readSendMessage(read).message)).toEqual(normal(told));
      }),
    );
  });

  it('keeps documents and metadata as the texts that they are', () => {
    const exact = '{ "id" : 9007199254740993, "price": 78.0, "tiny": 1.50e-9 }';
    const read = readDocument(exact);
    if (!read.ok) throw new Error(read.reason);
    const json: JsonText = read.json;
    const written = writeMessage({
      messageId: 'm',
      role: 'agent',
      parts: [{ kind: 'data', json, metadata: json }],
      metadata: json,
      extensions: [],
      referenceTaskIds: [],
    });
    expect(written.split(exact)).toHaveLength(4);
  });

  it('has null as data where that is the value', () => {
    const json = jsonText(null);
    expect(
      writeStreamEvent({
        kind: 'message',
        message: {
          messageId: 'm',
          role: 'agent',
          parts: [{ kind: 'data', json }],
          extensions: [],
          referenceTaskIds: [],
        },
      }),
    ).toContain('{"data":null}');
  });
});

describe('a list of tasks', () => {
  it('always has all its fields, and artifacts of every task only where they were asked for', () => {
    const tasks: Task[] = [
      { id: 't', contextId: 'c', status: { state: 'working', at: 0 }, artifacts: [], history: [] },
    ];
    const rest = { nextPageToken: '', pageSize: 50, totalSize: 1 };
    const bare = JSON.parse(writeTaskList({ tasks, ...rest, includeArtifacts: false }));
    expect(bare).toEqual({
      tasks: [
        {
          id: 't',
          contextId: 'c',
          status: { state: 'TASK_STATE_WORKING', timestamp: '1970-01-01T00:00:00.000Z' },
        },
      ],
      ...rest,
    });
    const full = JSON.parse(writeTaskList({ tasks, ...rest, includeArtifacts: true }));
    expect(full.tasks[0].artifacts).toEqual([]);
    expect(ListTasksResponse.fromJSON(full).totalSize).toBe(1);
  });
});

/** Bytes as plain lists, since a Buffer is no Uint8Array to `toEqual`. */
function normal(told: Message): unknown {
  return {
    ...told,
    parts: told.parts.map((one) => (one.kind === 'raw' ? { ...one, bytes: [...one.bytes] } : one)),
  };
}
