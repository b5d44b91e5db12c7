import { closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeRecord, type StoredStep } from './journal-record.js';

/**
 * What was written and may not be in the database yet: transactions one after the other, in files that each begin where
 * the one before ends. A place in it is the number of bytes that were ever written before it.
 */
export interface Journal {
  /** Where it ends. */
  end(): number;
  /** Durable when it resolves; what fails has left nothing behind. One at a time; rejects with Node's errors. */
  append(steps: readonly StoredStep[]): Promise<void>;
  close(): void;
}

/** A file is left for the next one at this size. */
const fileBytes = 16 * 1024 * 1024;

/** Goes on at `start`. `durability` full: each append is flushed to the disk, which holds up nobody but who waits for it. */
export function createJournal({
  directory,
  start,
  durability,
}: {
  readonly directory: string;
  readonly start: number;
  readonly durability: 'normal' | 'full';
}): Journal {
  let end = start;
  let file: { readonly start: number; readonly descriptor: number } | undefined;
  let torn = false;

  const open = (): { readonly start: number; readonly descriptor: number } => {
    const descriptor = openSync(journalFile(directory, end), 'w', 0o600);
    file = { start: end, descriptor };
    if (durability === 'full') syncDirectory(directory);
    return file;
  };
  /** Takes away what a failed append has left: the next must not stand behind it. */
  const mend = (): void => {
    if (file !== undefined) ftruncateSync(file.descriptor, end - file.start);
    torn = false;
  };
  const leave = (): void => {
    if (file !== undefined) closeSync(file.descriptor);
    file = undefined;
  };

  return {
    end: () => end,
    async append(steps) {
      const record = encodeRecord(steps);
      if (torn) mend();
      const { start: before, descriptor } = file ?? open();
      try {
        for (let written = 0; written < record.length; ) {
          const from = end - before + written;
          written += writeSync(descriptor, record, written, record.length - written, from);
        }
        if (durability === 'full') await flush(descriptor);
      } catch (error) {
        torn = true;
        try {
          mend();
        } catch {
          // Tried again before the next.
        }
        throw error;
      }
      end += record.length;
      if (end - before >= fileBytes) leave();
    },
    close: leave,
  };
}

const flush = promisify(fdatasync);

function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Padded, so that names sort as numbers do. */
export const journalFile = (directory: string, start: number): string =>
  join(directory, `journal-${String(start).padStart(16, '0')}`);

/** Where the journal's files begin, in order. */
export const journalStarts = (directory: string): readonly number[] =>
  readdirSync(directory)
    .flatMap((name) => /^journal-(\d{16})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((one, other) => one - other);
