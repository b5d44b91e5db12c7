import { createHash } from 'node:crypto';
import type { Step, Value } from './database.js';

/** The steps of one transaction as they stand in the journal, and back. */
export type StoredStep = Pick<Step, 'statement' | 'values'>;

/** Bytes of a record before its text: the text's length in bytes, and the beginning of its SHA-1. */
export const headBytes = 12;

/** A longer value stands behind the JSON as it is: mostly it is JSON itself, and would have to be escaped. */
const longestInline = 60;

/**
 * A transaction as one record, in bytes that are good until the next is encoded. Its text is a JSON object, a line feed,
 * and the long values one after the other; in the JSON a step is the index of its SQL with its values, a long one as
 * `[length]` in UTF-16 units.
 */
export function encodeRecord(steps: readonly StoredStep[]): Buffer {
  const sql: string[] = [];
  const long: string[] = [];
  let units = 0;
  const stored = steps.map(({ statement, values }) => {
    let index = sql.indexOf(statement.sql);
    if (index < 0) index = sql.push(statement.sql) - 1;
    const step: StoredValue[] = [index];
    for (const value of values) {
      if (typeof value === 'string' && value.length > longestInline) {
        long.push(value);
        units += value.length;
        step.push([value.length]);
      } else step.push(value);
    }
    return step;
  });
  const json = `${JSON.stringify({ sql, steps: stored } satisfies Stored)}\n`;
  const record = room(headBytes + bytesOfUnit * (json.length + units));
  let end = headBytes;
  end += record.write(json, end);
  // Each for itself: put together first, all of it would be copied once more.
  for (const value of long) end += record.write(value, end);
  record.writeUInt32LE(end - headBytes);
  digest(record.subarray(headBytes, end)).copy(record, 4, 0, headBytes - 4);
  return record.subarray(0, end);
}

/** At most, of UTF-8. */
const bytesOfUnit = 3;

const scratch = Buffer.allocUnsafeSlow(256 * 1024);
const room = (bytes: number): Buffer => (bytes <= scratch.length ? scratch : Buffer.allocUnsafe(bytes));

/** How long the text of the record with this head is, in bytes. */
export const sizeIn = (head: Buffer): number => head.readUInt32LE();

/** Whether this text was written whole, as its head says. */
export const isWhole = (head: Buffer, text: Buffer): boolean =>
  digest(text).compare(head, 4, headBytes, 0, headBytes - 4) === 0;

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

const digest = (text: Buffer): Buffer => createHash('sha1').update(text).digest();
