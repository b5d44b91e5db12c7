import { v7 as uuid } from 'uuid';
import { KediError } from '../../domain/errors.js';
import type { TaskLog, Webhook, Webhooks } from '../../domain/ports.js';
import { nameOf, type TaskRecord } from '../../domain/task.js';
import { invalidParams } from '../../protocol/fields.js';
import type { ListPushConfigsRequest, PushConfig, PushConfigRequest } from '../../protocol/push-config.js';
import type { CallContext } from '../service.js';
import { taskNotFound } from '../watch.js';
import type { Destinations } from './destination.js';
import type { PushSender } from './sender.js';

/** The operations on push notifications (A2A 1.0, 3.1.7 to 3.1.10), and what a message asks for along with them. */
export interface PushOperations {
  /** Whether this may be told at all, before there is a task to be told of: KediError INVALID_PARAMS. */
  check(config: PushConfig): Promise<void>;
  /** Tells of a task from its entry `told` on. */
  add(record: TaskRecord, config: PushConfig, told: number): Promise<void>;
  create(config: PushConfig & { readonly taskId: string }, context: CallContext): Promise<Webhook>;
  get(request: PushConfigRequest, context: CallContext): Promise<Webhook>;
  list(
    request: ListPushConfigsRequest,
    context: CallContext,
  ): Promise<{ readonly webhooks: readonly Webhook[]; readonly next: string }>;
  remove(request: PushConfigRequest, context: CallContext): Promise<void>;
}

/** How many webhooks one task may have. */
const most = 16;

export function createPushOperations({
  log,
  webhooks,
  sender,
  destinations,
}: {
  readonly log: TaskLog;
  readonly webhooks: Webhooks;
  readonly sender: PushSender;
  readonly destinations: Destinations;
}): PushOperations {
  const find = async (taskId: string, { caller }: CallContext): Promise<TaskRecord> => {
    const record = await log.get({ principal: caller.principal, taskId });
    if (record === undefined) throw taskNotFound(taskId);
    return record;
  };

  const check = async ({ url, token = '', authentication }: PushConfig): Promise<void> => {
    const { scheme = '', credentials = '' } = authentication ?? {};
    for (const [field, header] of [
      ['token', token],
      ['authentication', scheme + credentials],
    ] as const) {
      if (/[^\x20-\x7e]/.test(header)) {
        throw invalidParams([{ field, description: 'must be printable ASCII, since it becomes a header' }]);
      }
    }
    await destinations.check(url);
  };

  const turns = new Map<string, Promise<unknown>>();

  /** One after another for each task, or many at once would all find that there is room for one more. */
  const add = async (record: TaskRecord, config: PushConfig, told: number): Promise<Webhook> => {
    const name = nameOf(record.principal, record.taskId);
    const mine = (turns.get(name) ?? Promise.resolve())
      .catch(() => {})
      .then(() => addNow(record, config, told));
    turns.set(name, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(name) === mine) turns.delete(name);
    }
  };

  const addNow = async (record: TaskRecord, config: PushConfig, told: number): Promise<Webhook> => {
    const { principal, taskId } = record;
    const webhook = { ...config, id: config.id === '' ? uuid() : config.id, principal, taskId, told };
    const others = (await webhooks.list(record)).filter(({ id }) => id !== webhook.id);
    if (others.length >= most) {
      throw invalidParams([
        { field: 'taskId', description: `has ${most} webhooks, the most that a task may have` },
      ]);
    }
    await webhooks.put(webhook);
    sender.start(webhook);
    return webhook;
  };

  return {
    check,
    async add(record, config, told) {
      await add(record, config, told);
    },
    async create(config, context) {
      const record = await find(config.taskId, context);
      await check(config);
      return add(record, config, record.length);
    },
    async get({ taskId, id }, context) {
      const found = (await webhooks.list(await find(taskId, context))).find((webhook) => webhook.id === id);
      if (found === undefined) throw noSuchWebhook(taskId, id);
      return found;
    },
    async list({ taskId, pageSize, pageToken }, context) {
      const all = (await webhooks.list(await find(taskId, context))).filter(({ id }) => id > pageToken);
      const page = all.slice(0, pageSize);
      return { webhooks: page, next: all.length > page.length ? (page.at(-1)?.id ?? '') : '' };
    },
    async remove({ taskId, id }, context) {
      // One that is not there is gone already, and twice is as good as once (3.1.10).
      const record = await find(taskId, context);
      if (await webhooks.remove(record, id)) sender.stop({ ...record, id });
    },
  };
}

/** A2A has no error of its own for it; its task is known, and that is what is not found below it. */
const noSuchWebhook = (taskId: string, id: string): KediError =>
  new KediError('TASK_NOT_FOUND', 'The task has no such push notification configuration.', {
    info: { taskId, id },
  });
