import { KediError } from '../domain/errors.js';
import type { Artifact, Message } from '../domain/message.js';
import { readPart } from '../protocol/a2a-read.js';
import { readState } from '../protocol/a2a-states.js';
import {
  type Fields,
  flag,
  list,
  object,
  present,
  readFields,
  refuse,
  requiredText,
  struct,
  text,
  texts,
  timestamp,
  within,
} from '../protocol/fields.js';
import type { StreamEvent, Task, TaskStatus } from '../protocol/task-fold.js';
import type { Span } from '../schema/document.js';

/**
 * What a peer tells: a `StreamResponse` (A2A 1.0, 3.2.3), of which a `SendMessageResponse` is a part; undefined for a
 * kind of event that later versions may add. Malformed: KediError INVALID_AGENT_RESPONSE, with the fields.
 */
export const readStreamEvent = (span: Span): StreamEvent | undefined =>
  readAnswerFields(span, (fields): StreamEvent | undefined => {
    const task = object(fields, 'task');
    if (task !== undefined) return { kind: 'task', task: taskOf(task) };
    const message = object(fields, 'message');
    if (message !== undefined) return { kind: 'message', message: messageOf(message) };
    const status = object(fields, 'statusUpdate');
    if (status !== undefined) return { kind: 'status', ...placeOf(status), status: statusOf(status) };
    const update = object(fields, 'artifactUpdate');
    if (update === undefined) return undefined;
    const artifact = object(update, 'artifact');
    return {
      kind: 'artifact',
      ...placeOf(update),
      artifact: artifactOf(artifact ?? missing(update, 'artifact')),
      append: flag(update, 'append'),
      lastChunk: flag(update, 'lastChunk'),
    };
  });

/** A `Task` (4.1.1). */
export const readTask = (span: Span): Task => readAnswerFields(span, taskOf);

function readAnswerFields<T>(span: Span, read: (fields: Fields) => T): T {
  try {
    return readFields({ span, flaws: [] }, read);
  } catch (error) {
    if (!(error instanceof KediError) || error.code !== 'INVALID_PARAMS') throw error;
    throw new KediError('INVALID_AGENT_RESPONSE', `The peer's answer is malformed: ${error.message}`, {
      fields: error.fields,
      cause: error,
    });
  }
}

const taskOf = (fields: Fields): Task => ({
  id: requiredText(fields, 'id'),
  contextId: text(fields, 'contextId'),
  status: statusOf(fields),
  artifacts: objects(fields, 'artifacts').map(artifactOf),
  history: objects(fields, 'history').map(messageOf),
});

const placeOf = (fields: Fields) => ({
  taskId: requiredText(fields, 'taskId'),
  contextId: text(fields, 'contextId'),
});

/** The `status` of a task or of an update of one. */
function statusOf(fields: Fields): TaskStatus {
  const status = object(fields, 'status') ?? missing(fields, 'status');
  const span = present(status, 'state');
  const state = readState(span?.kind === 'number' ? Number(span.json) : span?.string);
  if (state === undefined) refuse(status, 'state', 'must be a state of a task');
  const message = object(status, 'message');
  return {
    // Where it is refused, no one sees this value.
    state: state ?? 'failed',
    at: timestamp(status, 'timestamp') ?? 0,
    ...(message !== undefined && { message: messageOf(message) }),
  };
}

function messageOf(fields: Fields): Message {
  const contextId = text(fields, 'contextId');
  const taskId = text(fields, 'taskId');
  const metadata = struct(fields, 'metadata');
  return {
    messageId: text(fields, 'messageId'),
    role: present(fields, 'role')?.string === 'ROLE_USER' ? 'user' : 'agent',
    parts: objects(fields, 'parts').map(readPart),
    ...(contextId !== '' && { contextId }),
    ...(taskId !== '' && { taskId }),
    ...(metadata !== undefined && { metadata }),
    extensions: texts(fields, 'extensions'),
    referenceTaskIds: texts(fields, 'referenceTaskIds'),
  };
}

function artifactOf(fields: Fields): Artifact {
  const name = text(fields, 'name');
  const description = text(fields, 'description');
  const metadata = struct(fields, 'metadata');
  return {
    artifactId: requiredText(fields, 'artifactId'),
    ...(name !== '' && { name }),
    ...(description !== '' && { description }),
    parts: objects(fields, 'parts').map(readPart),
    ...(metadata !== undefined && { metadata }),
    extensions: texts(fields, 'extensions'),
  };
}

const objects = (fields: Fields, name: string): readonly Fields[] =>
  list(fields, name).flatMap((span, index) => within(fields, `${name}[${index}]`, span) ?? []);

/** Notes that an object is missing, and gives an empty one whose own missing fields are nobody's news. */
function missing(fields: Fields, name: string): Fields {
  refuse(fields, name, 'is required');
  return { ...fields, span: { ...fields.span, members: new Map() }, path: name, wrong: [] };
}
