import type { TaskLog } from './ports.js';
import { type Entry, isTerminal, type TaskKey } from './task.js';

/**
 * A task's entries from index `from` on, first those that are there, then each as it becomes durable, until the task
 * has ended; no gap and no duplicate between the two. It is pulled: a slow reader holds nothing in memory, and is fed
 * from the log when it comes back. Ends when `signal` aborts.
 */
export async function* follow(
  log: TaskLog,
  key: TaskKey,
  { from = 0, signal }: { readonly from?: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly Entry[], void, void> {
  let next = from;
  while (!signal.aborted) {
    const entries = await log.read(key, next);
    if (entries.length > 0) {
      next += entries.length;
      yield entries;
      const last = entries.at(-1);
      if (last?.type === 'state' && isTerminal(last.state)) return;
      continue;
    }
    const record = await log.get(key);
    if (record === undefined || (isTerminal(record.state) && next >= record.length)) return;
    try {
      await log.grown(key, next, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }
}
