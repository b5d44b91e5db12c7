import type { Entry } from '../domain/task.js';
import { decodeEntries, encodeEntries } from './entries.js';
import type { Batch } from './live.js';

/** A row is cut at this size, unless a single entry is larger: a reader takes whole rows. */
const rowBytes = 256 * 1024;

/** One read ends with the row that fills this many bytes, and after this many rows. */
const readBytes = 1024 * 1024;
export const rowsOfRead = 32;

/** A batch with the text that stands for it in the database. */
export interface Row extends Batch {
  readonly text: string;
}

/** Entries as rows of bounded size, `first` being the index of the first of them. */
export function cut(entries: readonly Entry[], first: number): readonly Row[] {
  const text = encodeEntries(entries);
  if (text.length <= rowBytes || entries.length === 1) return [{ first, entries, text, bytes: text.length }];
  const middle = entries.length >> 1;
  return [...cut(entries.slice(0, middle), first), ...cut(entries.slice(middle), first + middle)];
}

/** A row as it was read back. */
export const decoded = (row: { readonly first: number; readonly entries: string }): Batch => ({
  first: row.first,
  entries: decodeEntries(row.entries),
  bytes: row.entries.length,
});

/** What batches in a row hold from index `from` on, until it is enough for one read. */
export function slice(batches: readonly Batch[], from: number): readonly Entry[] {
  let start = batches.length - 1;
  while (start > 0 && (batches[start]?.first ?? 0) > from) start -= 1;
  const found: Entry[] = [];
  let bytes = 0;
  for (const batch of batches.slice(start, start + rowsOfRead)) {
    for (let index = Math.max(from - batch.first, 0); index < batch.entries.length; index += 1) {
      const entry = batch.entries[index];
      if (entry !== undefined) found.push(entry);
    }
    bytes += batch.bytes;
    if (bytes >= readBytes) break;
  }
  return found;
}
