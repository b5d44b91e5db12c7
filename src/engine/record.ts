import { KediError } from '../domain/errors.js';
import type { Entry } from '../domain/task.js';
import { sizeOfEntry } from './size.js';

/** How much may wait to become durable before the agent is not pulled any further. */
const backlog = { entries: 64, bytes: 256 * 1024 } as const;

/** Takes the entries of a turn to the log. */
export interface Recorder {
  /** Takes the next entry. A promise: no more is to be given until it resolves. */
  take(entry: Entry): Promise<void> | undefined;
  /** What was taken and not yet given to the log, once all the rest is durable; rejects where it could not be recorded. */
  last(): Promise<readonly Entry[]>;
  /** Gives to the log what was taken. */
  flush(): void;
}

/**
 * Records together what is said without waiting. The agent is to be pulled only as fast as the log takes it, and hands
 * the event loop back at each commit, even where it never waits itself. Where it all comes to more
 * than `logBytes`, or where the log cannot be
 * written, `stop` is called with the reason and nothing more is recorded.
 */
export function createRecorder({
  append,
  logged,
  logBytes,
  stop,
}: {
  /** Resolves when the entries are durable; called in order, without waiting. */
  readonly append: (entries: readonly Entry[]) => Promise<void>;
  /** How many bytes the log has already. */
  readonly logged: number;
  readonly logBytes: number;
  readonly stop: (reason: KediError) => void;
}): Recorder {
  let failure: KediError | undefined;
  let full = false;
  let total = logged;
  let said: Entry[] = [];
  let waiting = 0;
  let waitingBytes = 0;
  let durable: Promise<void> | undefined;

  const flush = (): void => {
    if (said.length === 0) return;
    const entries = said;
    said = [];
    durable = append(entries).catch((error: unknown) => {
      failure ??= unwritable(error);
      stop(failure);
    });
  };

  return {
    flush,
    take(entry) {
      if (failure !== undefined || full) return undefined;
      const bytes = sizeOfEntry(entry);
      total += bytes;
      if (total > logBytes) {
        full = true;
        const sentence = `The agent wrote more than the ${logBytes} bytes that a task may have, and was stopped.`;
        stop(new KediError('OUTPUT_TOO_LARGE', sentence));
        return undefined;
      }
      said.push(entry);
      // A tick comes when everything that needs no waiting is done.
      if (said.length === 1) process.nextTick(flush);
      waiting += 1;
      waitingBytes += bytes;
      if (waiting < backlog.entries && waitingBytes < backlog.bytes) return undefined;
      waiting = 0;
      waitingBytes = 0;
      flush();
      return durable;
    },
    async last() {
      const entries = said;
      said = [];
      // They become durable in order, so the last stands for all.
      await durable;
      if (failure !== undefined) throw failure;
      return entries;
    },
  };
}

const unwritable = (cause: unknown): KediError =>
  cause instanceof KediError && cause.code === 'STORE_UNAVAILABLE'
    ? cause
    : new KediError('INTERNAL', 'The output of the agent could not be recorded.', { cause });
