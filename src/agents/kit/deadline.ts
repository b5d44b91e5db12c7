import { KediError } from '../../domain/errors.js';

/**
 * A signal that aborts with its parent, and after `afterMs` with a KediError TIMED_OUT; `undefined` is no deadline. To
 * be closed in `finally`.
 */
export function openDeadline(
  parent: AbortSignal,
  { afterMs, message }: { readonly afterMs: number | undefined; readonly message: string },
): { readonly signal: AbortSignal; close(): void } {
  if (afterMs === undefined) return { signal: parent, close: () => {} };
  const controller = new AbortController();
  const follow = (): void => controller.abort(parent.reason);
  const timer = setTimeout(() => controller.abort(new KediError('TIMED_OUT', message)), afterMs);
  if (parent.aborted) follow();
  parent.addEventListener('abort', follow);
  return {
    signal: controller.signal,
    close() {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
    },
  };
}
