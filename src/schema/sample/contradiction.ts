import { canonicalText } from '../canonical.js';
import { readDocument } from '../document.js';
import { exactNumber, isInteger } from '../numbers.js';
import { isArray, isObject, type JsonObject, type JsonValue } from '../value.js';
import { type Kind, kindsOf } from './kind.js';

/**
 * Tells whether a value that was copied or made for one of some schemas plainly contradicts another: by its type, or
 * since `const` or `enum` does not list it, or `not` does. All else is left to the check, which cannot tell where in the
 * document it is when `contains` or a branch fails on account of it.
 */
export function contradictions(): (way: readonly JsonObject[], text: string) => boolean {
  const known = new Map<JsonObject, readonly ReadonlySet<string>[]>();

  function listsIn(schema: JsonObject): readonly ReadonlySet<string>[] {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const [constant, values] = [schema.get('const'), schema.get('enum')];
    const lists = [...(constant === undefined ? [] : [[constant]]), ...(isArray(values) ? [values] : [])];
    const texts = lists.map((list) => new Set(list.map(canonical)));
    known.set(schema, texts);
    return texts;
  }

  return (way, text) => {
    const allowed = way.flatMap(listsIn);
    const forbidden = way
      .map((schema) => schema.get('not'))
      .flatMap((not) => (isList(not) ? listsIn(not) : []));
    const kinds = kindsOf(way);
    if (!kindsOfText(text).some((kind) => kinds.includes(kind))) return true;
    if (allowed.length + forbidden.length === 0) return false;
    const value = canonicalOf(text);
    return !allowed.every((list) => list.has(value)) || forbidden.some((list) => list.has(value));
  };
}

/** A schema with `const` or `enum` and nothing else. */
const isList = (schema: JsonValue | undefined): schema is JsonObject => isObject(schema) && schema.size === 1;

/** One text for all spellings of a document. */
export function canonicalOf(text: string): string {
  const read = readDocument(text);
  return read.ok ? canonical(read.value) : text;
}

/** What is told from each other here is our own, or the schema's: it needs no bound. */
const canonical = (value: JsonValue): string =>
  canonicalText(value, { fuel: Number.POSITIVE_INFINITY, depth: 0, evaluated: undefined });

/** By the first character: to read all of it at each level would take too long. */
function kindsOfText(text: string): readonly Kind[] {
  const kind = kindsByStart.get(text.charAt(0));
  if (kind !== undefined) return [kind];
  const number = exactNumber(text);
  return number !== undefined && isInteger(number) ? ['number', 'integer'] : ['number'];
}

const kindsByStart: ReadonlyMap<string, Kind> = new Map([
  ['{', 'object'],
  ['[', 'array'],
  ['"', 'string'],
  ['t', 'boolean'],
  ['f', 'boolean'],
  ['n', 'null'],
]);
