import { settled, untilAborted } from './abortable.js';

/** How long a source that is left may take to tidy up before it is left to itself. */
const graceMs = 2_000;

/**
 * The items of somebody else's stream, until it ends or the signal aborts, whose reason is then thrown at once, also
 * where the stream itself does not look at the signal. What is not an async iterable is a TypeError.
 */
export async function* pull(source: unknown, signal: AbortSignal): AsyncGenerator<unknown, void, void> {
  if (!isIterable(source)) throw new TypeError('not an async iterable');
  const items = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await untilAborted(items.next(), signal);
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    await settled((async () => items.return?.())(), graceMs);
  }
}

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
