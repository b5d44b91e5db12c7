/** A signal that comes again so soon is the same one: npm passes on to us what the terminal has sent to both. */
const ECHO_MS = 300;

/**
 * A signal that aborts at the first SIGINT or SIGTERM, or when time is up; a second SIGINT or SIGTERM ends this process
 * at once, with the exit status that a shell gives to it. `release` takes the handlers away again.
 */
export function interruption({ timeoutMs }: { readonly timeoutMs?: number } = {}): {
  readonly signal: AbortSignal;
  readonly release: () => void;
} {
  const controller = new AbortController();
  let first = 0;
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const handle = () => {
      if (first === 0) {
        first = performance.now();
        controller.abort(new Error(`stopped by ${name}`));
      } else if (performance.now() - first > ECHO_MS) process.exit(name === 'SIGINT' ? 130 : 143);
    };
    process.on(name, handle);
    return () => process.off(name, handle);
  });
  // A timer of our own: on Node 20 a signal made by AbortSignal.any forgets the AbortSignal.timeout that it was made of.
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(new DOMException('time is up', 'TimeoutError')), timeoutMs);
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      for (const release of handlers) release();
    },
  };
}
