import { crc32 } from './crc32.js';
import type { Step, Value } from './database.js';

/** What the journal has of a step. */
export type StoredStep = Pick<Step, 'statement' | 'values'>;

/** Bytes of a record before its text: the text's length in bytes, and its CRC-32. */
export const headBytes = 8;

/** A longer value stands behind the JSON as it is: mostly it is JSON itself, and would have to be escaped. */
const longestInline = 60;

/**
 * A transaction as one record, in bytes that are good until the next is encoded. Its text is a JSON object, a line feed,
 * and the long values one after the other; in the JSON a step is the index of its SQL with its values, a long one as
 * `[length]` in UTF-16 units.
 */
export function encodeRecord(steps: readonly StoredStep[]): Buffer {
  const sql: string[] = [];
  const texts = [''];
  const stored = steps.map(({ statement, values }) => {
    let index = sql.indexOf(statement.sql);
    if (index < 0) index = sql.push(statement.sql) - 1;
    const step: StoredValue[] = [index];
    for (const value of values) {
      if (typeof value === 'string' && value.length > longestInline) {
        texts.push(value);
        step.push([value.length]);
      } else step.push(value);
    }
    return step;
  });
  texts[0] = `${JSON.stringify({ sql, steps: stored } satisfies Stored)}\n`;
  const record = roomFor(texts);
  let end = headBytes;
  // Each for itself: put together first, all of it would be copied once more.
  for (const text of texts) end += record.write(text, end);
  record.writeUInt32LE(end - headBytes);
  record.writeUInt32LE(crc32(record.subarray(headBytes, end)), 4);
  return record.subarray(0, end);
}

/** For all but large records: what is new for each would wait for the collector, outside of the heap that it looks at. */
const scratch = Buffer.allocUnsafeSlow(1024 * 1024);

/** What is written must be read again, and no text is longer than 512 MiB here. */
const largest = 256 * 1024 * 1024;

function roomFor(texts: readonly string[]): Buffer {
  // A UTF-16 unit takes three bytes of UTF-8 at most.
  const most = texts.reduce((sum, text) => sum + 3 * text.length, headBytes);
  if (most <= scratch.length) return scratch;
  const exact = texts.reduce((sum, text) => sum + Buffer.byteLength(text), headBytes);
  if (exact > largest) throw new RangeError('more than 256 MiB were to be written at once');
  return exact <= scratch.length ? scratch : Buffer.allocUnsafe(exact);
}

/** How long the text of the record with this head is, in bytes. */
export const sizeIn = (head: Buffer): number => head.readUInt32LE();

/** Whether this text was written whole, as its head says. No record is empty, but zeros would look like one. */
export const isWhole = (head: Buffer, text: Buffer): boolean =>
  text.length > 0 && crc32(text) === head.readUInt32LE(4);

/** The steps of a record, given its text. */
export function decodeRecord(text: Buffer): readonly StoredStep[] {
  const end = text.indexOf('\n');
  const { sql, steps }: Stored = JSON.parse(text.toString('utf8', 0, end));
  const statements = sql.map((one) => ({ sql: one }));
  const tail = text.toString('utf8', end + 1);
  let start = 0;
  return steps.map(([index, ...stored]) => {
    const statement = statements[Number(index)];
    if (statement === undefined)
      throw new Error('A record of the journal names a statement that it does not have.');
    const values = stored.map((value): Value => {
      if (typeof value !== 'object') return value;
      const long = tail.slice(start, start + value[0]);
      start += value[0];
      return long;
    });
    return { statement, values };
  });
}

type StoredValue = Value | readonly [length: number];

interface Stored {
  readonly sql: readonly string[];
  readonly steps: readonly (readonly StoredValue[])[];
}
