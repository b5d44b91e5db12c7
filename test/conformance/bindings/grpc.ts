import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  Client,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { Json } from '../../support/a2a-host.js';
import {
  type Answer,
  type Binding,
  type CallOptions,
  headersOf,
  Refused,
  type WireError,
} from './binding.js';

/** gRPC (clause 10), with the messages of the official proto; `address` is the interface's URL, host and port. */
export function grpcBinding(address: string): Binding {
  const client = new Client(address, credentials.createInsecure());
  return {
    name: 'gRPC',
    call: (method, params, options = {}) =>
      new Promise<Answer>((resolve, reject) => {
        const { path, encode, decode } = wireOf(method);
        const call = client.makeUnaryRequest(
          path,
          encode,
          decode,
          params,
          metadataOf(options),
          (error, value) => {
            if (error === null) resolve({ ok: true, result: value ?? {} });
            else if (error.code === status.CANCELLED) reject(error);
            else resolve({ ok: false, error: errorOf(error) });
          },
        );
        options.signal?.addEventListener('abort', () => call.cancel());
      }),
    async *stream(method, params, options = {}) {
      const { path, encode, decode } = wireOf(method);
      const call = client.makeServerStreamRequest(path, encode, decode, params, metadataOf(options));
      options.signal?.addEventListener('abort', () => call.cancel());
      try {
        for await (const event of call) yield event;
      } catch (error) {
        if (isServiceError(error)) throw new Refused(errorOf(error));
        throw error;
      } finally {
        call.cancel();
      }
    },
    close: () => client.close(),
  };
}

const metadataOf = (options: CallOptions): Metadata => {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headersOf(options))) metadata.set(name, value);
  return metadata;
};

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'code' in error && 'metadata' in error;

function errorOf({ code, details, metadata }: ServiceError): WireError {
  const [encoded] = metadata.get(GRPC_STATUS_DETAILS_BIN);
  const info = Buffer.isBuffer(encoded)
    ? decodeStatus(encoded).details.find(({ typeUrl }) => typeUrl.endsWith('/google.rpc.ErrorInfo'))
    : undefined;
  const about = info && decodeErrorInfo(Buffer.from(info.value));
  return { code: status[code] ?? code, message: details, reason: about?.reason, domain: about?.domain };
}

interface WireMethod {
  readonly path: string;
  readonly encode: (params: object) => Buffer;
  readonly decode: (bytes: Buffer) => Json;
}

/** One method of the service with its codecs, and params and results of it in ProtoJSON. */
function wireOf(method: string): WireMethod {
  const build = <I, O>(
    wire: MethodDefinition<I, O>,
    request: Reader<I>,
    response: Writer<O>,
  ): WireMethod => ({
    path: wire.path,
    encode: (params) => wire.requestSerialize(request.fromJSON(params)),
    decode: (bytes) => response.toJSON(wire.responseDeserialize(bytes)),
  });
  switch (method) {
    case 'SendMessage':
      return build(A2AService.sendMessage, SendMessageRequest, SendMessageResponse);
    case 'SendStreamingMessage':
      return build(A2AService.sendStreamingMessage, SendMessageRequest, StreamResponse);
    case 'GetTask':
      return build(A2AService.getTask, GetTaskRequest, Task);
    case 'ListTasks':
      return build(A2AService.listTasks, ListTasksRequest, ListTasksResponse);
    case 'CancelTask':
      return build(A2AService.cancelTask, CancelTaskRequest, Task);
    case 'SubscribeToTask':
      return build(A2AService.subscribeToTask, SubscribeToTaskRequest, StreamResponse);
    case 'CreateTaskPushNotificationConfig':
      return build(
        A2AService.createTaskPushNotificationConfig,
        TaskPushNotificationConfig,
        TaskPushNotificationConfig,
      );
    case 'GetTaskPushNotificationConfig':
      return build(
        A2AService.getTaskPushNotificationConfig,
        GetTaskPushNotificationConfigRequest,
        TaskPushNotificationConfig,
      );
    case 'ListTaskPushNotificationConfigs':
      return build(
        A2AService.listTaskPushNotificationConfigs,
        ListTaskPushNotificationConfigsRequest,
        ListTaskPushNotificationConfigsResponse,
      );
    case 'DeleteTaskPushNotificationConfig':
      return build(
        A2AService.deleteTaskPushNotificationConfig,
        DeleteTaskPushNotificationConfigRequest,
        empty,
      );
    case 'GetExtendedAgentCard':
      return build(A2AService.getExtendedAgentCard, GetExtendedAgentCardRequest, AgentCard);
    default:
      throw new Error(`${method} is no operation of A2A.`);
  }
}

interface Reader<T> {
  fromJSON(json: unknown): T;
}

interface Writer<T> {
  toJSON(message: T): unknown;
}

/** `google.protobuf.Empty`. */
const empty = { toJSON: () => ({}) };
