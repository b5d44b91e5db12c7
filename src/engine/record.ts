import { KediError } from '../domain/errors.js';
import type { Entry } from '../domain/task.js';
import type { Ending } from './failure.js';
import { sizeOfEntry } from './size.js';
import type { Work } from './within.js';

/** How much may wait to become durable before the agent is not pulled any further. */
const backlog = { entries: 64, bytes: 256 * 1024 } as const;

/**
 * Pulls the work to its end and records the entries on the way, together what it says without waiting; what it said
 * last comes back with its ending, to be written with it. The agent is pulled only as fast as the log takes it, and
 * hands the event loop back at each commit, even where it never waits itself. Over `logBytes`, or where the log cannot
 * be written, `stop` is called with the reason and nothing more is recorded.
 */
export async function record(
  work: Work<Entry, Ending>,
  {
    append,
    logBytes,
    stop,
  }: {
    /** Resolves when the entries are durable; called in order, without waiting. */
    readonly append: (entries: readonly Entry[]) => Promise<void>;
    readonly logBytes: number;
    readonly stop: (reason: KediError) => void;
  },
): Promise<Ending> {
  let failure: KediError | undefined;
  let total = 0;
  let said: Entry[] = [];
  let waiting = { entries: 0, bytes: 0 };
  let durable: Promise<void> = Promise.resolve();

  const flush = (): void => {
    if (said.length === 0) return;
    const entries = said;
    said = [];
    durable = append(entries).catch((error: unknown) => {
      failure ??= unwritable(error);
      stop(failure);
    });
  };

  try {
    for (;;) {
      const step = await work.next();
      if (step.done) {
        const last = said;
        said = [];
        // They become durable in order, so the last stands for all.
        await durable;
        if (failure !== undefined) throw failure;
        return [...last, ...step.value];
      }
      if (failure !== undefined || total > logBytes) continue;
      const bytes = sizeOfEntry(step.value);
      total += bytes;
      if (total > logBytes) {
        stop(
          new KediError('OUTPUT_TOO_LARGE', `The agent wrote more than ${logBytes} bytes, and was stopped.`),
        );
        continue;
      }
      said.push(step.value);
      // A tick comes when everything that needs no waiting is done.
      if (said.length === 1) process.nextTick(flush);
      waiting = { entries: waiting.entries + 1, bytes: waiting.bytes + bytes };
      if (waiting.entries >= backlog.entries || waiting.bytes >= backlog.bytes) {
        flush();
        await durable;
        waiting = { entries: 0, bytes: 0 };
      }
    }
  } finally {
    flush();
  }
}

const unwritable = (cause: unknown): KediError =>
  cause instanceof KediError && cause.code === 'STORE_UNAVAILABLE'
    ? cause
    : new KediError('INTERNAL', 'The output of the agent could not be recorded.', { cause });
