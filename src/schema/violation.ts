import type { Violation } from '../domain/schema.js';
import { printNumber } from './numbers.js';
import { isNumber, isObject, type JsonValue } from './value.js';

/** One assertion of a schema, in words that hold no value of any document: made once, when the schema is compiled. */
export interface Rule {
  readonly keyword: string;
  readonly message: string;
}

/** A rule that was broken, and the way there: the names and indices from the broken value out to the root. */
export interface Failure {
  readonly rule: Rule;
  readonly path: (string | number)[];
}

/** A rule broken right here. */
export const fail = (rule: Rule): Failure => ({ rule, path: [] });

/** The failure of a part, seen from the whole; called while unwinding, so that success costs nothing. */
export function within(step: string | number, failure: Failure): Failure {
  failure.path.push(step);
  return failure;
}

/** The failure for those outside: its pointer, its keyword, and one line of pointer and rule. */
export function toViolation({ rule, path }: Failure): Violation {
  const pointer = jsonPointer(path.toReversed());
  return { pointer, keyword: rule.keyword, message: `${place(pointer)}: ${oneLine(rule.message)}` };
}

/** RFC 6901. */
export const jsonPointer = (steps: readonly (string | number)[]): string =>
  steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** How a line of plain words names a place: its pointer, cut where a name is very long, or `(root)`. */
export const place = (pointer: string): string => (pointer === '' ? '(root)' : oneLine(clip(pointer, 200)));

/** A value of a schema as a message quotes it: at most 60 characters. */
export const quote = (value: JsonValue): string => clip(print(value, 60), 60);

/** Several values of a schema, the first eight of them. */
export const quoteAll = (values: readonly JsonValue[]): string =>
  values.length > 8 ? `${values.slice(0, 8).map(quote).join(', ')}, …` : values.map(quote).join(', ');

/** At most so many characters of a text, never half of a pair. */
export const clip = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;

/** Control characters and line separators, which would make several lines of one, as JSON escapes them. */
const oneLine = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Enough of a value's text to fill `room` characters. */
function print(value: JsonValue, room: number): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room));
  if (isNumber(value)) return printNumber(value);
  const [open, close] = isObject(value) ? '{}' : '[]';
  let text = `${open}`;
  for (const [step, part] of value.entries()) {
    if (text.length >= room) break;
    if (text.length > 1) text += ',';
    if (typeof step === 'string') text += `${print(step, room)}:`;
    text += print(part, room - text.length);
  }
  return `${text}${close}`;
}
