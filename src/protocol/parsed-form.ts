import { readSpans, type Span } from '../schema/document.js';
import { exactNumber, isInteger } from '../schema/numbers.js';
import { jsonPointer } from '../schema/violation.js';
import { type Allows, readAllowances } from './allowance.js';
import type { Loss } from './protobuf-value.js';

/**
 * Whether a document that comes from a harness which had already parsed it is certainly, by value, the one that the
 * agent wrote (README, Limits). Where it is not, a caller throws KediError RESULT_LOSSY.
 */
export const parsedFormIsExact = (document: string, schemaText: string): boolean =>
  findHiddenLoss(document, schemaText) === undefined;

/**
 * The first place of such a document where a parser may have changed a number, and what stands there. The schema has
 * been accepted before; one that cannot be is KediError `SCHEMA_…`.
 */
export function findHiddenLoss(document: string, schemaText: string): Loss | undefined {
  const read = readSpans(document, { depth: 1_000 });
  if (!read.ok) return { pointer: '', reason: `text that cannot be read: ${read.reason}` };
  return findIn(read.span, { path: [], allows: readAllowances(schemaText) });
}

function findIn(
  { kind, json, members, items }: Span,
  { path, allows }: { readonly path: readonly (string | number)[]; readonly allows: Allows },
): Loss | undefined {
  const loss = (reason: string): Loss => ({ pointer: jsonPointer(path), reason });
  if (kind === 'null')
    return allows(path, 'huge') ? loss('null where a number beyond a double may have been') : undefined;
  if (kind === 'number') {
    const exact = exactNumber(json) ?? Number.NaN;
    if (exact === 0)
      return allows(path, 'tiny') ? loss('zero where a smaller number may have been') : undefined;
    if (isInteger(exact) ? Number.isSafeInteger(Number(json)) : typeof exact === 'number') return undefined;
    return loss('a number with more digits than a double keeps for certain');
  }
  for (const [step, part] of [...members, ...items.entries()]) {
    const found = findIn(part, { path: [...path, step], allows });
    if (found !== undefined) return found;
  }
  return undefined;
}
