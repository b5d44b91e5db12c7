import type { Flaw } from './fault.js';
import type { ExactNumber } from './numbers.js';
import { Scanner } from './scanner.js';

/** A value as it was read, with whatever was made of those inside it. */
export type Read<T> = ReadonlyMap<string, T> | readonly T[] | string | ExactNumber | null | boolean;

/** Where a value stands: the UTF-16 offsets of its text, `end` behind its last character. */
export interface Extent {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Reading<T> {
  readonly depth: number;
  /** What to make of each value; left out, it is the value itself. */
  readonly make?: (value: Read<T>, extent: Extent) => T;
  /** Where flaws are gathered, instead of the text being refused for the first. */
  readonly flaws?: Flaw[];
}

/**
 * Reads one JSON text (RFC 8259) in a single pass. Refused beyond its grammar: equal names in one object, numbers that
 * are not finite as doubles or longer than 4,096 characters, and more than `depth` arrays and objects inside each other.
 * The first two are flaws, which `flaws` may gather instead: of equal names the last counts then.
 */
export function parse<T>(
  text: string,
  reading: Reading<T>,
): { readonly value: T; readonly start: number; readonly end: number } {
  const reader = new Reader(text, reading);
  reader.space();
  const start = reader.at;
  const value = reader.value(0);
  const end = reader.at;
  reader.space();
  if (reader.at < text.length) reader.refuse('syntax', 'text after the end of the document');
  return { value, start, end };
}

const noMembers: ReadonlyMap<string, never> = new Map<string, never>();
const noItems: readonly never[] = [];

/** Reads values, and what is in them, where the scanner stands. */
class Reader<T> extends Scanner {
  readonly deepest: number;
  readonly make: Reading<T>['make'];

  constructor(text: string, { depth, make, flaws }: Reading<T>) {
    super(text, flaws);
    this.deepest = depth;
    this.make = make;
  }

  made(value: Read<T>, start: number): T {
    const { make } = this;
    // Nobody who wants the values themselves should pay for a call for each.
    return make === undefined ? (value as T) : make(value, { text: this.text, start, end: this.at });
  }

  value(depth: number): T {
    const start = this.at;
    switch (this.text.charCodeAt(start)) {
      case 0x7b:
        return this.object(depth + 1);
      case 0x5b:
        return this.array(depth + 1);
      case 0x22:
        return this.made(this.string(), start);
      case 0x74:
        return this.literal('true', true);
      case 0x66:
        return this.literal('false', false);
      case 0x6e:
        return this.literal('null', null);
      default:
        return this.made(this.number(), start);
    }
  }

  object(depth: number): T {
    const start = this.open(depth);
    if (this.space() === 0x7d) {
      this.at += 1;
      return this.made(noMembers, start);
    }
    const members = new Map<string, T>();
    for (;;) {
      const nameAt = this.at;
      if (this.text.charCodeAt(nameAt) !== 0x22)
        this.refuse('syntax', 'a name in double quotes was expected');
      const name = this.name();
      if (this.space() !== 0x3a) this.refuse('syntax', 'a colon was expected');
      this.at += 1;
      this.space();
      const count = members.size;
      members.set(name, this.value(depth));
      if (members.size === count) this.flaw('duplicate', 'a name stands twice in one object', nameAt);
      const code = this.space();
      if (code !== 0x2c && code !== 0x7d) this.refuse('syntax', 'a comma or a closing brace was expected');
      this.at += 1;
      if (code === 0x7d) return this.made(members, start);
      this.space();
    }
  }

  array(depth: number): T {
    const start = this.open(depth);
    if (this.space() === 0x5d) {
      this.at += 1;
      return this.made(noItems, start);
    }
    // A copy, since V8 may come to allocate a literal's arrays as long-lived, and all that they hold then lives as long.
    const items: T[] = noItems.slice();
    items.push(this.value(depth));
    for (;;) {
      const code = this.space();
      if (code !== 0x2c && code !== 0x5d) this.refuse('syntax', 'a comma or a closing bracket was expected');
      this.at += 1;
      if (code === 0x5d) return this.made(items, start);
      this.space();
      items.push(this.value(depth));
    }
  }

  open(depth: number): number {
    if (depth > this.deepest) this.refuse('depth', `nested more than ${this.deepest} levels deep`);
    this.at += 1;
    return this.at - 1;
  }

  literal(word: string, meaning: null | boolean): T {
    const start = this.at;
    if (!this.text.startsWith(word, start)) this.refuse('syntax', 'a value was expected');
    this.at += word.length;
    return this.made(meaning, start);
  }
}
