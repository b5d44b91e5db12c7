import { KediError } from '../domain/errors.js';
import type { Stop } from './stop.js';

/** Lines up turns: those of one context in their order, and never more at once than there are slots. */
export interface Queue {
  /** Takes the next place of a context. Too many wait already: KediError BUSY. */
  enter(context: string): Place;
  counts(): Counts;
}

/** How many turns hold a slot, and how many wait for one. */
export interface Counts {
  readonly running: number;
  readonly pending: number;
}

/** One turn's place in line. */
export interface Place {
  /** Whether it has not been its turn yet. */
  isWaiting(): boolean;
  /** Resolves when it is this one's turn, holding a slot from then on; rejects when `stop` aborts first. */
  turn(stop: Stop): Promise<void>;
  /** Gives the slot back, and keeps its context from the next turn until it leaves. */
  rest(): void;
  /** Gives the place up, and with it the slot; a second time does nothing. */
  leave(): void;
}

interface Waiting {
  readonly context: string;
  readonly call: () => void;
}

/** A queue of so many slots and so many who may wait for one; `changed` hears of every change of its counts. */
export function createQueue({
  concurrency,
  pending,
  changed,
}: {
  readonly concurrency: number;
  readonly pending: number;
  readonly changed: (counts: Counts) => void;
}): Queue {
  // In the order in which they came; a context is busy from when one of its turns begins until that one leaves.
  const waiting = new Set<Waiting>();
  const busy = new Set<string>();
  let running = 0;

  const counts = (): Counts => ({ running, pending: waiting.size });

  /** Calls whoever is first and whose context is free: who waits for his context holds no slot. */
  const advance = (): void => {
    for (const one of waiting) {
      if (running >= concurrency) return;
      if (busy.has(one.context)) continue;
      waiting.delete(one);
      busy.add(one.context);
      running += 1;
      one.call();
    }
  };

  return {
    enter(context) {
      const free = running < concurrency && !busy.has(context);
      if (!free && waiting.size >= pending) {
        throw new KediError('BUSY', 'The server has as much to do as it takes on; try again soon.', {
          retryAfterSeconds: 1,
        });
      }
      let state: 'waiting' | 'running' | 'resting' | 'left' = 'waiting';
      let begin = (): void => {};
      let listening = (): void => {};
      const one: Waiting = {
        context,
        call: () => {
          state = 'running';
          listening();
          begin();
        },
      };
      const rest = (): void => {
        // It never ran, and shall not be called while its end is written.
        if (state === 'waiting') leave();
        if (state !== 'running') return;
        state = 'resting';
        running -= 1;
        advance();
        changed(counts());
      };
      const leave = (): void => {
        if (state === 'left') return;
        if (state === 'waiting') waiting.delete(one);
        else busy.delete(context);
        if (state === 'running') running -= 1;
        state = 'left';
        advance();
        changed(counts());
      };
      waiting.add(one);
      advance();
      changed(counts());
      return {
        isWaiting: () => state === 'waiting',
        rest,
        leave,
        async turn(stop) {
          if (state !== 'waiting') return;
          await new Promise<void>((resolve, reject) => {
            begin = resolve;
            listening = stop.onAbort(() => reject(stop.reason));
          });
        },
      };
    },
    counts,
  };
}
