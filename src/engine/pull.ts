import { setTimeout as sleep } from 'node:timers/promises';
import type { Line, Outcome } from '../domain/agent.js';

/** An agent at work. */
type Work = AsyncGenerator<Line, Outcome, void>;

interface Pulling {
  readonly signal: AbortSignal;
  /** How long an agent that was told to stop is waited for. */
  readonly stopMs: number;
  /** Takes the next line. A promise: the next is asked for when it resolves. */
  readonly hear: (line: Line) => Promise<void> | undefined;
  /** Called when the agent did not stop in time. */
  readonly abandoned: () => void;
}

/**
 * Pulls an agent to its outcome, or until `signal` aborts; then it is told to stop, what it still says is heard, and the
 * signal's reason is thrown. An agent that does not stop in time is left behind, and nothing of it is heard any more.
 */
export async function pull(work: Work, pulling: Pulling): Promise<Outcome> {
  const { signal, hear } = pulling;
  // One listener for all steps: a race at each of them would leave a million promises waiting for one abort.
  let interrupt = (): void => {};
  const onAbort = (): void => interrupt();
  signal.addEventListener('abort', onAbort);
  let next: Promise<IteratorResult<Line, Outcome>> | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await new Promise<IteratorResult<Line, Outcome>>((resolve, reject) => {
        interrupt = () => reject(signal.reason);
        next = work.next();
        next.then(resolve, reject);
      });
      next = undefined;
      if (step.done) {
        signal.throwIfAborted();
        return step.value;
      }
      const heard = hear(step.value);
      if (heard !== undefined) await heard;
    }
  } catch (error) {
    // Where it was the agent that failed it has ended, and this finds nothing left to do.
    await windDown(work, { ...pulling, next });
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
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
  const stop = () => work.return({ kind: 'done' });
  try {
    let step = next ?? stop();
    for (let told = next === undefined; ; told = true) {
      // How it takes being stopped is nobody's concern: an error is an end as well.
      const answer = await Promise.race([step.catch(() => undefined), late]);
      if (answer === 'late') return abandoned();
      if (answer === undefined || answer.done) return;
      await hear(answer.value);
      step = told ? work.next() : stop();
    }
  } finally {
    waiting.abort();
  }
}
