import { canonicalText } from '../canonical.js';
import { readDocument } from '../document.js';
import { newRun } from '../run.js';
import { isArray, isObject, type JsonObject, type JsonValue } from '../value.js';

/**
 * Whether `not` of one of these schemas lists this very value. Other things that must not be are left to the check,
 * which cannot tell where they are when a branch or `contains` fails on account of them.
 */
export function isExcluded(way: readonly JsonObject[], text: string): boolean {
  const excluded = way.flatMap((schema) => valuesIn(schema.get('not')));
  return excluded.length > 0 && excluded.map(canonical).includes(canonicalOf(text));
}

/** One text for all spellings of a document. */
export function canonicalOf(text: string): string {
  const read = readDocument(text);
  return read.ok ? canonical(read.value) : text;
}

const canonical = (value: JsonValue): string => canonicalText(value, newRun(0));

function valuesIn(not: JsonValue | undefined): readonly JsonValue[] {
  if (!isObject(not) || not.size !== 1) return [];
  const [constant, values] = [not.get('const'), not.get('enum')];
  return constant !== undefined ? [constant] : isArray(values) ? values : [];
}
