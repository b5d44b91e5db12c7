// Our own reading in place of the SDK's `fromJSON`: that one takes parsed values, so numbers in data and metadata have
// lost their digits before it sees them, it drops a data part of `null`, and it turns what is wrong into defaults.
import { Role, roleFromJSON } from '@a2a-js/sdk';
import type { JsonText } from '../domain/json.js';
import type { Message, Part } from '../domain/message.js';
import type { TaskState } from '../domain/task.js';
import type { Span } from '../schema/document.js';
import { readState } from './a2a-states.js';
import {
  bytes,
  document,
  type Fields,
  field,
  flag,
  integer,
  isWithin,
  list,
  object,
  type Params,
  present,
  readFields,
  refuse,
  requiredText,
  struct,
  text,
  texts,
  timestamp,
  within,
} from './fields.js';
import { type PushConfig, readPushConfig } from './push-config.js';

/** Params of SendMessage and SendStreamingMessage (A2A 1.0, 3.2.1), its configuration (3.2.2) opened up. */
export interface SendMessageRequest {
  readonly message: Message;
  readonly acceptedOutputModes: readonly string[];
  readonly historyLength: number | undefined;
  readonly returnImmediately: boolean;
  readonly pushNotificationConfig: PushConfig | undefined;
  readonly metadata: JsonText | undefined;
  /** Metadata that is not to be read exactly, and asks for a typed answer: its task fails, and nothing keeps it. */
  readonly flawedMetadata: string | undefined;
}

/** Params of GetTask (3.1.3). */
export interface GetTaskRequest {
  readonly id: string;
  readonly historyLength: number | undefined;
}

/** Params of ListTasks (3.1.4); `updatedSince` is `statusTimestampAfter` in milliseconds since the epoch. */
export interface ListTasksRequest {
  readonly contextId: string | undefined;
  readonly state: TaskState | undefined;
  readonly pageSize: number;
  readonly pageToken: string | undefined;
  readonly historyLength: number | undefined;
  readonly updatedSince: number | undefined;
  readonly includeArtifacts: boolean;
}

/** Params of CancelTask (3.1.5) and SubscribeToTask (3.1.6). */
export interface TaskIdRequest {
  readonly id: string;
}

/** Every reader takes the params in the request's text; what is wrong with them is one KediError INVALID_PARAMS. */
export function readSendMessage(params: Params | undefined): SendMessageRequest {
  return readFields(params, (request) => {
    const message = object(request, 'message');
    if (message === undefined && request.wrong.length === 0) refuse(request, 'message', 'is required');
    const configuration = object(request, 'configuration');
    const push = configuration && object(configuration, 'taskPushNotificationConfig');
    return {
      message: message === undefined ? noMessage : readMessage(message),
      acceptedOutputModes: configuration === undefined ? [] : texts(configuration, 'acceptedOutputModes'),
      historyLength: configuration && readHistoryLength(configuration),
      returnImmediately: configuration !== undefined && flag(configuration, 'returnImmediately'),
      pushNotificationConfig: push && readPushConfig(push),
      ...readMetadata(request),
    };
  });
}

/** What a typed request gets wrong fails its task; of all others it is an error of the request. */
function readMetadata(request: Fields): Pick<SendMessageRequest, 'metadata' | 'flawedMetadata'> {
  const span = present(request, 'metadata');
  const flaw = span && request.flaws.find(({ offset }) => isWithin(span, offset));
  if (flaw !== undefined && span?.members.has('kediStructuredOutput') === true) {
    return { metadata: undefined, flawedMetadata: flaw.reason };
  }
  return { metadata: struct(request, 'metadata'), flawedMetadata: undefined };
}

export function readGetTask(params: Params | undefined): GetTaskRequest {
  return readFields(params, (request) => ({
    id: requiredText(request, 'id'),
    historyLength: readHistoryLength(request),
  }));
}

export function readListTasks(params: Params | undefined): ListTasksRequest {
  return readFields(params, (request) => ({
    contextId: text(request, 'contextId') || undefined,
    state: readStatus(request),
    pageSize: integer(request, { name: 'pageSize', from: 1, to: 100 }) ?? 50,
    pageToken: text(request, 'pageToken') || undefined,
    historyLength: readHistoryLength(request),
    updatedSince: timestamp(request, 'statusTimestampAfter'),
    includeArtifacts: flag(request, 'includeArtifacts'),
  }));
}

export function readTaskId(params: Params | undefined): TaskIdRequest {
  return readFields(params, (request) => ({ id: requiredText(request, 'id') }));
}

const readHistoryLength = (fields: Fields) => integer(fields, { name: 'historyLength', from: 0 });

const noMessage: Message = { messageId: '', role: 'user', parts: [], extensions: [], referenceTaskIds: [] };

function readMessage(fields: Fields): Message {
  const wrong = fields.wrong.length;
  const parts = list(fields, 'parts');
  if (parts.length === 0 && fields.wrong.length === wrong) {
    refuse(fields, 'parts', 'is required and must hold at least one part');
  }
  const contextId = text(fields, 'contextId');
  if (contextId !== '' && !contextIdForm.test(contextId)) {
    refuse(fields, 'contextId', 'must be 1 to 128 letters, digits, ".", "_" or "-"');
  }
  const taskId = text(fields, 'taskId');
  const metadata = struct(fields, 'metadata');
  return {
    messageId: requiredText(fields, 'messageId'),
    role: readRole(fields),
    parts: parts.map((part, index) => readPart(within(fields, `parts[${index}]`, part))),
    ...(contextId !== '' && { contextId }),
    ...(taskId !== '' && { taskId }),
    ...(metadata !== undefined && { metadata }),
    extensions: texts(fields, 'extensions'),
    referenceTaskIds: texts(fields, 'referenceTaskIds'),
  };
}

const contextIdForm = /^[A-Za-z0-9._-]{1,128}$/;

function readRole(fields: Fields): 'user' {
  const span = present(fields, 'role');
  if (span === undefined) refuse(fields, 'role', 'is required');
  else if (roleFromJSON(nameOrNumber(span)) !== Role.ROLE_USER) {
    refuse(fields, 'role', 'must be ROLE_USER in a message to an agent');
  }
  return 'user';
}

export function readPart(fields: Fields | undefined): Part {
  const content = fields && readContent(fields);
  if (fields === undefined || content === undefined) return { kind: 'text', text: '' };
  const filename = text(fields, 'filename');
  const mediaType = text(fields, 'mediaType');
  const metadata = struct(fields, 'metadata');
  return {
    ...content,
    ...(mediaType !== '' && { mediaType }),
    ...(filename !== '' && { filename }),
    ...(metadata !== undefined && { metadata }),
  };
}

/** The one content of a part. `null` is a value as `data`, unless another content stands beside it. */
function readContent(fields: Fields): Part | undefined {
  const given = contents.filter((name) => present(fields, name) !== undefined);
  const data = field(fields, 'data');
  if (given.length === 0 && data !== undefined) return { kind: 'data', json: document(fields, 'data', data) };
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    fields.wrong.push({
      field: fields.path,
      description: 'must have exactly one of text, raw, url and data',
    });
    return undefined;
  }
  switch (kind) {
    case 'text':
      return { kind, text: text(fields, kind) };
    case 'raw':
      return { kind, bytes: bytes(fields, kind) };
    case 'url':
      return { kind, url: requiredText(fields, kind) };
    case 'data':
      return data && { kind, json: document(fields, kind, data) };
  }
}

const contents = ['text', 'raw', 'url', 'data'] as const;

function readStatus(fields: Fields): TaskState | undefined {
  const span = present(fields, 'status');
  const written = span && nameOrNumber(span);
  if (span === undefined || written === 0 || written === 'TASK_STATE_UNSPECIFIED') return undefined;
  return (
    readState(written) ??
    refuse(fields, 'status', 'must be a state of a task, such as TASK_STATE_WORKING or TASK_STATE_COMPLETED')
  );
}

/** An enum's value as ProtoJSON may have it. */
const nameOrNumber = (span: Span): string | number | undefined =>
  span.kind === 'number' ? Number(span.json) : span.string;
