import { setTimeout as sleep } from 'node:timers/promises';

/** A generator as the layers of a turn hand it on; `return` is how it is told to clean up. */
export type Work<Item, End> = AsyncGenerator<Item, End, void>;

/**
 * The same work until `signal` aborts; then it is told to stop, what it still says is passed on, and the signal's
 * reason is thrown. Work that does not stop within `stopMs` is left behind: `abandoned` is called, and nothing of it
 * is heard any more.
 */
export async function* within<Item, End>(
  work: Work<Item, End>,
  {
    signal,
    stopMs,
    end,
    abandoned,
  }: {
    readonly signal: AbortSignal;
    readonly stopMs: number;
    /** What `return` is given; never seen by anyone. */
    readonly end: End;
    readonly abandoned: () => void;
  },
): Work<Item, End> {
  // One listener for all steps: a race at each of them would leave a million promises waiting for one abort.
  let interrupt = (): void => {};
  const onAbort = (): void => interrupt();
  signal.addEventListener('abort', onAbort);
  let next: Promise<IteratorResult<Item, End>> | undefined;
  let over = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const step = await new Promise<IteratorResult<Item, End>>((resolve, reject) => {
        interrupt = () => reject(signal.reason);
        next = work.next();
        next.then(resolve, reject);
      });
      next = undefined;
      if (step.done) {
        over = true;
        signal.throwIfAborted();
        return step.value;
      }
      yield step.value;
    }
  } catch (error) {
    over = true;
    if (!signal.aborted) throw error;
    const last = await stop(work, { next, end, stopMs });
    if (last === undefined) abandoned();
    else yield* last;
    throw signal.reason;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Only where whoever pulls has given up without an abort.
    if (!over) await stop(work, { next: undefined, end, stopMs });
  }
}

/** Tells the work to stop and gathers its last items; undefined if it does not stop in time. */
async function stop<Item, End>(
  work: Work<Item, End>,
  {
    next,
    end,
    stopMs,
  }: {
    readonly next: Promise<IteratorResult<Item, End>> | undefined;
    readonly end: End;
    readonly stopMs: number;
  },
): Promise<readonly Item[] | undefined> {
  const items: Item[] = [];
  const stopped = (async () => {
    try {
      const step = await next;
      if (step !== undefined && !step.done) items.push(step.value);
      let rest = await work.return(end);
      while (!rest.done) {
        items.push(rest.value);
        rest = await work.next();
      }
    } catch {
      // It was told to stop; how it takes that is nobody's concern.
    }
    return items;
  })();
  const waiting = new AbortController();
  const late = sleep(stopMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  try {
    return await Promise.race([stopped, late]);
  } finally {
    waiting.abort();
  }
}
