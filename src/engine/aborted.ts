/** Rejects with the signal's reason; the signal is one turn's own, and goes with it. */
export const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });
