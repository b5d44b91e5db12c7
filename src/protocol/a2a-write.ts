// Our own writing in place of the SDK's `toJSON`: documents and metadata are spliced in as the text that they are, so
// no digit changes and nothing is parsed to be printed again; and it is the hot path, where one string is built
// instead of an object first. The tests hold it equal to the SDK's codecs.
import type { Artifact, Message, Part } from '../domain/message.js';
import { stateNames } from './a2a-states.js';
import type { StreamEvent, Task, TaskStatus } from './task-fold.js';

/**
 * ProtoJSON of a Task (A2A 1.0, 4.1.1). An empty list is left out; `artifacts: 'always'` writes it, as ListTasks asks
 * for (3.1.4).
 */
export function writeTask(task: Task, { artifacts }: { readonly artifacts?: 'always' } = {}): string {
  let json = `{"id":${quote(task.id)},"contextId":${quote(task.contextId)},"status":${writeStatus(task.status)}`;
  if (task.artifacts.length > 0 || artifacts === 'always') {
    json += `,"artifacts":${writeList(task.artifacts, writeArtifact)}`;
  }
  if (task.history.length > 0) json += `,"history":${writeList(task.history, writeMessage)}`;
  return `${json}}`;
}

/** ProtoJSON of a Message (4.1.4). */
export function writeMessage(message: Message): string {
  let json = `{"messageId":${quote(message.messageId)}`;
  if (message.contextId !== undefined) json += `,"contextId":${quote(message.contextId)}`;
  if (message.taskId !== undefined) json += `,"taskId":${quote(message.taskId)}`;
  json += `,"role":${message.role === 'user' ? '"ROLE_USER"' : '"ROLE_AGENT"'}`;
  if (message.parts.length > 0) json += `,"parts":${writeList(message.parts, writePart)}`;
  if (message.metadata !== undefined) json += `,"metadata":${message.metadata}`;
  if (message.extensions.length > 0) json += `,"extensions":${JSON.stringify(message.extensions)}`;
  if (message.referenceTaskIds.length > 0) {
    json += `,"referenceTaskIds":${JSON.stringify(message.referenceTaskIds)}`;
  }
  return `${json}}`;
}

/** ProtoJSON of an Artifact (4.1.7). */
export function writeArtifact(artifact: Artifact): string {
  let json = `{"artifactId":${quote(artifact.artifactId)}`;
  if (artifact.name !== undefined) json += `,"name":${quote(artifact.name)}`;
  if (artifact.description !== undefined) json += `,"description":${quote(artifact.description)}`;
  if (artifact.parts.length > 0) json += `,"parts":${writeList(artifact.parts, writePart)}`;
  if (artifact.metadata !== undefined) json += `,"metadata":${artifact.metadata}`;
  if (artifact.extensions.length > 0) json += `,"extensions":${JSON.stringify(artifact.extensions)}`;
  return `${json}}`;
}

/** ProtoJSON of a StreamResponse (3.2.3), which SendMessageResponse is a part of. */
export function writeStreamEvent(event: StreamEvent): string {
  switch (event.kind) {
    case 'task':
      return `{"task":${writeTask(event.task)}}`;
    case 'message':
      return `{"message":${writeMessage(event.message)}}`;
    case 'status':
      return `{"statusUpdate":{"taskId":${quote(event.taskId)},"contextId":${quote(event.contextId)},"status":${writeStatus(event.status)}}}`;
    case 'artifact': {
      const append = event.append ? ',"append":true' : '';
      const lastChunk = event.lastChunk ? ',"lastChunk":true' : '';
      return `{"artifactUpdate":{"taskId":${quote(event.taskId)},"contextId":${quote(event.contextId)},"artifact":${writeArtifact(event.artifact)}${append}${lastChunk}}}`;
    }
  }
}

/** ProtoJSON of a ListTasksResponse (3.1.4), in which every field is always present. */
export function writeTaskList({
  tasks,
  nextPageToken,
  pageSize,
  totalSize,
  includeArtifacts,
}: {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly pageSize: number;
  readonly totalSize: number;
  readonly includeArtifacts: boolean;
}): string {
  const list = writeList(tasks, (task) => writeTask(task, includeArtifacts ? { artifacts: 'always' } : {}));
  return `{"tasks":${list},"nextPageToken":${quote(nextPageToken)},"pageSize":${pageSize},"totalSize":${totalSize}}`;
}

function writeStatus(status: TaskStatus): string {
  const message = status.message === undefined ? '' : `,"message":${writeMessage(status.message)}`;
  return `{"state":"${stateNames[status.state]}"${message},"timestamp":"${new Date(status.at).toISOString()}"}`;
}

function writePart(part: Part): string {
  let json = writeContent(part);
  if (part.metadata !== undefined) json += `,"metadata":${part.metadata}`;
  if (part.filename !== undefined) json += `,"filename":${quote(part.filename)}`;
  if (part.mediaType !== undefined) json += `,"mediaType":${quote(part.mediaType)}`;
  return `${json}}`;
}

function writeContent(part: Part): string {
  switch (part.kind) {
    case 'text':
      return `{"text":${quote(part.text)}`;
    case 'raw': {
      const { buffer, byteOffset, byteLength } = part.bytes;
      return `{"raw":"${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}"`;
    }
    case 'url':
      return `{"url":${quote(part.url)}`;
    case 'data':
      return `{"data":${part.json}`;
  }
}

function writeList<T>(items: readonly T[], write: (item: T) => string): string {
  let json = '';
  for (const item of items) json += json === '' ? write(item) : `,${write(item)}`;
  return `[${json}]`;
}

const quote = (text: string): string => JSON.stringify(text);
