import { setTimeout as sleep } from 'node:timers/promises';
import { follow } from '../../domain/follow.js';
import type { Logger, TaskLog, Webhook, Webhooks } from '../../domain/ports.js';
import { nameOf } from '../../domain/task.js';
import { writeStreamEvent } from '../../protocol/a2a-write.js';
import { foldTask, type StreamEvent } from '../../protocol/task-fold.js';
import type { Destinations } from './destination.js';
import { joinChunks } from './join-chunks.js';
import { postNotification } from './post.js';

/** Tells webhooks of their tasks, at least once and in order, until the task has ended or the webhook has given up. */
export interface PushSender {
  /** From where it was told on; one of the same task and id is no longer told. */
  start(webhook: Webhook): void;
  stop(webhook: Pick<Webhook, 'principal' | 'taskId' | 'id'>): void;
  /** Goes on with all that a server before this one has left. */
  resume(): Promise<void>;
  /** Gives up what waits; the store knows what was not told. */
  close(): Promise<void>;
}

interface Parts {
  readonly log: TaskLog;
  readonly webhooks: Webhooks;
  readonly destinations: Destinations;
  readonly logger: Logger;
  /** Before the second try; it doubles with every further one, up to `longestMs`. */
  readonly firstWaitMs?: number;
}

const tries = 8;
const longestMs = 5 * 60 * 1_000;

export function createPushSender(parts: Parts): PushSender {
  const running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();

  const start = (webhook: Webhook): void => {
    stop(webhook);
    const abort = new AbortController();
    const name = webhookName(webhook);
    const done = tell(parts, webhook, abort.signal)
      .catch((error: unknown) => {
        if (abort.signal.aborted) return;
        const { taskId, id } = webhook;
        parts.logger.error('a webhook is told no further', { taskId, webhook: id, cause: String(error) });
      })
      .finally(() => {
        if (running.get(name)?.abort === abort) running.delete(name);
      });
    running.set(name, { abort, done });
  };

  const stop: PushSender['stop'] = (webhook) => {
    running.get(webhookName(webhook))?.abort.abort();
  };

  return {
    start,
    stop,
    async resume() {
      for (const webhook of await parts.webhooks.unfinished()) start(webhook);
    },
    async close() {
      const all = [...running.values()];
      for (const { abort } of all) abort.abort();
      await Promise.all(all.map(({ done }) => done));
    },
  };
}

const webhookName = ({ principal, taskId, id }: Pick<Webhook, 'principal' | 'taskId' | 'id'>): string =>
  nameOf(nameOf(principal, taskId), id);

async function tell(parts: Parts, webhook: Webhook, signal: AbortSignal): Promise<void> {
  const { log, webhooks } = parts;
  const record = await log.get(webhook);
  if (record === undefined) return;
  const fold = foldTask(record);
  for await (const entries of follow(log, webhook, { signal })) {
    const events: StreamEvent[] = [];
    for (const entry of entries) {
      const isNew = fold.length >= webhook.told;
      const opens = isNew && fold.length === 0;
      fold.add([entry], isNew && !opens ? (event) => events.push(event) : undefined);
      if (opens) events.push({ kind: 'task', task: fold.task() });
    }
    for (const event of joinChunks(events)) {
      if (await deliver(parts, { webhook, body: writeStreamEvent(event), signal })) continue;
      await webhooks.advance(webhook, { told: fold.length, over: true });
      return;
    }
    if (events.length > 0) await webhooks.advance(webhook, { told: fold.length, over: false });
  }
  if (!signal.aborted) await webhooks.advance(webhook, { told: fold.length, over: true });
}

/** False: it was tried often enough, or nobody wants it any more. */
async function deliver(
  { destinations, logger, firstWaitMs = 1_000 }: Parts,
  {
    webhook,
    body,
    signal,
  }: { readonly webhook: Webhook; readonly body: string; readonly signal: AbortSignal },
): Promise<boolean> {
  const { url, taskId, id } = webhook;
  for (let attempt = 1; ; attempt += 1) {
    const delivery = await postNotification(
      { url, headers: headersOf(webhook), body },
      { destinations, signal },
    );
    signal.throwIfAborted();
    if (delivery.kind === 'delivered') return true;
    if (delivery.kind === 'gone' || attempt === tries) {
      logger.warn('a webhook is told no further', { taskId, webhook: id, attempt, reason: delivery.reason });
      return false;
    }
    await sleep(Math.min(firstWaitMs * 2 ** (attempt - 1), longestMs), undefined, { signal });
  }
}

/** How a notification proves where it comes from (A2A 1.0, 4.3.3). */
const headersOf = ({ token, authentication }: Webhook): Readonly<Record<string, string>> => ({
  ...(token !== undefined && { 'X-A2A-Notification-Token': token }),
  ...(authentication !== undefined && {
    Authorization: `${authentication.scheme} ${authentication.credentials ?? ''}`.trim(),
  }),
});
