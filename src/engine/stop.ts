import type { KediError } from '../domain/errors.js';

/**
 * Ends a turn, for one reason. An AbortController would do; but on Node 20 a signal costs as much as all else that a
 * short turn needs of the engine, so it is made only for an agent that looks at it.
 */
export class Stop {
  #reason: KediError | undefined;
  #controller: AbortController | undefined;
  readonly #listeners = new Set<() => void>();

  /** Why the turn is to end; undefined: it is not. */
  get reason(): KediError | undefined {
    return this.#reason;
  }

  /** Only the first reason counts. */
  abort(reason: KediError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    for (const listener of this.#listeners) listener();
    this.#controller?.abort(reason);
  }

  throwIfAborted(): void {
    if (this.#reason !== undefined) throw this.#reason;
  }

  /** Calls the listener on abort, at once if that has been; what it returns takes the listener away again. */
  onAbort(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#reason !== undefined) listener();
    return () => this.#listeners.delete(listener);
  }

  /** What the work comes to, or rejects with the reason where that is there first. */
  unlessAborted<T>(work: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const listening = this.onAbort(() => reject(this.#reason));
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          listening();
          settle(value);
        };
      work.then(settled(resolve), settled(reject));
    });
  }

  /** The same as a signal. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }
}
