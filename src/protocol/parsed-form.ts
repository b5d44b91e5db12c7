import { readSpans, type Span } from '../schema/document.js';
import { exactNumber, isInteger } from '../schema/numbers.js';
import { jsonPointer } from '../schema/violation.js';
import { type Allowance, anything, readAllowance } from './allowance.js';
import type { Loss } from './protobuf-value.js';

/**
 * Whether a document that comes from a harness which had already parsed it is certainly, by value, the one that the
 * agent wrote (row "Parsed forms" of the README). Where it is not, a caller throws KediError RESULT_LOSSY.
 */
export const parsedFormIsExact = (document: string, schemaText: string): boolean =>
  findHiddenLoss(document, schemaText) === undefined;

/** The first place of such a document where a parser may have changed a number, and what stands there. */
export function findHiddenLoss(document: string, schemaText: string): Loss | undefined {
  const read = readSpans(document, { depth: 1_000 });
  if (!read.ok) return { pointer: '', reason: `text that cannot be read: ${read.reason}` };
  const schema = readSpans(schemaText, { depth: 1_000 });
  return findIn(read.span, { path: [], root: schema.ok ? readAllowance(schema.span) : anything });
}

function findIn(
  { kind, json, members, items }: Span,
  { path, root }: { readonly path: readonly (string | number)[]; readonly root: Allowance },
): Loss | undefined {
  const loss = (reason: string): Loss => ({ pointer: jsonPointer(path), reason });
  const here = (): Allowance =>
    path.reduce<Allowance>(
      (place, step) => place.below(typeof step === 'number' ? Math.min(step, beyondAnyPrefix) : step),
      root,
    );
  if (kind === 'null')
    return here().allows('huge') ? loss('null where a number beyond a double may have been') : undefined;
  if (kind === 'number') {
    const exact = exactNumber(json);
    if (exact === 0)
      return here().allows('tiny') ? loss('zero where a smaller number may have been') : undefined;
    if (
      exact !== undefined && isInteger(exact) ? Number.isSafeInteger(Number(json)) : typeof exact === 'number'
    )
      return undefined;
    return loss('a number with more digits than a double keeps for certain');
  }
  for (const [step, part] of [...members, ...items.entries()]) {
    const found = findIn(part, { path: [...path, step], root });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** No schema has so many `prefixItems`: what holds for the item of this index holds for all after it. */
const beyondAnyPrefix = 20_000;
