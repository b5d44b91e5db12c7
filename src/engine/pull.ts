import { setTimeout as sleep } from 'node:timers/promises';
import type { Line, Outcome } from '../domain/agent.js';
import type { Stop } from './stop.js';

/** An agent at work. */
type Work = AsyncGenerator<Line, Outcome, void>;

interface Pulling {
  readonly stop: Stop;
  /** How long an agent that was told to stop is waited for. */
  readonly stopMs: number;
  /** Takes the next line. A promise: the next is asked for when it resolves. */
  readonly hear: (line: Line) => Promise<void> | undefined;
  /** Called when the agent did not stop in time. */
  readonly abandoned: () => void;
}

/**
 * Pulls an agent to its outcome, or until `stop` aborts; then it is told to, what it still says is heard, and the
 * reason is thrown. An agent that does not stop in time is left behind, and nothing of it is heard any more.
 */
export async function pull(work: Work, pulling: Pulling): Promise<Outcome> {
  const { stop, hear } = pulling;
  // One listener for all steps: a race at each of them would leave a million promises waiting for one abort.
  let interrupt = (): void => {};
  const listening = stop.onAbort(() => interrupt());
  let next: Promise<IteratorResult<Line, Outcome>> | undefined;
  try {
    for (;;) {
      stop.throwIfAborted();
      const step = await new Promise<IteratorResult<Line, Outcome>>((resolve, reject) => {
        interrupt = () => reject(stop.reason);
        next = work.next();
        next.then(resolve, reject);
      });
      next = undefined;
      if (step.done) {
        stop.throwIfAborted();
        return step.value;
      }
      const heard = hear(step.value);
      if (heard !== undefined) await heard;
    }
  } catch (error) {
    // Where it was the agent that failed it has ended, and this finds nothing left to do.
    await windDown(work, { ...pulling, next });
    throw stop.reason ?? error;
  } finally {
    listening();
  }
}

/** Tells the agent to stop, and hears what it says until it has. */
async function windDown(
  work: Work,
  {
    next,
    hear,
    stopMs,
    abandoned,
  }: Pulling & {
    /** What it was at when it was told. */
    readonly next: Promise<IteratorResult<Line, Outcome>> | undefined;
  },
): Promise<void> {
  const waiting = new AbortController();
  const late = sleep(stopMs, 'late' as const, { signal: waiting.signal }).catch(() => 'late' as const);
  const end = async () => work.return({ kind: 'done' });
  const heard = async (line: Line): Promise<void> => hear(line);
  try {
    let step = next ?? end();
    for (let told = next === undefined; ; told = true) {
      // How it takes being stopped is nobody's concern: an error is an end as well.
      const answer = await Promise.race([step.catch(() => undefined), late]);
      if (answer === 'late') {
        // Whenever it comes back from what it is at, it may still clean up.
        end().catch(() => {});
        return abandoned();
      }
      if (answer === undefined || answer.done) return;
      await heard(answer.value).catch(() => {});
      step = told ? work.next() : end();
    }
  } finally {
    waiting.abort();
  }
}
