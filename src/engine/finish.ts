import { setTimeout as sleep } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import type { Entry } from '../domain/task.js';
import { type Ending, failed } from './failure.js';

/** Between tries to write an ending, the last of them over and over. */
const pauses = [100, 1_000, 5_000] as const;

/**
 * Writes a turn's ending. While the store cannot be written the task would seem to run for ever, so it is tried until
 * it can be, or until `closed` aborts: then the next start finds the task interrupted. An ending that cannot be stored at
 * all gives way to one that says so.
 */
export async function finish(
  ending: Ending,
  {
    append,
    taskId,
    logger,
    closed,
    stuck,
    now,
  }: {
    readonly append: (entries: readonly Entry[]) => Promise<void>;
    readonly taskId: string;
    readonly logger: Logger;
    readonly closed: AbortSignal;
    /** Told each time that it has to be tried again. */
    readonly stuck: (error: KediError) => void;
    readonly now: () => number;
  },
): Promise<Ending> {
  let last = ending;
  for (let tried = 0; ; tried += 1) {
    try {
      await append(last);
      return last;
    } catch (error) {
      const fields = { taskId, reason: String(error) };
      const lasting = !(error instanceof KediError) || error.code !== 'STORE_UNAVAILABLE';
      if (lasting || closed.aborted) {
        logger.error('the end of a task could not be recorded', fields);
        if (last !== ending || closed.aborted) return last;
        last = failed(new KediError('INTERNAL', 'What the agent answered could not be recorded.'), now());
        continue;
      }
      if (tried === 0) logger.error('the end of a task could not be recorded yet', fields);
      stuck(error);
      const pause = pauses[Math.min(tried, pauses.length - 1)];
      await sleep(pause, undefined, { signal: closed, ref: false }).catch(() => {});
    }
  }
}
