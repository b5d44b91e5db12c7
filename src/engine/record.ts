import { KediError } from '../domain/errors.js';
import type { Entry } from '../domain/task.js';
import type { Ending } from './failure.js';
import { sizeOfEntry } from './size.js';
import type { Work } from './within.js';

/** How much may wait to become durable before the agent is not pulled any further. */
const backlog = { entries: 64, bytes: 256 * 1024 } as const;

/**
 * Pulls the work to its end and records each entry on the way. The agent is pulled only as fast as the log takes it,
 * and hands the event loop back at each commit, even where it never waits itself; a run begins once that is durable.
 * Over `logBytes`, or where the log cannot be written, `stop` is called with the reason and nothing more is recorded.
 */
export async function record(
  work: Work<Entry, Ending>,
  {
    append,
    logBytes,
    stop,
  }: {
    /** Resolves when the entry is durable; called in order, without waiting. */
    readonly append: (entry: Entry) => Promise<void>;
    readonly logBytes: number;
    readonly stop: (reason: KediError) => void;
  },
): Promise<Ending> {
  let failure: KediError | undefined;
  let total = 0;
  let waiting = { entries: 0, bytes: 0 };
  let durable: Promise<void> = Promise.resolve();

  const catchUp = async (): Promise<void> => {
    // They become durable in order, so the last stands for all.
    await durable;
    waiting = { entries: 0, bytes: 0 };
  };

  for (;;) {
    const step = await work.next();
    if (step.done) {
      await catchUp();
      if (failure !== undefined) throw failure;
      return step.value;
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
    durable = append(step.value).catch((error: unknown) => {
      failure ??= unwritable(error);
      stop(failure);
    });
    waiting = { entries: waiting.entries + 1, bytes: waiting.bytes + bytes };
    const full = waiting.entries >= backlog.entries || waiting.bytes >= backlog.bytes;
    if (full || step.value.type === 'run') await catchUp();
  }
}

const unwritable = (cause: unknown): KediError =>
  cause instanceof KediError && cause.code === 'STORE_UNAVAILABLE'
    ? cause
    : new KediError('INTERNAL', 'The output of the agent could not be recorded.', { cause });
