import { setTimeout as sleep } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import type { Logger, TaskLog } from '../domain/ports.js';
import type { TaskKey } from '../domain/task.js';
import type { Ending } from './failure.js';

/** Between tries to write an ending, the last of them over and over. */
const pauses = [100, 1_000, 5_000, 30_000] as const;

/**
 * Writes a turn's ending. While the store cannot be written the task would seem to run for ever, so it is tried until
 * it can be, or until `closed` aborts: then the next start finds the task interrupted.
 */
export async function finish(
  ending: Ending,
  {
    log,
    key,
    logger,
    closed,
  }: { readonly log: TaskLog; readonly key: TaskKey; readonly logger: Logger; readonly closed: AbortSignal },
): Promise<void> {
  for (let tried = 0; ; tried += 1) {
    try {
      return await log.append(key, ending);
    } catch (error) {
      const fields = { taskId: key.taskId, reason: String(error) };
      if (!(error instanceof KediError) || error.code !== 'STORE_UNAVAILABLE' || closed.aborted) {
        logger.error('the end of a task could not be recorded', fields);
        return;
      }
      if (tried === 0) logger.error('the end of a task could not be recorded yet', fields);
      const pause = pauses[Math.min(tried, pauses.length - 1)];
      await sleep(pause, undefined, { signal: closed, ref: false }).catch(() => {});
    }
  }
}
