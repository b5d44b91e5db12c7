/**
 * A signal that aborts at the first SIGINT or SIGTERM; the second ends this process at once, with the exit status that
 * a shell gives to it. `release` takes the handlers away again.
 */
export function interruption(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((name) => {
    const handle = () => {
      if (controller.signal.aborted) process.exit(name === 'SIGINT' ? 130 : 143);
      controller.abort(new Error(`stopped by ${name}`));
    };
    process.on(name, handle);
    return () => process.off(name, handle);
  });
  return {
    signal: controller.signal,
    release: () => {
      for (const release of handlers) release();
    },
  };
}
