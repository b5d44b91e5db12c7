import { canonicalText } from '../canonical.js';
import { type Keyword, listAt } from '../place.js';
import { type Check, type Run, spend } from '../run.js';
import type { JsonValue } from '../value.js';
import { fail, quote, quoteAll, type Rule } from '../violation.js';

/** `const`: the one value that is allowed. */
export const constant: Keyword = ({ schema, checks }) => {
  const value = schema.get('const');
  if (value === undefined) return;
  checks.first.push(oneOf([value], { keyword: 'const', message: `must be ${quote(value)}` }));
};

/** `enum`: the values that are allowed. */
export const enumeration: Keyword = (place) => {
  if (!place.schema.has('enum')) return;
  const values = listAt(place, 'enum');
  const message = values.length === 0 ? 'has no value that is allowed' : `must be one of ${quoteAll(values)}`;
  place.checks.first.push(oneOf(values, { keyword: 'enum', message }));
};

/** Text of a whole array or object is made only where the schema has one to compare it with. */
function oneOf(values: readonly JsonValue[], rule: Rule): Check {
  const simple = new Set(values.filter(isSimple));
  const compound = new Set(
    values.filter((value) => !isSimple(value)).map((value) => canonicalText(value, unbounded())),
  );
  return (value, run) => {
    if (isSimple(value)) {
      spend(run, typeof value === 'string' ? 1 + value.length / 16 : 1);
      return simple.has(value) ? undefined : fail(rule);
    }
    return compound.size > 0 && compound.has(canonicalText(value, run)) ? undefined : fail(rule);
  };
}

/** Whether equality of JSON is what a Set takes for equal: not for decimals, of which each reading makes another object. */
const isSimple = (value: JsonValue): boolean => typeof value !== 'object' || value === null;

/** A schema is at most 32 KiB, and its constants are made into text once. */
const unbounded = (): Run => ({ fuel: Number.POSITIVE_INFINITY, depth: 0, evaluated: undefined });
