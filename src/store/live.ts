import {
  type Entry,
  isTerminal,
  nameOf,
  type TaskKey,
  type TaskRecord,
  type TaskState,
} from '../domain/task.js';

/** What memory holds of a task that is written or followed now; the rest of it is in the database. */
export interface Live {
  /** Its key as one text. */
  readonly name: string;
  /** As of the last commit; length 0: not yet durable. */
  record: TaskRecord;
  /** The state once everything given has been committed. */
  state: TaskState;
  /** The newest entries, in batches as they were committed, up to the end of the log. */
  readonly tail: Batch[];
  tailBytes: number;
  /** What is given, and not on its way to the database yet. */
  pending: Pending | undefined;
  /** How many of its units are given and neither committed nor failed: until then only memory knows what comes next. */
  units: number;
  readonly waiters: Set<Waiter>;
}

export interface Batch {
  readonly first: number;
  readonly entries: readonly Entry[];
  /** Size of the encoded row. */
  readonly bytes: number;
}

export interface Pending {
  readonly entries: Entry[];
  readonly settle: { resolve(): void; reject(error: Error): void }[];
}

/** Somebody who waits for a log to be longer than `length`. */
export interface Waiter {
  readonly length: number;
  wake(): void;
  fail(error: Error): void;
}

/** The live tasks, within bounds of memory. */
export interface Lives {
  get(key: TaskKey): Live | undefined;
  add(record: TaskRecord): Live;
  /** Keeps what was committed for those who follow, wakes them, and forgets what was used longest ago. */
  remember(live: Live, batches: readonly Batch[]): void;
  /** Somebody else has written: the record is newer than what memory holds of its log. */
  renew(live: Live, record: TaskRecord): void;
  /** Whoever waits is told that it cannot be said whether there is more. */
  fail(live: Live, error: Error): void;
  /** Those that somebody waits for. */
  followed(): readonly Live[];
  /** The task is gone from the store; whoever waits is woken. */
  remove(key: TaskKey): void;
}

/** Of one task; of all tails together; and how many tasks are kept that nobody writes or follows. */
const bounds = { task: 256 * 1024, all: 4 * 1024 * 1024, idle: 32 } as const;

export function createLives(): Lives {
  // In the order of their last commit, the oldest first.
  const lives = new Map<string, Live>();
  let bytes = 0;

  const forget = (live: Live, count: number): void => {
    for (const batch of live.tail.splice(0, count)) {
      live.tailBytes -= batch.bytes;
      bytes -= batch.bytes;
    }
  };

  /** Walks from the oldest on, a few at a time; what somebody writes or waits for goes to the end of the line. */
  const trim = (): void => {
    let steps = 8;
    for (const [name, live] of lives) {
      if ((bytes <= bounds.all && lives.size <= bounds.idle) || steps === 0) return;
      steps -= 1;
      forget(live, live.tail.length);
      lives.delete(name);
      const idle = live.units === 0 && live.waiters.size === 0;
      if (!idle) lives.set(name, live);
    }
  };

  return {
    get: ({ principal, taskId }) => lives.get(nameOf(principal, taskId)),
    add(record) {
      const live: Live = {
        name: nameOf(record.principal, record.taskId),
        record,
        state: record.state,
        tail: [],
        tailBytes: 0,
        pending: undefined,
        units: 0,
        waiters: new Set(),
      };
      lives.set(live.name, live);
      return live;
    },
    remember(live, batches) {
      const { name } = live;
      // One that was removed meanwhile is nobody's to keep.
      if (lives.get(name) === live) {
        for (const batch of batches) {
          live.tail.push(batch);
          live.tailBytes += batch.bytes;
          bytes += batch.bytes;
        }
        let surplus = 0;
        for (let own = live.tailBytes; own > bounds.task && surplus < live.tail.length; surplus += 1) {
          own -= live.tail[surplus]?.bytes ?? 0;
        }
        forget(live, surplus);
        lives.delete(name);
        lives.set(name, live);
        trim();
      }
      wake(live);
    },
    renew(live, record) {
      forget(live, live.tail.length);
      live.record = record;
      if (live.pending === undefined) live.state = record.state;
      wake(live);
    },
    fail(live, error) {
      for (const waiter of live.waiters) waiter.fail(error);
    },
    followed: () => [...lives.values()].filter((live) => live.waiters.size > 0),
    remove(key) {
      const name = nameOf(key.principal, key.taskId);
      const live = lives.get(name);
      if (live === undefined) return;
      lives.delete(name);
      forget(live, live.tail.length);
      for (const waiter of live.waiters) waiter.wake();
    },
  };
}

/** Wakes those for whom there is something new; after the end of a task there is nothing to wait for. */
function wake({ record, waiters }: Live): void {
  const ended = isTerminal(record.state);
  for (const waiter of waiters) if (ended || record.length > waiter.length) waiter.wake();
}
