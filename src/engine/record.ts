import { setImmediate as nextTurn } from 'node:timers/promises';
import { KediError } from '../domain/errors.js';
import type { Entry } from '../domain/task.js';
import { sizeOfEntry } from './size.js';

/** How much may wait to become durable before the agent is not pulled any further. */
const backlog = { entries: 64, bytes: 256 * 1024 } as const;

/** How often somebody else has his turn while nothing is recorded. */
const skipped = 64;

/** Takes the entries of a turn to the log. A promise that it returns is to be waited for before more is given. */
export interface Recorder {
  /** Takes the next entry; `bytes`: what it counts for, where that is not what it is. */
  take(entry: Entry, bytes?: number): Promise<void> | undefined;
  /** In place of what is not recorded. */
  skip(): Promise<void> | undefined;
  /** Counts what is recorded later, with the end of the turn. */
  count(bytes: number): void;
  /** What was taken and not yet given to the log, once all the rest is durable, or `stop` was called. */
  rest(): Promise<readonly Entry[]>;
}

/**
 * Records together what is said without waiting. The agent is to be pulled only as fast as the log takes it, and hands
 * the event loop back at each commit, even where it never waits itself. Where it all comes to more than `logBytes`, or
 * where the log cannot be written, `stop` is called with the reason and nothing more is recorded.
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
  let stopped = false;
  let total = logged;
  let said: Entry[] = [];
  let waiting = 0;
  let waitingBytes = 0;
  let ignored = 0;
  let durable: Promise<void> | undefined;

  const fail = (reason: KediError): void => {
    stopped = true;
    stop(reason);
  };

  const flush = (): void => {
    if (said.length === 0) return;
    const entries = said;
    said = [];
    durable = append(entries).catch((error: unknown) => fail(unwritable(error)));
  };

  const count = (bytes: number): void => {
    total += bytes;
    if (total > logBytes && !stopped) fail(tooMuch(logBytes));
  };

  const skip = (): Promise<void> | undefined => {
    ignored += 1;
    return ignored % skipped === 0 ? nextTurn() : undefined;
  };

  return {
    count,
    skip,
    take(entry, bytes = sizeOfEntry(entry)) {
      if (!stopped) count(bytes);
      if (stopped) return skip();
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
    async rest() {
      const entries = said;
      said = [];
      // They become durable in order, so the last stands for all.
      await durable;
      return entries;
    },
  };
}

const tooMuch = (logBytes: number): KediError =>
  new KediError(
    'OUTPUT_TOO_LARGE',
    `The agent wrote more than the ${logBytes} bytes that a task may have, and was stopped.`,
  );

const unwritable = (cause: unknown): KediError =>
  cause instanceof KediError && cause.code === 'STORE_UNAVAILABLE'
    ? cause
    : new KediError('INTERNAL', 'The output of the agent could not be recorded.', { cause });
