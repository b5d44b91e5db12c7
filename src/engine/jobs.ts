import { setTimeout as sleep } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import { nameOf, type TaskKey } from '../domain/task.js';
import { type Job, perform, type Surroundings } from './perform.js';
import type { Place, Queue } from './queue.js';
import { Stop } from './stop.js';

/** What is under way for a task, or in place of one. */
export interface Active {
  readonly stop: Stop;
  readonly place: Place | undefined;
  /** Resolves when it has ended durably; never rejects. */
  readonly done: Promise<unknown>;
  /** Nothing is left of it but to write its end. */
  settling: boolean;
  /** Why its end cannot be written for now. */
  stuck: KediError | undefined;
  /** Those who wait for its end, and want to know. */
  waiting: Set<(error: KediError) => void> | undefined;
}

/** Resolves when a job has ended durably; rejects when its end cannot be written for now. */
export async function ended(job: Active): Promise<void> {
  if (job.stuck !== undefined) throw job.stuck;
  job.waiting ??= new Set();
  const { waiting } = job;
  await new Promise<void>((resolve, reject) => {
    waiting.add(reject);
    job.done.then(() => {
      waiting.delete(reject);
      resolve();
    });
  });
}

/** All that is under way: at most one turn a task. */
export interface Jobs {
  find(key: TaskKey): Active | undefined;
  /** Begins a turn; `give` makes its order durable, and so resolves this. No place or closed: KediError BUSY. */
  begin(turn: Omit<Job, 'place' | 'stop' | 'settling' | 'stuck'>, give: () => Promise<void>): Promise<void>;
  /** The same for what is no task; the key is no other's. */
  take<T>(key: ContextualKey, carryOut: (place: Place, stop: Stop) => Promise<T>): Promise<T>;
  /** Keeps everyone else from the task meanwhile. */
  hold(key: TaskKey, carryOut: () => Promise<void>): Promise<void>;
  /** Throws KediError BUSY once nothing new is begun. */
  refuseWhenClosed(): void;
  drain(graceMs: number): Promise<void>;
}

interface Kept {
  readonly place: Place | undefined;
  readonly stop: Stop;
  readonly work: Promise<unknown>;
}

interface ContextualKey extends TaskKey {
  readonly contextId: string;
}

export function createJobs({
  shared,
  queue,
}: {
  readonly shared: Surroundings;
  readonly queue: Queue;
}): Jobs {
  const active = new Map<string, Active>();
  const counts = new Map<string, number>();
  const closed = new AbortController();
  const surroundings = { ...shared, closed: closed.signal };
  let closing = false;

  const refuseWhenClosed = (): void => {
    if (closing) throw new KediError('BUSY', 'The server is shutting down.', { retryAfterSeconds: 10 });
  };

  const enter = ({ principal, contextId }: { principal: string; contextId: string }): Place => {
    refuseWhenClosed();
    if ((counts.get(principal) ?? 0) >= shared.bounds.perPrincipal) throw tooMany();
    return queue.enter(nameOf(principal, contextId));
  };

  const keep = (key: TaskKey, { place, stop, work }: Kept): Active => {
    const name = nameOf(key.principal, key.taskId);
    const count = (change: 1 | -1): void => {
      const left = (counts.get(key.principal) ?? 0) + change;
      if (left === 0) counts.delete(key.principal);
      else counts.set(key.principal, left);
    };
    count(1);
    const done = work
      .catch(() => {})
      .finally(() => {
        active.delete(name);
        count(-1);
      });
    const kept: Active = { place, stop, done, settling: false, stuck: undefined, waiting: undefined };
    active.set(name, kept);
    return kept;
  };

  return {
    find: (key) => active.get(nameOf(key.principal, key.taskId)),
    refuseWhenClosed,
    begin(turn, give) {
      const place = enter(turn.order);
      const stop = new Stop();
      const given = give();
      const settling = (): void => {
        kept.settling = true;
      };
      const stuck = (error: KediError): void => {
        kept.stuck = error;
        for (const tell of kept.waiting ?? []) tell(error);
      };
      const { key, order, structured, output, earlier, logged } = turn;
      const job: Job = { key, order, structured, output, earlier, logged, place, stop, settling, stuck };
      const work = perform(job, given, surroundings);
      const kept = keep(key, { place, stop, work });
      return given;
    },
    take(key, carryOut) {
      const place = enter(key);
      const stop = new Stop();
      const work = carryOut(place, stop).finally(place.leave);
      keep(key, { place, stop, work });
      return work;
    },
    hold(key, carryOut) {
      const work = carryOut();
      keep(key, { place: undefined, stop: new Stop(), work });
      return work;
    },

    async drain(graceMs) {
      closing = true;
      const stopAll = (only: (job: Active) => boolean): void => {
        for (const job of active.values()) if (only(job)) job.stop.abort(shutDown());
      };
      stopAll(({ place }) => place?.isWaiting() === true);
      const ended = Promise.all([...active.values()].map((job) => job.done));
      const waiting = new AbortController();
      const grace = sleep(graceMs, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([ended, grace]);
      waiting.abort();
      stopAll(() => true);
      closed.abort();
      await ended;
    },
  };
}

const tooMany = (): KediError =>
  new KediError(
    'RATE_LIMITED',
    'As many of your tasks as may be are under way; try again when one has ended.',
    {
      retryAfterSeconds: 1,
    },
  );

const shutDown = (): KediError =>
  new KediError('CANCELED', 'The server was shut down before the task had ended.');
