import { closeSync, fstatSync, openSync, readSync, statSync, unlinkSync } from 'node:fs';
import { journalFile, journalStarts } from './journal.js';
import { decodeRecord, headBytes, isWhole, type StoredStep, sizeIn } from './journal-record.js';

/** One transaction of a journal, and where it ends. */
export interface Transaction {
  readonly steps: readonly StoredStep[];
  readonly end: number;
}

/** Reads a journal while it is being written, and removes what is no longer needed of it. Throws Node's errors. */
export interface JournalReader {
  /** The transaction at this place; undefined where the journal ends. */
  read(at: number): Transaction | undefined;
  /** The same for a journal that others have left, and only where it was written whole. */
  readChecked(at: number): Transaction | undefined;
  /** Where its last file ends, whole or not; undefined: there is none. */
  end(): number | undefined;
  /** Removes the files that end at this place or before; `all`: those that go on behind it as well. */
  remove(at: number, all?: 'all'): void;
  close(): void;
}

export function createJournalReader(directory: string): JournalReader {
  let file: { readonly start: number; readonly descriptor: number } | undefined;

  const close = (): void => {
    if (file !== undefined) closeSync(file.descriptor);
    file = undefined;
  };
  const open = (at: number): boolean => {
    const start = journalStarts(directory).findLast((one) => one <= at);
    if (start === undefined || start === file?.start) return false;
    close();
    file = { start, descriptor: openSync(journalFile(directory, start), 'r') };
    return true;
  };
  const readHere = (at: number, check: boolean): Transaction | undefined => {
    if (file === undefined) return undefined;
    const { start, descriptor } = file;
    const left = fstatSync(descriptor).size - (at - start) - headBytes;
    if (left < 0) return undefined;
    const head = readFully(descriptor, headBytes, at - start);
    const size = sizeIn(head);
    if (size > left) return undefined;
    const text = readFully(descriptor, size, at - start + headBytes);
    if (check && !isWhole(head, text)) return undefined;
    return { steps: decodeRecord(text), end: at + headBytes + size };
  };

  /** Where a file ends, the next begins, if there is one. */
  const read = (at: number, check: boolean): Transaction | undefined =>
    readHere(at, check) ?? (open(at) ? readHere(at, check) : undefined);

  return {
    read: (at) => read(at, false),
    readChecked: (at) => read(at, true),
    end() {
      const last = journalStarts(directory).at(-1);
      return last === undefined ? undefined : last + statSync(journalFile(directory, last)).size;
    },
    remove(at, all) {
      const starts = journalStarts(directory);
      for (const [index, start] of starts.entries()) {
        if (all === undefined && (starts[index + 1] ?? Number.POSITIVE_INFINITY) > at) return;
        if (start === file?.start) close();
        unlinkSync(journalFile(directory, start));
      }
    },
    close,
  };
}

function readFully(descriptor: number, size: number, position: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  for (let read = 0; read < size; ) {
    const more = readSync(descriptor, bytes, read, size - read, position + read);
    if (more === 0) throw new Error('A file of the journal was cut while it was read.');
    read += more;
  }
  return bytes;
}
