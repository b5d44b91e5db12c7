import type { JsonObject } from '../value.js';
import { atLeast, atMost } from './limit.js';
import { parsePattern } from './parse-pattern.js';
import { writeMatch } from './pattern.js';
import { fitted, formattedIn, type Length, readable } from './wording.js';

/** Which string is made: what its place is called, and which of several like places it is. */
interface Wanted {
  readonly name: string;
  readonly turn: number;
  /** In characters, whatever the schemas demand. */
  readonly longest: number;
}

/** No text need be longer where no schema demands it. */
const usual = 400;

/**
 * Strings of a length within all bounds: by the patterns, by the format, or a text that reads well. Whether they meet
 * all else is for the check to tell, so a few plain ones follow.
 */
export function* stringsFor(way: Iterable<JsonObject>, { name, turn, longest }: Wanted): Generator<string> {
  const schemas = [...way];
  const least = atLeast(schemas, 'minLength');
  const most = Math.min(atMost(schemas, 'maxLength'), longest, Math.max(least, usual));
  if (least > most) return;
  const length = { least, most, turn };
  const textsOf = (keyword: string): readonly string[] => [
    ...new Set(schemas.map((schema) => schema.get(keyword)).filter((value) => typeof value === 'string')),
  ];
  const patterns = textsOf('pattern');
  for (const format of textsOf('format')) yield* formattedIn(format, length);
  if (patterns.length > 0) yield* matchesOf(patterns, length);
  if (textsOf('contentEncoding').includes('base64'))
    yield fitted(Buffer.from(readable(name, turn)).toString('base64'), length);
  yield fitted(readable(name, turn), length);
  for (const plain of ['', 'a', 'A', '0', ' ', '-', 'sample', 'Sample 1'])
    yield fitted(plain, { ...length, turn: 0 });
}

/** All of the patterns at once, where they only ask for parts of a text; then each by itself, in several ways. */
function* matchesOf(
  patterns: readonly string[],
  length: Length & { readonly turn: number },
): Generator<string> {
  if (patterns.length > 1) {
    // What has to begin a text comes first, and what has to end it last.
    const inOrder = patterns.toSorted((one, other) => rank(one) - rank(other));
    const texts = inOrder.map((pattern) => writeMatch(pattern, { ...length, least: 0 }));
    if (texts.every((text) => text !== undefined)) yield fitted(texts.join(''), length);
  }
  for (const pattern of patterns) {
    for (let more = 0; more < ways; more += 1) {
      const text = writeMatch(pattern, { ...length, turn: length.turn + more });
      if (text !== undefined) yield text;
    }
  }
}

const ways = 4;

function rank(pattern: string): number {
  const edges = parsePattern(pattern)?.edges ?? new Set();
  return edges.has('^') ? -1 : edges.has('$') ? 1 : 0;
}
