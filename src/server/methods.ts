import { KediError } from '../domain/errors.js';
import { readGetTask, readListTasks, readSendMessage, readTaskId } from '../protocol/a2a-read.js';
import { writeStreamEvent, writeTask, writeTaskList } from '../protocol/a2a-write.js';
import type { Params } from '../protocol/fields.js';
import {
  readCreatePushConfig,
  readListPushConfigs,
  readPushConfigId,
  writePushConfig,
  writePushConfigs,
} from '../protocol/push-config.js';
import type { StreamEvent } from '../protocol/task-fold.js';
import type { PushOperations } from './push/operations.js';
import { type CallContext, pushNotSupported, type Service } from './service.js';

/** A call whose params were read. `named`: extensions that its message names. */
export type Prepared =
  | {
      readonly kind: 'unary';
      readonly named: readonly string[];
      /** Resolves to the JSON of the result. */
      run(context: CallContext): Promise<string>;
    }
  | {
      readonly kind: 'stream';
      readonly named: readonly string[];
      open(context: CallContext): AsyncGenerator<readonly StreamEvent[], void, void>;
    };

type Method = (params: Params | undefined, service: Service) => Prepared;

/** A method of A2A 1.0 by its name in JSON-RPC (9.4); any other: KediError METHOD_NOT_FOUND. */
export function findMethod(name: string): Method {
  const method = methods.get(name);
  if (method !== undefined) return method;
  const hint = name.includes('/') ? ' It looks like one of A2A 0.3; this interface speaks 1.0.' : '';
  throw new KediError('METHOD_NOT_FOUND', `There is no method "${name.slice(0, 64)}".${hint}`);
}

const unary = (
  run: (context: CallContext) => Promise<string>,
  named: readonly string[] = none,
): Prepared => ({
  kind: 'unary',
  named,
  run,
});

const none: readonly string[] = [];

type Run = (context: CallContext) => Promise<string>;

/** A method on push notifications, for a server that sends them. */
const withPush =
  (prepare: (params: Params | undefined, push: PushOperations) => Run): Method =>
  (params, { push }) => {
    if (push === undefined) throw pushNotSupported();
    return unary(prepare(params, push));
  };

const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
  [
    'SendMessage',
    (params, service) => {
      const request = readSendMessage(params);
      return unary(
        async (context) => writeStreamEvent(await service.sendMessage(request, context)),
        request.message.extensions,
      );
    },
  ],
  [
    'SendStreamingMessage',
    (params, service) => {
      const request = readSendMessage(params);
      return {
        kind: 'stream',
        named: request.message.extensions,
        open: (context) => service.streamMessage(request, context),
      };
    },
  ],
  [
    'GetTask',
    (params, service) => {
      const request = readGetTask(params);
      return unary(async (context) => writeTask(await service.getTask(request, context)));
    },
  ],
  [
    'ListTasks',
    (params, service) => {
      const request = readListTasks(params);
      const { includeArtifacts } = request;
      return unary(async (context) =>
        writeTaskList({ ...(await service.listTasks(request, context)), includeArtifacts }),
      );
    },
  ],
  [
    'CancelTask',
    (params, service) => {
      const request = readTaskId(params);
      return unary(async (context) => writeTask(await service.cancelTask(request, context)));
    },
  ],
  [
    'SubscribeToTask',
    (params, service) => {
      const request = readTaskId(params);
      return { kind: 'stream', named: none, open: (context) => service.subscribe(request, context) };
    },
  ],
  [
    'CreateTaskPushNotificationConfig',
    withPush((params, push) => {
      const request = readCreatePushConfig(params);
      return async (context) => writePushConfig(await push.create(request, context));
    }),
  ],
  [
    'GetTaskPushNotificationConfig',
    withPush((params, push) => {
      const request = readPushConfigId(params);
      return async (context) => writePushConfig(await push.get(request, context));
    }),
  ],
  [
    'ListTaskPushNotificationConfigs',
    withPush((params, push) => {
      const request = readListPushConfigs(params);
      return async (context) => {
        const { webhooks, next } = await push.list(request, context);
        return writePushConfigs(webhooks, next);
      };
    }),
  ],
  [
    'DeleteTaskPushNotificationConfig',
    withPush((params, push) => {
      const request = readPushConfigId(params);
      return async (context) => {
        await push.remove(request, context);
        return '{}';
      };
    }),
  ],
  ['GetExtendedAgentCard', (_, service) => unary((context) => service.extendedCard(context))],
]);
