import { setTimeout as sleep } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import type { Observer } from '../domain/ports.js';
import type { Database, Step } from './database.js';

/** What becomes durable together or not at all, and who is told. */
export interface Unit {
  /** Called once, when its transaction begins, in the order in which units were added. */
  steps(): readonly Step[];
  committed(): void;
  failed(error: KediError): void;
}

/** Gathers units, and commits all of one turn of the event loop in one transaction. */
export interface Commits {
  add(unit: Unit): void;
  /** The same for steps that nobody else waits for; rejects with KediError STORE_UNAVAILABLE or INTERNAL. */
  write(steps: readonly Step[]): Promise<void>;
  /** Why the last transaction failed or is still being tried, or cannot be shown; undefined while all is well. */
  trouble(): KediError | undefined;
  /** Refuses further units, and resolves when the last has been settled. */
  close(): Promise<void>;
}

/** How long a lock that somebody else holds is waited for, and how often it is tried. */
const patience = { milliseconds: 5_000, pause: 25 } as const;

/** Group commit over a database: one transaction at a time, at the end of the turn; what comes meanwhile is the next. */
export function createCommits({
  database,
  observer,
}: {
  readonly database: Database;
  readonly observer: Observer;
}): Commits {
  let waiting: Unit[] = [];
  /** When the first of them was added. */
  let since = 0;
  let busy = false;
  let closed: (() => void) | undefined;
  let trouble: KediError | undefined;

  const add = (unit: Unit): void => {
    if (closed !== undefined) {
      unit.failed(new KediError('STORE_UNAVAILABLE', 'The store is closed.'));
      return;
    }
    waiting.push(unit);
    if (waiting.length === 1) since = Date.now();
    if (busy) return;
    busy = true;
    setImmediate(flush);
  };

  const flush = async (): Promise<void> => {
    const units = waiting;
    const deadline = since + patience.milliseconds;
    waiting = [];
    for (const portion of portions(units.map(prepare).filter((ready) => ready !== undefined))) {
      await commit(portion, deadline);
    }
    if (waiting.length > 0) {
      // Never at once: whoever was told may have written again, and others have waited for this turn to end.
      setImmediate(flush);
    } else {
      busy = false;
      closed?.();
    }
  };

  const transact = async (steps: readonly Step[]): Promise<void> => {
    const start = performance.now();
    let ok = false;
    try {
      await database.transact(steps);
      ok = true;
    } finally {
      observer.committed?.({ ok, seconds: (performance.now() - start) / 1_000 });
    }
  };

  const commit = async (units: readonly Ready[], deadline: number): Promise<void> => {
    for (;;) {
      try {
        await transact(units.flatMap((unit) => unit.steps));
        trouble = undefined;
        break;
      } catch (error) {
        const judged = database.judge(error);
        if (judged.kind === 'conflict' && units.length > 1) {
          // One of them is at fault, and the others must not suffer for it.
          for (const unit of units) await commit([unit], deadline);
          return;
        }
        if (judged.kind !== 'conflict') trouble = judged.error;
        if (judged.kind === 'busy' && Date.now() < deadline) {
          await sleep(patience.pause);
          continue;
        }
        for (const { unit } of units) unit.failed(judged.error);
        return;
      }
    }
    for (const { unit } of units) unit.committed();
  };

  return {
    add,
    write: (steps) =>
      new Promise((resolve, reject) => {
        add({ steps: () => steps, committed: resolve, failed: reject });
      }),
    trouble: () => trouble ?? database.trouble?.(),
    close: () =>
      new Promise((resolve) => {
        closed = resolve;
        if (!busy) resolve();
      }),
  };
}

interface Ready {
  readonly unit: Unit;
  readonly steps: readonly Step[];
}

/** What is written in one piece is read in one piece somewhere: no transaction takes more than this, but one unit. */
const transactionLength = 16 * 1024 * 1024;

/** Units as transactions, by the length of their texts. */
function portions(units: readonly Ready[]): readonly (readonly Ready[])[] {
  const found: Ready[][] = [];
  let start = 0;
  let length = 0;
  for (const [index, { steps }] of units.entries()) {
    for (const { values } of steps) {
      for (const value of values) if (typeof value === 'string') length += value.length;
    }
    if (length < transactionLength && index < units.length - 1) continue;
    found.push(units.slice(start, index + 1));
    start = index + 1;
    length = 0;
  }
  return found;
}

/** What cannot even be encoded, or may no longer be written, fails alone. */
function prepare(unit: Unit): Ready | undefined {
  try {
    return { unit, steps: unit.steps() };
  } catch (error) {
    const known = error instanceof KediError ? error : undefined;
    unit.failed(
      known ?? new KediError('INTERNAL', 'The store could not encode what it was given.', { cause: error }),
    );
    return undefined;
  }
}
