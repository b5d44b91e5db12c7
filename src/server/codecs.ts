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
  type MessageFns,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';

/** A type of the SDK's to ProtoJSON and back. */
export type Codec<T> = Pick<MessageFns<T>, 'fromJSON' | 'toJSON'>;

/** What a method takes and gives; of a stream the result is one event. */
export interface MethodCodecs<Request, Result> {
  readonly request: Codec<Request>;
  readonly result: Codec<Result>;
}

/** `google.protobuf.Empty`. */
const empty: Codec<object> = { fromJSON: () => ({}), toJSON: () => ({}) };

const of = <Request, Result>(
  request: Codec<Request>,
  result: Codec<Result>,
): MethodCodecs<Request, Result> => ({ request, result });

/** Every method of A2A, for bindings that speak in the SDK's types. */
interface Codecs {
  readonly SendMessage: MethodCodecs<SendMessageRequest, SendMessageResponse>;
  readonly SendStreamingMessage: MethodCodecs<SendMessageRequest, StreamResponse>;
  readonly GetTask: MethodCodecs<GetTaskRequest, Task>;
  readonly ListTasks: MethodCodecs<ListTasksRequest, ListTasksResponse>;
  readonly CancelTask: MethodCodecs<CancelTaskRequest, Task>;
  readonly SubscribeToTask: MethodCodecs<SubscribeToTaskRequest, StreamResponse>;
  readonly CreateTaskPushNotificationConfig: MethodCodecs<
    TaskPushNotificationConfig,
    TaskPushNotificationConfig
  >;
  readonly GetTaskPushNotificationConfig: MethodCodecs<
    GetTaskPushNotificationConfigRequest,
    TaskPushNotificationConfig
  >;
  readonly ListTaskPushNotificationConfigs: MethodCodecs<
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse
  >;
  readonly DeleteTaskPushNotificationConfig: MethodCodecs<DeleteTaskPushNotificationConfigRequest, object>;
  readonly GetExtendedAgentCard: MethodCodecs<GetExtendedAgentCardRequest, AgentCard>;
}

/** The codecs of each method by its name. */
export const codecs: Codecs = {
  SendMessage: of(SendMessageRequest, SendMessageResponse),
  SendStreamingMessage: of(SendMessageRequest, StreamResponse),
  GetTask: of(GetTaskRequest, Task),
  ListTasks: of(ListTasksRequest, ListTasksResponse),
  CancelTask: of(CancelTaskRequest, Task),
  SubscribeToTask: of(SubscribeToTaskRequest, StreamResponse),
  CreateTaskPushNotificationConfig: of(TaskPushNotificationConfig, TaskPushNotificationConfig),
  GetTaskPushNotificationConfig: of(GetTaskPushNotificationConfigRequest, TaskPushNotificationConfig),
  ListTaskPushNotificationConfigs: of(
    ListTaskPushNotificationConfigsRequest,
    ListTaskPushNotificationConfigsResponse,
  ),
  DeleteTaskPushNotificationConfig: of(DeleteTaskPushNotificationConfigRequest, empty),
  GetExtendedAgentCard: of(GetExtendedAgentCardRequest, AgentCard),
};
