import { again, alternatives, character, edge, group, type Part, repeat, sequence } from './part.js';

/** A regular expression, as far as one has to know it to write a text that it matches. */
export interface ParsedPattern {
  readonly part: Part;
  /** Which of `^` and `$` it has, beside which nothing may be added to a text. */
  readonly edges: ReadonlySet<string>;
  readonly looksAround: boolean;
}

/** What an escape stands for that is one character: all forms of ECMA-262 with the flag `u`. */
const escaped =
  /\\(?:u\{[\da-fA-F]+\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|.)/suy;

const deepest = 100;

/** Reads a regular expression that compiles with the flag `u`; undefined where it is nested too deep. */
export function parsePattern(source: string): ParsedPattern | undefined {
  const edges = new Set<string>();
  let looksAround = false;
  let groups = 0;
  let depth = 0;
  let at = 0;

  /** Goes over the next token, if it is of this form. */
  function next(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = at;
    const found = form.exec(source);
    if (found === null) return undefined;
    at = form.lastIndex;
    return found;
  }

  function readAlternatives(): Part {
    const parts = [readSequence()];
    while (next(/\|/uy)) parts.push(readSequence());
    return alternatives(parts);
  }

  function readSequence(): Part {
    const parts: Part[] = [];
    while (at < source.length && source.charAt(at) !== '|' && source.charAt(at) !== ')') {
      const part = readAtom();
      const [, sign, count = '', comma, most] = next(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy) ?? ['', ''];
      if (sign === '') parts.push(part);
      else if (sign === undefined)
        parts.push(
          repeat(
            part,
            Number(count),
            comma === '' ? Number(count) : Number(most || Number.POSITIVE_INFINITY),
          ),
        );
      else parts.push(repeat(part, sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY));
    }
    return sequence(parts);
  }

  function readAtom(): Part {
    const mark = next(/\^|\$|\\[bB]/uy);
    if (mark !== undefined) {
      edges.add(mark[0]);
      return edge(mark[0]);
    }
    const opening = next(/\((?:\?(?:(<?[=!])|:|<([^>]*)>))?/uy);
    if (opening !== undefined) return readGroup(opening);
    const reference = next(/\\(?:k<([^>]*)>|([1-9]\d*))/uy);
    if (reference !== undefined) return again(reference[1] ?? reference[2] ?? '');
    const [one = ''] = next(/\[(?:[^\]\\]|\\.)*\]/suy) ?? next(escaped) ?? next(/./suy) ?? [];
    return character(one);
  }

  function readGroup([opening, looks, name]: RegExpExecArray): Part {
    if (looks !== undefined) looksAround = true;
    const number = opening === '(' || name !== undefined ? ++groups : 0;
    depth += 1;
    if (depth > deepest) throw new TooDeep();
    const part = readAlternatives();
    depth -= 1;
    next(/\)/uy);
    if (looks !== undefined) return edge(looks, part);
    return number === 0 ? part : group(group(part, String(number)), name ?? String(number));
  }

  try {
    return { part: readAlternatives(), edges, looksAround };
  } catch (error) {
    if (error instanceof TooDeep) return undefined;
    throw error;
  }
}

class TooDeep extends Error {}
