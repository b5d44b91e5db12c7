import type { JsonObject } from '../value.js';
import { atLeast, atMost } from './limit.js';
import type { ParsedPattern } from './parse-pattern.js';
import { writeMatch } from './pattern.js';
import type { Maker } from './site.js';
import { fitted, formattedIn, type Length, readable } from './wording.js';

/** Which string is made: what its place is called, and which of several like places it is. */
interface Wanted {
  readonly name: string;
  readonly turn: number;
  readonly maker: Pick<Maker, 'parse' | 'matches' | 'longestText'>;
}

/** No text need be longer where no schema demands it. */
const usual = 400;

/**
 * Strings of a length within all bounds that all patterns match: made by the patterns or by the format, or texts that
 * read well. Whether they meet all else is for the check to tell, so a few plain ones follow.
 */
export function* stringsFor(way: readonly JsonObject[], { name, turn, maker }: Wanted): Generator<string> {
  const least = atLeast(way, 'minLength');
  const most = Math.min(atMost(way, 'maxLength'), maker.longestText, Math.max(least, usual));
  if (least > most) return;
  const patterns = textsOf(way, 'pattern');
  for (const text of candidates(way, { name, maker, length: { least, most, turn } }))
    if (patterns.every((pattern) => maker.matches(pattern, text))) yield text;
}

const textsOf = (way: readonly JsonObject[], keyword: string): readonly string[] => [
  ...new Set(way.map((schema) => schema.get(keyword)).filter((value) => typeof value === 'string')),
];

function* candidates(
  way: readonly JsonObject[],
  { name, maker, length }: Omit<Wanted, 'turn'> & { readonly length: LengthInTurn },
): Generator<string> {
  for (const format of textsOf(way, 'format')) yield* formattedIn(format, length);
  const patterns = textsOf(way, 'pattern').map(maker.parse);
  yield* matchesOf(
    patterns.filter((pattern) => pattern !== undefined),
    length,
  );
  const text = readable(name, length.turn);
  if (textsOf(way, 'contentEncoding').includes('base64'))
    yield fitted(Buffer.from(text).toString('base64'), length);
  yield fitted(text, length);
  for (const plain of ['', 'a', 'A', '0', ' ', '-', 'sample', 'Sample 1'])
    yield fitted(plain, { ...length, turn: 0 });
}

type LengthInTurn = Length & { readonly turn: number };

/** All of the patterns at once, where they only ask for parts of a text; then each by itself, in several ways. */
function* matchesOf(patterns: readonly ParsedPattern[], length: LengthInTurn): Generator<string> {
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

const rank = ({ edges }: ParsedPattern): number => (edges.has('^') ? -1 : edges.has('$') ? 1 : 0);
