import { v7 } from 'uuid';
import type { Agent } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Part } from '../domain/message.js';
import type { Logger, Observer, Sessions, TaskLog, Tracing } from '../domain/ports.js';
import type { SchemaJudge } from '../domain/schema.js';
import { isTerminal, type TaskKey, type TaskRecord } from '../domain/task.js';
import { defaultBounds, type EngineBounds } from './bounds.js';
import { failed, type Redact } from './failure.js';
import { readFollowUp, refuseUnlessWaiting } from './follow-up.js';
import { createJobs, ended } from './jobs.js';
import { messageEntry, type Order, refusalOf } from './order.js';
import type { Surroundings } from './perform.js';
import { type Counts, createQueue } from './queue.js';
import { askDirectly } from './reply.js';

export type { EngineBounds } from './bounds.js';
export type { Order } from './order.js';

/** The agent to run, where what it does is kept, and within which bounds. */
export interface EngineOptions {
  readonly log: TaskLog;
  readonly sessions: Sessions;
  readonly agent: Agent;
  readonly agentKind: string;
  readonly judge: SchemaJudge;
  readonly logger: Logger;
  readonly bounds?: Partial<EngineBounds>;
  /** Runs in all for one typed request, each told why the document before was refused; 1 by default. */
  readonly attempts?: number;
  /** `drop`: what agents write on stderr is not recorded, so that no client sees it. */
  readonly stderr?: 'keep' | 'drop';
  /** Replaces the values of secrets in what is recorded of agents. */
  readonly redact?: Redact;
  readonly observer?: Observer;
  readonly tracing?: Tracing | undefined;
  readonly now?: () => number;
}

/** Runs agents for tasks: in order within a context, bounded over all, each to exactly one durable ending. */
export interface Engine {
  /**
   * Opens a task, durable when this resolves, and carries it out from then on. Too much to do, or shutting down:
   * KediError BUSY, and there is no task.
   */
  submit(order: Order): Promise<TaskRecord>;
  /**
   * Goes on with a task that waits for its client, with the schema it was opened with. Unknown: KediError
   * TASK_NOT_FOUND; not waiting: UNSUPPORTED_OPERATION; asking for something else than before: INVALID_PARAMS. The
   * task is then as it was.
   */
  answer(key: TaskKey, order: Order): Promise<TaskRecord>;
  /**
   * The agent's direct message in place of a task; undefined: it wants a task, as for every typed request. No such method
   * where the agent never gives one.
   */
  readonly reply: ((order: Order) => Promise<readonly Part[] | undefined>) | undefined;
  /** Ends a task, and resolves when it has ended. KediError TASK_NOT_FOUND; has ended before: TASK_NOT_CANCELABLE. */
  cancel(key: TaskKey): Promise<void>;
  /** Ends the tasks that an earlier server of this data directory left running, as INTERRUPTED; resolves to their number. */
  recover(): Promise<number>;
  /** Takes no more work, cancels what waits for its turn, and after the grace what runs; resolves when all has ended. */
  drain(graceMs: number): Promise<void>;
  counts(): Counts;
}

/** An engine for one agent over a store. */
export function createEngine(options: EngineOptions): Engine {
  const { log, agentKind, judge, observer = {}, now = Date.now } = options;
  const bounds = { ...defaultBounds, ...options.bounds };
  const shared: Surroundings = {
    ...options,
    bounds,
    attempts: options.attempts ?? 1,
    keepStderr: options.stderr !== 'drop',
    redact: options.redact,
    observer,
    now,
  };
  const queue = createQueue({ ...bounds, changed: (counts) => observer.queueChanged?.(counts) });
  const jobs = createJobs({ shared, queue });

  const current = async (key: TaskKey): Promise<TaskRecord> => {
    const record = await log.get(key);
    if (record !== undefined) return record;
    throw new KediError('TASK_NOT_FOUND', 'There is no such task.', { info: { taskId: key.taskId } });
  };

  return {
    async submit(order) {
      const at = now();
      const { principal, contextId, structured } = order;
      const key = { principal, taskId: v7() };
      const record = {
        principal,
        taskId: key.taskId,
        contextId,
        agentKind,
        structured: structured !== undefined,
        state: 'submitted',
        createdAt: at,
        updatedAt: at,
      } as const;
      const opening = messageEntry(order, at);
      const refusal = refusalOf(order, bounds.promptBytes);
      if (refusal !== undefined) {
        jobs.refuseWhenClosed();
        await log.create(record, [opening, ...failed(refusal, at)]);
        observer.turnEnded?.({ agentKind, state: 'failed', code: refusal.code, seconds: 0 });
      } else {
        await jobs.begin({ key, order, structured, output: structured?.output, earlier: 0, logged: 0 }, () =>
          log.create(record, [opening]),
        );
      }
      return current(key);
    },

    async answer(key, order) {
      const job = jobs.find(key);
      // Its question may have been read before it had quite ended.
      if (job?.settling) await ended(job);
      const typed = await readFollowUp(order, { record: await current(key), log, judge, bounds });
      // Others may have answered or canceled meanwhile.
      const record = await current(key);
      refuseUnlessWaiting(record, { busy: jobs.find(key) !== undefined });
      const message = messageEntry({ ...order, structured: undefined }, now());
      try {
        await jobs.begin({ key, order, ...typed, earlier: record.length }, () =>
          log.append(key, [message], { after: record.length }),
        );
      } catch (error) {
        // Another server on the same store may have been told an answer first.
        refuseUnlessWaiting(await current(key), { busy: false });
        throw error;
      }
      return current(key);
    },

    reply: options.agent.reply === undefined ? undefined : (order) => askDirectly(order, { ...shared, jobs }),

    async cancel(key) {
      for (;;) {
        const job = jobs.find(key);
        job?.stop.abort(canceled());
        if (job !== undefined) await ended(job);
        const { state } = await current(key);
        if (jobs.find(key) !== undefined) continue;
        if (isTerminal(state) && job !== undefined) return;
        if (isTerminal(state)) throw notCancelable(key.taskId);
        try {
          await jobs.hold(key, () => log.append(key, failed(canceled(), now())));
        } catch (error) {
          // Another server on the same store may have ended it meanwhile.
          if (isTerminal((await current(key)).state)) throw notCancelable(key.taskId);
          throw error;
        }
        return;
      }
    },

    async recover() {
      const left = await log.unfinished(['submitted', 'working']);
      const dead = left.filter((record) => jobs.find(record) === undefined);
      const ending = failed(interrupted(), now());
      // Some at a time: they are appended in one transaction each.
      for (let start = 0; start < dead.length; start += 500) {
        await Promise.all(dead.slice(start, start + 500).map((record) => log.append(record, ending)));
      }
      return dead.length;
    },

    drain: jobs.drain,
    counts: queue.counts,
  };
}

const canceled = (): KediError => new KediError('CANCELED', 'The task was canceled.');

const interrupted = (): KediError =>
  new KediError(
    'INTERRUPTED',
    'The server stopped while this task was under way, and nothing of it goes on.',
  );

const notCancelable = (taskId: string): KediError =>
  new KediError('TASK_NOT_CANCELABLE', 'The task has ended, so it cannot be canceled.', { info: { taskId } });
