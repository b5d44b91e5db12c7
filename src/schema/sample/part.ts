import { charactersOf, matcherOf } from './character.js';

/** A part of a regular expression, and how many characters it matches at the least and at the most. */
export type Part = Form & { readonly shortest: number; readonly longest: number };

type Form =
  /** One character; `literal` if only that one matches, and else some that do, the most ordinary first. */
  | {
      readonly kind: 'character';
      readonly literal: boolean;
      readonly choices: readonly string[];
      matches(character: string): boolean;
    }
  | { readonly kind: 'sequence'; readonly parts: readonly Part[] }
  | { readonly kind: 'alternatives'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number }
  | { readonly kind: 'group'; readonly part: Part; readonly name: string }
  /** What a group matched, once more. */
  | { readonly kind: 'again'; readonly name: string }
  /** Something that matches no character: `^`, `$`, `\b`, or what is looked for around the place. */
  | { readonly kind: 'edge'; readonly mark: string; readonly around: Part | undefined };

const unbounded = Number.POSITIVE_INFINITY;

export const edge = (mark: string, around?: Part): Part => ({
  kind: 'edge',
  mark,
  around,
  shortest: 0,
  longest: 0,
});

/** `piece`: a class, an escape, a dot or the character itself. */
export function character(piece: string): Part {
  const matches = matcherOf(piece);
  const choices = charactersOf(piece, matches);
  const literal = !/^(?:\.$|\[|\\[dDwWsSpP])/.test(piece);
  const shortest = choices.length === 0 ? unbounded : 1;
  return { kind: 'character', literal, choices, matches, shortest, longest: 1 };
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
