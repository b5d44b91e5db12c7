import { ambiguousIn } from './ambiguity.js';
import type { ParsedPattern } from './parse-pattern.js';
import type { Part } from './part.js';

/** What an engine may do on one text: a few milliseconds' worth, as a logarithm. */
const mostSteps = Math.log2(1_000_000);

const longest = 1_000_000;

/**
 * How many characters a text may have so that no engine is busy with it for long, whether it matches or not: engines go
 * back and try again wherever a text can be divided among the parts of an expression in several ways.
 */
export function longestTried(pattern: ParsedPattern | undefined): number {
  if (pattern === undefined) return 0;
  const { part, edges } = pattern;
  const ambiguous = ambiguousIn(part);
  const parts = part.kind === 'sequence' ? part.parts : [part];
  // What is looked for ahead of all else is looked for once.
  const first = parts.findIndex(({ kind }) => kind !== 'edge');
  const ahead = first < 0 ? parts : parts.slice(0, first);
  const rest = first < 0 ? [] : parts.slice(first);
  for (let length = longest; length >= 1; length = Math.floor(length * 0.8)) {
    const place = { length, ambiguous };
    const ways = Math.max(...ahead.map((each) => waysToDivide(each, place)), waysInTurn(rest, place));
    // A text is gone through once from its beginning, or from each of its characters.
    const passes = edges.has('^') ? 1 : 2;
    if (ways + passes * Math.log2(length + 1) <= mostSteps) return length;
  }
  return 0;
}

interface Place {
  readonly length: number;
  readonly ambiguous: ReadonlySet<Part>;
}

/** No less than the logarithm of the number of ways in which a text of this length may be divided within a part. */
function waysToDivide(part: Part, place: Place): number {
  const { length, ambiguous } = place;
  switch (part.kind) {
    case 'character':
      return 0;
    case 'edge':
      return part.around === undefined ? 0 : Math.log2(length + 1) + waysToDivide(part.around, place);
    case 'again':
      return Math.log2(length + 1);
    case 'group':
      return waysToDivide(part.part, place);
    case 'sequence':
      return waysInTurn(part.parts, place);
    case 'alternatives':
      return (
        Math.max(...part.parts.map((each) => waysToDivide(each, place))) +
        (ambiguous.has(part) ? Math.log2(part.parts.length) : 0)
      );
    case 'repeat': {
      const own = ambiguous.has(part) ? Math.log2(Math.min(length, part.most - part.least) + 1) : 0;
      const characters = Math.min(length, part.most * Math.min(length, part.part.longest));
      // Reckoned by the repetitions or by the characters, whichever is less.
      const byRepetition = part.most * waysToDivide(part.part, place) || 0;
      return (
        own + Math.min(byRepetition, characters * Math.log2(slots(part) * (1 + forks(part.part, ambiguous))))
      );
    }
  }
}

const waysInTurn = (parts: readonly Part[], place: Place): number =>
  parts.reduce((sum, each) => sum + waysToDivide(each, place), 0);

/** Between how many ways to go on an engine may have to choose at each character, beyond the one, in a part repeated. */
function forks(part: Part, ambiguous: ReadonlySet<Part>): number {
  switch (part.kind) {
    case 'character':
      return 0;
    case 'edge':
      return part.around === undefined ? 0 : Number.POSITIVE_INFINITY;
    case 'again':
      return 1;
    case 'group':
      return forks(part.part, ambiguous);
    case 'sequence':
      return forksIn(part.parts, ambiguous);
    case 'alternatives':
      return forksIn(part.parts, ambiguous) + (ambiguous.has(part) ? part.parts.length - 1 : 0);
    case 'repeat':
      return slots(part) * (1 + forks(part.part, ambiguous)) - (ambiguous.has(part) ? 0 : 1);
  }
}

const forksIn = (parts: readonly Part[], ambiguous: ReadonlySet<Part>): number =>
  parts.reduce((sum, each) => sum + forks(each, ambiguous), 0);

/** In how many of its repetitions a character may be, where others may be empty. */
const slots = ({ part, least, most }: Extract<Part, { readonly kind: 'repeat' }>): number =>
  part.shortest > 0 ? 1 : Number.isFinite(most) ? Math.max(1, most) : least + 1;
