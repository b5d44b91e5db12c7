import { setTimeout as delay } from 'node:timers/promises';

/**
 * What the promise comes to, or the signal's reason as soon as that aborts: for code that does not look at the signal
 * by itself. Such code goes on by itself; what it comes to then is dropped.
 */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Waits until the promise has settled, however, but no longer than that. */
export async function settled(promise: Promise<unknown>, withinMs: number): Promise<void> {
  const waiting = new AbortController();
  const timer = delay(withinMs, undefined, { signal: waiting.signal, ref: false });
  await Promise.allSettled([Promise.race([promise, timer])]);
  waiting.abort();
  await Promise.allSettled([timer]);
}
