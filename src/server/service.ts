import { v7 as uuid } from 'uuid';
import { KediError } from '../domain/errors.js';
import type { Message, Part } from '../domain/message.js';
import type { TaskLog } from '../domain/ports.js';
import type { SchemaJudge } from '../domain/schema.js';
import { isInterrupted, isTerminal, type TaskRecord } from '../domain/task.js';
import type { Engine } from '../engine/index.js';
import type {
  GetTaskRequest,
  ListTasksRequest,
  SendMessageRequest,
  TaskIdRequest,
} from '../protocol/a2a-read.js';
import { invalidParams } from '../protocol/fields.js';
import type { StreamEvent, Task } from '../protocol/task-fold.js';
import type { Caller } from './caller.js';
import type { Cards } from './cards.js';
import { listTasks, type TaskList } from './list-tasks.js';
import type { Offering } from './offering.js';
import { readFollowUp, readOrder } from './order.js';
import type { PushOperations } from './push/operations.js';
import { awaitTask, limitHistory, readTask, streamTask, taskNotFound } from './watch.js';

/** What comes with a request beside its params, whatever the binding. */
export interface CallContext {
  readonly caller: Caller;
  /** URIs in the service parameter `A2A-Extensions` (A2A 1.0, 3.2.6). */
  readonly extensions: readonly string[];
  /** The `Host` under which the server was reached, for a card without a public URL. */
  readonly host: string | undefined;
  /** Aborts when the client has gone: what it waits for is given up, and its task goes on. Made for those that wait. */
  gone(): AbortSignal;
}

/** The answer to a message: a task, or the agent's direct message (A2A 1.0, 3.1.1). */
export type Answer = Extract<StreamEvent, { readonly kind: 'task' | 'message' }>;

/** What became of a message: a direct answer, or a task that an agent works on. */
type Sent =
  | Extract<Answer, { readonly kind: 'message' }>
  | { readonly kind: 'handed'; readonly record: TaskRecord; readonly since: number };

type Stream = AsyncGenerator<readonly StreamEvent[], void, void>;

/**
 * The operations of A2A 1.0 (3.1), the same for every binding. What a request gets wrong is a KediError under the name
 * of the A2A error. A stream's errors before its first event come from its first `next()`.
 */
export interface Service {
  sendMessage(request: SendMessageRequest, context: CallContext): Promise<Answer>;
  streamMessage(request: SendMessageRequest, context: CallContext): Stream;
  getTask(request: GetTaskRequest, context: CallContext): Promise<Task>;
  listTasks(request: ListTasksRequest, context: CallContext): Promise<TaskList>;
  cancelTask(request: TaskIdRequest, context: CallContext): Promise<Task>;
  subscribe(request: TaskIdRequest, context: CallContext): Stream;
  /** Undefined: this server sends no push notifications, and its card says so. */
  readonly push: PushOperations | undefined;
  /** The card for clients with credentials, as ProtoJSON. */
  extendedCard(context: CallContext): Promise<string>;
}

export function createService({
  engine,
  log,
  judge,
  offering,
  push,
  extendedCard,
}: {
  readonly engine: Engine;
  readonly log: TaskLog;
  readonly judge: SchemaJudge;
  readonly offering: Pick<Offering, 'inputModes' | 'structured'>;
  readonly push: PushOperations | undefined;
  readonly extendedCard: Cards['extended'];
}): Service {
  const find = async (taskId: string, { caller }: CallContext): Promise<TaskRecord> => {
    const record = await log.get({ principal: caller.principal, taskId });
    if (record === undefined) throw taskNotFound(taskId);
    return record;
  };

  /** Hands the message to the agent. `since`: how long the task's log was before. */
  async function send(request: SendMessageRequest, context: CallContext): Promise<Sent> {
    const { pushNotificationConfig: config } = request;
    if (config === undefined) return handOver(request, context);
    if (push === undefined) throw pushNotSupported();
    await push.check(config);
    const sent = await handOver(request, context);
    if (sent.kind === 'handed') await push.add(sent.record, config, sent.since);
    return sent;
  }

  async function handOver(request: SendMessageRequest, context: CallContext): Promise<Sent> {
    const { taskId } = request.message;
    if (taskId !== undefined) return goOn(await find(taskId, context), request, context);
    const contextId = request.message.contextId ?? uuid();
    const order = await readOrder(request, { context, contextId, judge, offering });
    const typed = order.structured !== undefined || order.refusal !== undefined;
    const parts = typed || engine.reply === undefined ? undefined : await engine.reply(order);
    if (parts !== undefined) return { kind: 'message', message: reply(parts, contextId) };
    return { kind: 'handed', record: await engine.submit(order), since: 0 };
  }

  async function goOn(record: TaskRecord, request: SendMessageRequest, context: CallContext): Promise<Sent> {
    const { contextId, state } = record;
    if ((request.message.contextId ?? contextId) !== contextId) {
      throw invalidParams([{ field: 'message.contextId', description: 'is not the context of the task' }]);
    }
    if (!isInterrupted(state)) {
      const sentence = isTerminal(state)
        ? 'The task has ended, so it takes no more messages; send one without taskId to begin another.'
        : 'The task is being worked on, and takes a message only when it asks for one.';
      throw new KediError('UNSUPPORTED_OPERATION', sentence, { info: { taskId: record.taskId } });
    }
    const opening = await log.opening(record);
    const asked = opening?.type === 'message' ? opening.structured : undefined;
    const order = readFollowUp(request, { context, contextId, asked, offering });
    return { kind: 'handed', record: await engine.answer(record, order), since: record.length };
  }

  return {
    push,

    async sendMessage(request, context) {
      const sent = await send(request, context);
      if (sent.kind === 'message') return sent;
      const task = request.returnImmediately
        ? await readTask(log, sent.record)
        : await awaitTask(log, sent.record, context.gone());
      return { kind: 'task', task: limitHistory(task, request.historyLength) };
    },

    async *streamMessage(request, context) {
      const sent = await send(request, context);
      if (sent.kind === 'message') yield [sent];
      else {
        const { historyLength } = request;
        yield* streamTask(log, sent.record, { since: sent.since, historyLength, signal: context.gone() });
      }
    },

    async getTask({ id, historyLength }, context) {
      return limitHistory(await readTask(log, await find(id, context)), historyLength);
    },

    listTasks: (request, { caller }) => listTasks(log, { request, principal: caller.principal }),

    async cancelTask({ id }, context) {
      const record = await find(id, context);
      if (isTerminal(record.state)) throw notCancelable(id);
      await engine.cancel(record);
      const task = await readTask(log, await find(id, context));
      if (task.status.state !== 'canceled') throw notCancelable(id);
      return task;
    },

    async *subscribe({ id }, context) {
      const record = await find(id, context);
      if (isTerminal(record.state)) {
        const sentence = 'The task has ended, so there is nothing to wait for; GetTask has all of it.';
        throw new KediError('UNSUPPORTED_OPERATION', sentence, { info: { taskId: id } });
      }
      const signal = context.gone();
      yield* streamTask(log, record, { since: undefined, historyLength: undefined, signal });
    },

    async extendedCard({ host }) {
      if (extendedCard === undefined) throw noExtendedCard();
      return extendedCard(host);
    },
  };
}

/** The error of every operation on push notifications where the card declares none (3.3.4). */
export const pushNotSupported = (): KediError =>
  new KediError(
    'PUSH_NOTIFICATION_NOT_SUPPORTED',
    'This agent sends no push notifications; its card says so. Poll with GetTask, or stream.',
  );

/** The error of GetExtendedAgentCard where the card declares none (3.3.4). */
const noExtendedCard = (): KediError =>
  new KediError('UNSUPPORTED_OPERATION', 'This agent has no extended card; its public one says all.');

const reply = (parts: readonly Part[], contextId: string): Message => ({
  messageId: uuid(),
  role: 'agent',
  parts,
  contextId,
  extensions: [],
  referenceTaskIds: [],
});

const notCancelable = (taskId: string): KediError =>
  new KediError('TASK_NOT_CANCELABLE', 'The task has ended, so it cannot be canceled.', { info: { taskId } });
