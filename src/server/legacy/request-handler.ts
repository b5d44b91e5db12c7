import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  type MessageFns,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import {
  ContentTypeNotSupportedError,
  ExtendedAgentCardNotConfiguredError,
  InvalidAgentResponseError,
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { type FailureCode, KediError } from '../../domain/errors.js';
import { writeStreamEvent } from '../../protocol/a2a-write.js';
import { paramsOf } from '../../protocol/fields.js';
import { findMethod } from '../methods.js';
import type { CallContext, Service } from '../service.js';

/** Our methods as the interface to which the SDK's translators of older versions speak, for one request's context. */
export function createRequestHandler(service: Service, context: CallContext): A2ARequestHandler {
  const unary = async <Request, Result>(
    method: string,
    {
      value,
      request,
      result,
    }: {
      readonly value: Request;
      readonly request: Codec<Request>;
      readonly result: Codec<Result>;
    },
  ): Promise<Result> => {
    try {
      const prepared = findMethod(method)(paramsOf(request.toJSON(value)), service);
      if (prepared.kind !== 'unary') throw new KediError('INTERNAL', `${method} is a stream.`);
      return result.fromJSON(JSON.parse(await prepared.run(context)));
    } catch (error) {
      throw translate(error);
    }
  };

  async function* stream<Request>(method: string, value: Request, request: Codec<Request>) {
    try {
      const prepared = findMethod(method)(paramsOf(request.toJSON(value)), service);
      if (prepared.kind !== 'stream') throw new KediError('INTERNAL', `${method} is no stream.`);
      for await (const events of prepared.open(context)) {
        for (const event of events) yield StreamResponse.fromJSON(JSON.parse(writeStreamEvent(event)));
      }
    } catch (error) {
      throw translate(error);
    }
  }

  const config = TaskPushNotificationConfig;
  return {
    getAgentCard: async () => AgentCard.fromJSON({ capabilities: { streaming: true } }),
    async sendMessage(value) {
      const { payload } = await unary('SendMessage', {
        value,
        request: SendMessageRequest,
        result: SendMessageResponse,
      });
      if (payload === undefined) throw new InvalidAgentResponseError();
      return payload.value;
    },
    sendMessageStream: (value) => stream('SendStreamingMessage', value, SendMessageRequest),
    resubscribe: (value) => stream('SubscribeToTask', value, SubscribeToTaskRequest),
    getTask: (value) => unary('GetTask', { value, request: GetTaskRequest, result: Task }),
    cancelTask: (value) => unary('CancelTask', { value, request: CancelTaskRequest, result: Task }),
    listTasks: (value) => unary('ListTasks', { value, request: ListTasksRequest, result: ListTasksResponse }),
    createTaskPushNotificationConfig: (value) =>
      unary('CreateTaskPushNotificationConfig', { value, request: config, result: config }),
    getTaskPushNotificationConfig: (value) =>
      unary('GetTaskPushNotificationConfig', {
        value,
        request: GetTaskPushNotificationConfigRequest,
        result: config,
      }),
    listTaskPushNotificationConfigs: (value) =>
      unary('ListTaskPushNotificationConfigs', {
        value,
        request: ListTaskPushNotificationConfigsRequest,
        result: ListTaskPushNotificationConfigsResponse,
      }),
    async deleteTaskPushNotificationConfig(value) {
      const request = DeleteTaskPushNotificationConfigRequest;
      await unary('DeleteTaskPushNotificationConfig', { value, request, result: nothing });
    },
    async getAuthenticatedExtendedAgentCard() {
      try {
        return AgentCard.fromJSON(JSON.parse(await service.extendedCard(context)));
      } catch (error) {
        throw translate(error);
      }
    },
  };
}

type Codec<T> = Pick<MessageFns<T>, 'fromJSON' | 'toJSON'>;

const nothing: Codec<object> = { fromJSON: () => ({}), toJSON: () => ({}) };

/** The SDK's translators know its own errors alone. */
function translate(error: unknown): unknown {
  if (!(error instanceof KediError)) return error;
  const known = errors[error.code];
  return known === undefined ? error : new known({ message: error.message, metadata: { ...error.info } });
}

const errors: Readonly<Partial<Record<FailureCode, typeof TaskNotFoundError>>> = {
  INVALID_PARAMS: RequestMalformedError,
  TASK_NOT_FOUND: TaskNotFoundError,
  TASK_NOT_CANCELABLE: TaskNotCancelableError,
  PUSH_NOTIFICATION_NOT_SUPPORTED: PushNotificationNotSupportedError,
  UNSUPPORTED_OPERATION: UnsupportedOperationError,
  CONTENT_TYPE_NOT_SUPPORTED: ContentTypeNotSupportedError,
  INVALID_AGENT_RESPONSE: InvalidAgentResponseError,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: ExtendedAgentCardNotConfiguredError,
};
