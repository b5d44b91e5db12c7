import { setTimeout as delay } from 'node:timers/promises';

/**
 * Passes on what comes until it ends, or until nothing has come for `silentMs` once `isDone` says that all was said:
 * a program that has answered and does not end holds up nobody. Returns whether it ended by itself.
 */
export async function* untilSilent<T>(
  source: AsyncGenerator<T, void, void>,
  { isDone, silentMs }: { readonly isDone: () => boolean; readonly silentMs: number },
): AsyncGenerator<T, boolean, void> {
  while (true) {
    const next = source.next();
    const step = isDone() ? await within(next, silentMs) : await next;
    if (step === undefined) return false;
    if (step.done === true) return true;
    yield step.value;
  }
}

/** What the promise comes to, or undefined after that time; it may then come to anything. */
async function within<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const waiting = new AbortController();
  promise.catch(() => {});
  try {
    return await Promise.race([promise, delay(milliseconds, undefined, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
