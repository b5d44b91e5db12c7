import type { Span } from '../schema/document.js';
import { compareNumbers, type ExactNumber, exactNumber, isInteger } from '../schema/numbers.js';
import { jsonPointer } from '../schema/violation.js';

/**
 * Whether the number of this JSON token passes through a double and keeps its value: an integer equals the exact value
 * of its double, a fraction equals the shortest decimal that reads back to the same double.
 */
export function losslessInDouble(token: string): boolean {
  const exact = exactNumber(token);
  return exact !== undefined && isLossless(exact, Number(token));
}

/** The same of a value already read, `double` being the double nearest to it. */
export function isLossless(exact: ExactNumber, double: number): boolean {
  if (Number.isSafeInteger(exact)) return true;
  if (!Number.isFinite(double)) return false;
  const back = exactNumber(isInteger(exact) ? BigInt(double).toString() : String(double));
  return back !== undefined && compareNumbers(exact, back) === 0;
}

/** JSON pointer to the first number that a double would change; undefined where there is none. */
export function findLossyNumber({ kind, json, members, items }: Span, pointer = ''): string | undefined {
  if (kind === 'number') return losslessInDouble(json) ? undefined : pointer;
  for (const [name, member] of members) {
    const found = findLossyNumber(member, pointer + jsonPointer([name]));
    if (found !== undefined) return found;
  }
  for (const [index, item] of items.entries()) {
    const found = findLossyNumber(item, `${pointer}/${index}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
