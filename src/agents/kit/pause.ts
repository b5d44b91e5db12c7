import { setTimeout as delay } from 'node:timers/promises';

/** Waits that many milliseconds; throws the signal's reason as soon as that aborts. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
