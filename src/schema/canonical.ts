import { canonicalNumber } from './numbers.js';
import { type Run, spend } from './run.js';
import { isNumber, isObject, type JsonObject, type JsonValue } from './value.js';

/**
 * One text for all spellings of one value, so that equality is equality of texts: members in order of their names,
 * numbers by value. Costs fuel by the text it makes.
 */
export function canonicalText(value: JsonValue, run: Run): string {
  spend(run, 4);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') {
    spend(run, value.length / 8);
    return JSON.stringify(value);
  }
  if (isNumber(value)) {
    const text = canonicalNumber(value);
    spend(run, text.length / 8);
    return text;
  }
  if (isObject(value)) return canonicalObject(value, run);
  return `[${value.map((item) => canonicalText(item, run)).join(',')}]`;
}

function canonicalObject(object: JsonObject, run: Run): string {
  spend(run, object.size * (4 + Math.log2(object.size + 1)));
  const members = [...object].sort(([one], [other]) => (one < other ? -1 : 1));
  const texts = members.map(([name, member]) => `${canonicalText(name, run)}:${canonicalText(member, run)}`);
  return `{${texts.join(',')}}`;
}
