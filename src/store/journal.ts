import { closeSync, fdatasync, fsyncSync, ftruncateSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { encodeRecord, type StoredStep } from './journal-record.js';

/**
 * What was written and may not be in the database yet: transactions one after the other, in files that each begin where
 * the one before ends. A place in it is the number of bytes that were ever written before it.
 */
export interface Journal {
  readonly id: string;
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
  id,
  start,
  durability,
}: JournalFiles & { readonly start: number; readonly durability: 'normal' | 'full' }): Journal {
  let end = start;
  let file: { readonly start: number; readonly descriptor: number } | undefined;
  let torn = false;

  const open = (): { readonly start: number; readonly descriptor: number } => {
    const descriptor = openSync(journalFile({ directory, id }, end), 'w', 0o600);
    if (durability === 'full') syncDirectory(directory);
    file = { start: end, descriptor };
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
    id,
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

/** What a directory names survives the loss of power. */
export function syncDirectory(directory: string): void {
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The files of one journal: `id` is in their names, and in the database that they are for. */
export interface JournalFiles {
  readonly directory: string;
  readonly id: string;
}

/** Padded, so that names sort as numbers do. */
export const journalFile = ({ directory, id }: JournalFiles, start: number): string =>
  join(directory, `journal-${id}-${String(start).padStart(16, '0')}`);

/** Where the journal's files begin, in order. */
export const journalStarts = ({ directory, id }: JournalFiles): readonly number[] =>
  journalsIn(directory)
    .filter((file) => file.id === id)
    .map(({ start }) => start)
    .sort((one, other) => one - other);

/** The files of all journals. */
export const journalsIn = (directory: string) =>
  readdirSync(directory).flatMap((name) => {
    const [, id = '', start] = /^journal-([0-9a-f]{16})-(\d{16})$/.exec(name) ?? [];
    return start === undefined ? [] : [{ id, start: Number(start) }];
  });
