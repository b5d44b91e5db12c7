import { charactersOf, matcherOf } from './character.js';

/** A part of a regular expression, and how many characters it matches at the least and at the most. */
export type Part = Form & { readonly shortest: number; readonly longest: number };

type Form =
  /** One character, as the expression has it; the choices are some of those that match, the most ordinary first. */
  | { readonly kind: 'character'; readonly piece: string; readonly choices: readonly string[] }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'alternatives'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number }
  | { readonly kind: 'group'; readonly part: Part; readonly name: string }
  /** What a group matched, once more. */
  | { readonly kind: 'again'; readonly name: string }
  /** Something that matches no character: `^`, `$`, `\b`, look-around. */
  | { readonly kind: 'edge' };

const unbounded = Number.POSITIVE_INFINITY;

export const edge: Part = { kind: 'edge', shortest: 0, longest: 0 };

export function character(piece: string): Part {
  const choices = charactersOf(piece);
  return { kind: 'character', piece, choices, shortest: choices.length === 0 ? unbounded : 1, longest: 1 };
}

const sequenceOf = (parts: readonly Part[]): Part => ({
  kind: 'sequence',
  parts,
  shortest: parts.reduce((sum, { shortest }) => sum + shortest, 0),
  longest: parts.reduce((sum, { longest }) => sum + longest, 0),
});

const alternativesOf = (parts: readonly Part[]): Part => ({
  kind: 'alternatives',
  parts,
  shortest: Math.min(...parts.map(({ shortest }) => shortest)),
  longest: Math.max(...parts.map(({ longest }) => longest)),
});

/** What stands alone needs nothing around it. */
export const sequence = (parts: readonly Part[]): Part =>
  (parts.length === 1 && parts[0]) || sequenceOf(parts);
export const alternatives = (parts: readonly Part[]): Part =>
  (parts.length === 1 && parts[0]) || alternativesOf(parts);

export const repeat = (part: Part, least: number, most: number): Part => ({
  kind: 'repeat',
  part,
  least,
  most,
  shortest: least === 0 ? 0 : least * part.shortest,
  longest: most === 0 || part.longest === 0 ? 0 : most * part.longest,
});

export const group = (part: Part, name: string): Part => ({
  kind: 'group',
  part,
  name,
  shortest: part.shortest,
  longest: part.longest,
});

export const again = (name: string): Part => ({ kind: 'again', name, shortest: 0, longest: unbounded });

/**
 * Whether a text that fails to match may keep an engine busy for a time that grows exponentially with its length:
 * something that is repeated can itself be divided in several ways.
 */
export function mayExplode(part: Part, repeated = false): boolean {
  switch (part.kind) {
    case 'character':
    case 'edge':
      return false;
    case 'again':
      return repeated;
    case 'group':
      return mayExplode(part.part, repeated);
    case 'sequence':
      return part.parts.some((each) => mayExplode(each, repeated));
    case 'alternatives':
      return (repeated && part.parts.length > 1) || part.parts.some((each) => mayExplode(each, repeated));
    case 'repeat':
      return (
        (repeated && part.least !== part.most) ||
        mayExplode(part.part, (repeated || part.most > 10) && !isSeparated(part.part))
      );
  }
}

/** Whether repetitions are told apart by a character at their beginning or end that nothing else in them matches. */
function isSeparated(part: Part): boolean {
  if (part.kind === 'group') return isSeparated(part.part);
  if (part.kind !== 'sequence') return false;
  return [part.parts.at(0), part.parts.at(-1)].some((separator) => {
    if (separator?.kind !== 'character' || /^(?:\.$|\[|\\[dDwWsSpP])/.test(separator.piece)) return false;
    const [text = ''] = separator.choices;
    return part.parts.every((each) => each === separator || !mayHold(each, text));
  });
}

function mayHold(part: Part, text: string): boolean {
  switch (part.kind) {
    case 'edge':
      return false;
    case 'again':
      return true;
    case 'character':
      return matcherOf(part.piece)(text);
    case 'group':
    case 'repeat':
      return mayHold(part.part, text);
    case 'sequence':
    case 'alternatives':
      return part.parts.some((each) => mayHold(each, text));
  }
}
