import { isInteger } from '../numbers.js';
import type { Keyword } from '../place.js';
import { isArray, isNumber, isObject, type JsonValue } from '../value.js';
import { fail } from '../violation.js';

/** Which types of JSON Schema are allowed. */
export const type: Keyword = ({ schema, checks }) => {
  const value = schema.get('type');
  const names = isArray(value) ? value : [value];
  const kinds = names.flatMap((name) => (typeof name === 'string' ? (types.get(name) ?? []) : []));
  const [only] = kinds;
  if (only === undefined) return;
  const rule = { keyword: 'type', message: `must be ${kinds.map((kind) => kind.words).join(' or ')}` };
  const holds = kinds.length === 1 ? only.holds : (part: JsonValue) => kinds.some((kind) => kind.holds(part));
  checks.first.push((part) => (holds(part) ? undefined : fail(rule)));
};

const types: ReadonlyMap<string, { readonly words: string; holds(value: JsonValue): boolean }> = new Map(
  Object.entries({
    null: { words: 'null', holds: (value: JsonValue) => value === null },
    boolean: { words: 'true or false', holds: (value: JsonValue) => typeof value === 'boolean' },
    string: { words: 'a string', holds: (value: JsonValue) => typeof value === 'string' },
    number: { words: 'a number', holds: isNumber },
    integer: { words: 'an integer', holds: (value: JsonValue) => isNumber(value) && isInteger(value) },
    array: { words: 'an array', holds: isArray },
    object: { words: 'an object', holds: isObject },
  }),
);
