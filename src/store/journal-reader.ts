import { closeSync, fstatSync, openSync, readSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename } from 'node:path';
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
  /** Removes the files that end at this place or before, but for one that may still grow. */
  remove(at: number): void;
  /** Removes all files, and sets aside those that go on behind this place: their names are given. */
  removeAll(at: number): readonly string[];
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
    remove(at) {
      const starts = journalStarts(directory);
      for (const [index, start] of starts.entries()) {
        const next = starts[index + 1];
        if (next === undefined || next > at) return;
        unlinkSync(journalFile(directory, start));
      }
    },
    removeAll(at) {
      close();
      return journalStarts(directory).flatMap((start) => {
        const name = journalFile(directory, start);
        if (start + statSync(name).size <= at) {
          unlinkSync(name);
          return [];
        }
        renameSync(name, `${name}.torn`);
        return [`${basename(name)}.torn`];
      });
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
