import type { Part } from './part.js';

type Repeat = Extract<Part, { readonly kind: 'repeat' }>;

/** How much is looked at in all; what has not been by then counts as ambiguous. */
const mostSteps = 100_000;

/**
 * The repeats and alternatives of an expression that an engine may have to try in several ways on one text: repeats of
 * which it is not always clear where they end, alternatives that may begin alike.
 */
export function ambiguousIn(whole: Part): ReadonlySet<Part> {
  const found = new Set<Part>();
  let left = mostSteps;

  /** `followers`: what may come after the part; nothing at the end of all, where nothing can fail any more. */
  function look(part: Part, followers: readonly Part[]): void {
    switch (part.kind) {
      case 'edge':
        if (part.around !== undefined) look(part.around, []);
        return;
      case 'group':
        look(part.part, followers);
        return;
      case 'sequence':
        for (const [index, each] of part.parts.entries())
          look(each, following(part.parts, { from: index + 1, followers }));
        return;
      case 'alternatives':
        if (!areDistinct(part.parts)) found.add(part);
        for (const each of part.parts) look(each, followers);
        return;
      case 'repeat':
        if (!isDefinite(part, followers)) found.add(part);
        look(part.part, [part.part, ...followers]);
    }
  }

  /** Whether repetitions always end where a text does, or at a character that is not in them. */
  const isDefinite = ({ part, least, most }: Repeat, followers: readonly Part[]): boolean =>
    least === most ||
    followers.flatMap(firstsOf).every((first) => {
      if (first.kind === 'edge') return first.mark === '$';
      return first.kind === 'character' && first.literal && !mayHold(part, first.choices[0] ?? '');
    });

  /** Whether the first character of a text decides which of these it can be. */
  function areDistinct(parts: readonly Part[]): boolean {
    const starts = parts
      .flatMap(firstsOf)
      .map((part) => (part.kind === 'character' && part.literal ? part.choices[0] : ''));
    return !starts.includes('') && new Set(starts).size === starts.length;
  }

  /** What a part may begin with. */
  function firstsOf(part: Part): readonly Part[] {
    left -= 1;
    if (left < 0) return [inDoubt];
    if (part.kind === 'group' || part.kind === 'repeat') return firstsOf(part.part);
    if (part.kind === 'alternatives') return part.parts.flatMap(firstsOf);
    return part.kind === 'sequence'
      ? following(part.parts, { from: 0, followers: [] }).flatMap(firstsOf)
      : [part];
  }

  function mayHold(part: Part, text: string): boolean {
    left -= 1;
    if (left < 0) return true;
    switch (part.kind) {
      case 'edge':
        return false;
      case 'again':
        return true;
      case 'character':
        return part.matches(text);
      case 'group':
      case 'repeat':
        return mayHold(part.part, text);
      case 'sequence':
      case 'alternatives':
        return part.parts.some((each) => mayHold(each, text));
    }
  }

  look(whole, []);
  return found;
}

const inDoubt: Part = { kind: 'again', name: '', shortest: 0, longest: 0 };

/** What may come first of the parts from an index on, some of which may be empty; if all may be, what comes after. */
function following(
  parts: readonly Part[],
  { from, followers }: { readonly from: number; readonly followers: readonly Part[] },
): readonly Part[] {
  const found: Part[] = [];
  for (let index = from; index < parts.length; index += 1) {
    const part = parts[index];
    // After so many that may be empty one will be in doubt.
    if (part === undefined || found.length > 20) return [...found, inDoubt];
    found.push(part);
    if (part.shortest > 0 || (part.kind === 'edge' && part.mark === '$')) return found;
  }
  return [...found, ...followers];
}
