import type { ParsedPattern } from './parse-pattern.js';
import type { Part } from './part.js';
import type { Length } from './wording.js';

/**
 * Writes a text that a regular expression matches, of a length within these bounds; undefined where that cannot be done
 * or it is not known how. `turn` makes the texts of like places differ. Whether it does match is for the check to tell,
 * since look-around and word boundaries are passed over here.
 */
export function writeMatch(
  { part, edges, looksAround }: ParsedPattern,
  { least, most, turn }: Length & { readonly turn: number },
): string | undefined {
  if (part.shortest > most) return undefined;
  const state: State = {
    turn,
    // Where something looks ahead for a digit or a capital, all sorts of characters have to come soon.
    stride: looksAround ? 27 : 1,
    position: 0,
    need: Math.max(0, least - part.shortest),
    slack: most - part.shortest,
    work: 0,
    matched: new Map(),
  };
  const text = write(part, state);
  if (text === undefined) return undefined;
  const missing = 'a'.repeat(Math.max(0, least - [...text].length));
  if (missing === '' || !edges.has('$')) return text + missing;
  return edges.has('^') ? undefined : missing + text;
}

/** What is known while a text is written from left to right. */
interface State {
  readonly turn: number;
  readonly stride: number;
  position: number;
  /** Characters that must be added to the shortest text, and those that may be. */
  need: number;
  slack: number;
  work: number;
  readonly matched: Map<string, string>;
}

const mostWork = 1_000_000;

/** How many repetitions are written where some are allowed and none are needed: enough to show what they are. */
const usual = 3;

function write(part: Part, state: State): string | undefined {
  state.work += 1;
  if (state.work > mostWork) return undefined;
  switch (part.kind) {
    case 'edge':
      return '';
    case 'character': {
      const { choices } = part;
      const chosen = choices[(state.turn + state.position * state.stride) % choices.length];
      state.position += 1;
      return chosen;
    }
    case 'again':
      return state.matched.get(part.name) ?? '';
    case 'group': {
      const text = write(part.part, state);
      if (text !== undefined) state.matched.set(part.name, text);
      return text;
    }
    case 'sequence':
      return writeAll(part.parts, state);
    case 'alternatives':
      return writeOne(part.parts, state);
    case 'repeat':
      return writeAll(new Array<Part>(times(part, state)).fill(part.part), state);
  }
}

function writeAll(parts: readonly Part[], state: State): string | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    const text = write(part, state);
    if (text === undefined) return undefined;
    texts.push(text);
  }
  return texts.join('');
}

function writeOne(parts: readonly Part[], state: State): string | undefined {
  const shortest = Math.min(...parts.map((part) => part.shortest));
  const possible = parts.filter((part) => part.shortest - shortest <= state.slack);
  const long = possible.filter((part) => part.longest - shortest >= state.need);
  const choices = long.length > 0 ? long : possible;
  const chosen = choices[state.turn % choices.length];
  if (chosen === undefined) return undefined;
  take(state, chosen.shortest - shortest);
  return write(chosen, state);
}

function times({ part, least, most }: Extract<Part, { kind: 'repeat' }>, state: State): number {
  if (part.shortest === Number.POSITIVE_INFINITY) return 0;
  // Nothing repeated is still nothing: it need not be there.
  const unit = Math.max(1, part.shortest);
  const base = part.shortest === 0 ? 0 : least;
  const wanted = state.need > 0 ? Math.ceil(state.need / unit) : usual;
  const more = Math.min(wanted, most - base, Math.floor(state.slack / unit));
  take(state, more * part.shortest);
  return base + more;
}

function take(state: State, characters: number): void {
  state.need = Math.max(0, state.need - characters);
  state.slack -= characters;
}
