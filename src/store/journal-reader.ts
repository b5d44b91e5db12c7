import { closeSync, fstatSync, openSync, readSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { type JournalFiles, journalFile, journalStarts } from './journal.js';
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
  /** Removes all files, but sets aside what is damaged and not merely cut: what stands behind this place, and its files. */
  removeAll(at: number): { readonly bytes: number; readonly aside: readonly string[] };
  close(): void;
}

export function createJournalReader(files: JournalFiles): JournalReader {
  let file: { readonly start: number; readonly descriptor: number } | undefined;

  let damaged = false;

  const close = (): void => {
    if (file !== undefined) closeSync(file.descriptor);
    file = undefined;
  };
  const open = (at: number): boolean => {
    const start = journalStarts(files).findLast((one) => one <= at);
    if (start === undefined || start === file?.start) return false;
    close();
    file = { start, descriptor: openSync(journalFile(files, start), 'r') };
    return true;
  };
  const readHere = (at: number, check: boolean): Transaction | undefined => {
    // It is read again from further back where it could not be taken over.
    if (file === undefined || at < file.start) return undefined;
    const { start, descriptor } = file;
    const left = fstatSync(descriptor).size - (at - start) - headBytes;
    if (left < 0) return undefined;
    const head = readFully(descriptor, headBytes, at - start);
    const size = sizeIn(head);
    if (size > left) return undefined;
    const text = readFully(descriptor, size, at - start + headBytes);
    if (check && !isWhole(head, text)) {
      damaged = true;
      return undefined;
    }
    return { steps: decodeRecord(text), end: at + headBytes + size };
  };

  /** Where a file ends, the next begins, if there is one. */
  const read = (at: number, check: boolean): Transaction | undefined =>
    readHere(at, check) ?? (open(at) ? readHere(at, check) : undefined);

  return {
    read: (at) => read(at, false),
    readChecked: (at) => read(at, true),
    remove(at) {
      const starts = journalStarts(files);
      for (const [index, start] of starts.entries()) {
        const next = starts[index + 1];
        if (next === undefined || next > at) return;
        unlinkSync(journalFile(files, start));
      }
    },
    removeAll(at) {
      close();
      let bytes = 0;
      const aside: string[] = [];
      const starts = journalStarts(files);
      for (const start of starts) {
        const name = journalFile(files, start);
        const { size } = statSync(name);
        const behind = Math.min(Math.max(start + size - at, 0), size);
        bytes += behind;
        if (behind > 0 && (damaged || start !== starts.at(-1))) {
          renameSync(name, `${name}.damaged`);
          aside.push(`${basename(name)}.damaged`);
        } else unlinkSync(name);
      }
      return { bytes, aside };
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
