import { setTimeout as sleep } from 'node:timers/promises';

/** A generator as the layers of a turn hand it on; `return` is how it is told to clean up. */
export type Work<Item, End> = AsyncGenerator<Item, End, void>;

interface Limits<End> {
  readonly signal: AbortSignal;
  /** How long work that was told to stop is waited for. */
  readonly stopMs: number;
  /** What `return` is given; never seen by anyone. */
  readonly end: End;
  /** Called when the work did not stop in time. */
  readonly abandoned: () => void;
}

/**
 * The same work until `signal` aborts; then it is told to stop, what it still says is passed on, and the signal's
 * reason is thrown. Work that does not stop in time is left behind, and nothing of it is heard any more.
 */
export async function* within<Item, End>(work: Work<Item, End>, limits: Limits<End>): Work<Item, End> {
  const { signal } = limits;
  // One listener for all steps: a race at each of them would leave a million promises waiting for one abort.
  let interrupt = (): void => {};
  const onAbort = (): void => interrupt();
  signal.addEventListener('abort', onAbort);
  let next: Promise<IteratorResult<Item, End>> | undefined;
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await new Promise<IteratorResult<Item, End>>((resolve, reject) => {
        interrupt = () => reject(signal.reason);
        next = work.next();
        next.then(resolve, reject);
      });
      next = undefined;
      if (!step.done) yield step.value;
      else if (!signal.aborted) return step.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    yield* windDown(work, { ...limits, next });
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Tells the work to stop, and passes on what it says until it has. */
async function* windDown<Item, End>(
  work: Work<Item, End>,
  {
    next,
    end,
    stopMs,
    abandoned,
  }: Limits<End> & {
    /** What it was at when it was told. */
    readonly next: Promise<IteratorResult<Item, End>> | undefined;
  },
): AsyncGenerator<Item, void, void> {
  const waiting = new AbortController();
  const late = sleep(stopMs, 'late' as const, { signal: waiting.signal }).catch(() => 'late' as const);
  try {
    let step = next ?? work.return(end);
    for (let told = next === undefined; ; told = true) {
      // How it takes being stopped is nobody's concern: an error is an end as well.
      const answer = await Promise.race([step.catch(() => undefined), late]);
      if (answer === 'late') return abandoned();
      if (answer === undefined || answer.done) return;
      yield answer.value;
      step = told ? work.next() : work.return(end);
    }
  } finally {
    waiting.abort();
  }
}
