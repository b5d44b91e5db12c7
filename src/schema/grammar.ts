import { type ExactNumber, exactNumber } from './numbers.js';

/** Why a text is refused: not JSON, or JSON that not every reader would understand alike, or beyond a bound. */
export type Fault = 'encoding' | 'syntax' | 'number' | 'duplicate' | 'depth' | 'size';

/** Thrown by `parse` alone, and caught beside it in `document.ts`. */
export class Unreadable extends Error {
  readonly fault: Fault;
  readonly offset: number;

  constructor(fault: Fault, reason: string, offset: number) {
    super(reason);
    this.fault = fault;
    this.offset = offset;
  }
}

/** What to make of each value of a text; `start` and `end` are the UTF-16 offsets between which it stands. */
export interface Build<T> {
  object(members: ReadonlyMap<string, T>, start: number, end: number): T;
  array(items: readonly T[], start: number, end: number): T;
  string(value: string, start: number, end: number): T;
  number(value: ExactNumber, start: number, end: number): T;
  literal(value: null | boolean, start: number, end: number): T;
}

/** Something in a text that its author cannot have meant, at a UTF-16 offset, though the text can be read around it. */
export interface Flaw {
  readonly fault: Extract<Fault, 'duplicate' | 'number'>;
  readonly reason: string;
  readonly offset: number;
}

interface Reading<T> {
  readonly depth: number;
  readonly build: Build<T>;
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

const longestNumber = 4_096;
const longString = 128;
const noMembers: ReadonlyMap<string, never> = new Map<string, never>();
const noItems: readonly never[] = [];

/** A place in a text that moves on to its end. A class, because closures made for each text anew are a third slower. */
class Reader<T> {
  at = 0;
  readonly text: string;
  readonly deepest: number;
  readonly build: Build<T>;
  readonly flaws: Flaw[] | undefined;

  constructor(text: string, { depth, build, flaws }: Reading<T>) {
    this.text = text;
    this.deepest = depth;
    this.build = build;
    this.flaws = flaws;
  }

  refuse(fault: Fault, reason: string, offset = this.at): never {
    throw new Unreadable(fault, reason, offset);
  }

  flaw(fault: Flaw['fault'], reason: string, offset: number): void {
    if (this.flaws === undefined) this.refuse(fault, reason, offset);
    this.flaws.push({ fault, reason, offset });
  }

  /** Skips white space, and tells the character after it. */
  space(): number {
    const { text } = this;
    let { at } = this;
    let code = text.charCodeAt(at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      at += 1;
      code = text.charCodeAt(at);
    }
    this.at = at;
    return code;
  }

  value(depth: number): T {
    const start = this.at;
    switch (this.text.charCodeAt(start)) {
      case 0x7b:
        return this.object(depth + 1);
      case 0x5b:
        return this.array(depth + 1);
      case 0x22:
        return this.build.string(this.string(), start, this.at);
      case 0x74:
        return this.literal('true', true);
      case 0x66:
        return this.literal('false', false);
      case 0x6e:
        return this.literal('null', null);
      default:
        return this.build.number(this.number(), start, this.at);
    }
  }

  object(depth: number): T {
    const start = this.open(depth);
    if (this.space() === 0x7d) {
      this.at += 1;
      return this.build.object(noMembers, start, this.at);
    }
    const members = new Map<string, T>();
    for (;;) {
      const nameAt = this.at;
      if (this.text.charCodeAt(nameAt) !== 0x22)
        this.refuse('syntax', 'a name in double quotes was expected');
      const name = this.string();
      if (this.space() !== 0x3a) this.refuse('syntax', 'a colon was expected');
      this.at += 1;
      this.space();
      const count = members.size;
      members.set(name, this.value(depth));
      if (members.size === count) this.flaw('duplicate', 'a name stands twice in one object', nameAt);
      const code = this.space();
      if (code !== 0x2c && code !== 0x7d) this.refuse('syntax', 'a comma or a closing brace was expected');
      this.at += 1;
      if (code === 0x7d) return this.build.object(members, start, this.at);
      this.space();
    }
  }

  array(depth: number): T {
    const start = this.open(depth);
    if (this.space() === 0x5d) {
      this.at += 1;
      return this.build.array(noItems, start, this.at);
    }
    // A copy, since V8 may come to allocate a literal's arrays as long-lived, and all that they hold then lives as long.
    const items: T[] = noItems.slice();
    items.push(this.value(depth));
    for (;;) {
      const code = this.space();
      if (code !== 0x2c && code !== 0x5d) this.refuse('syntax', 'a comma or a closing bracket was expected');
      this.at += 1;
      if (code === 0x5d) return this.build.array(items, start, this.at);
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
    return this.build.literal(meaning, start, this.at);
  }

  string(): string {
    const { text } = this;
    const start = this.at + 1;
    for (let at = start; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === 0x5c) {
        this.at = at;
        return this.escaped(start);
      }
      if (!(code >= 0x20)) this.refuseInString(at);
    }
  }

  /** The rest of a string that begins at `start` and has its first backslash here. */
  escaped(start: number): string {
    return this.escapedAtOnce(start) ?? this.escapedPieceByPiece(start);
  }

  /** Long ones the engine decodes in a third of the time; what it refuses is read again to tell where it is wrong. */
  escapedAtOnce(start: number): string | undefined {
    const { text } = this;
    let end = this.at;
    for (let code = text.charCodeAt(end); code !== 0x22; code = text.charCodeAt(end)) {
      if (Number.isNaN(code)) return undefined;
      end += code === 0x5c ? 2 : 1;
    }
    if (end - start < longString) return undefined;
    try {
      const decoded: unknown = JSON.parse(text.slice(start - 1, end + 1));
      this.at = end + 1;
      return typeof decoded === 'string' ? decoded : undefined;
    } catch {
      return undefined;
    }
  }

  escapedPieceByPiece(start: number): string {
    const { text } = this;
    let decoded = '';
    let from = start;
    for (;;) {
      const code = text.charCodeAt(this.at);
      if (code === 0x5c) {
        decoded += text.slice(from, this.at) + this.meaningOfEscape();
        from = this.at;
      } else if (code === 0x22) {
        decoded += text.slice(from, this.at);
        this.at += 1;
        return decoded;
      } else {
        if (!(code >= 0x20)) this.refuseInString(this.at);
        this.at += 1;
      }
    }
  }

  meaningOfEscape(): string {
    const { text, at } = this;
    const letter = text.charAt(at + 1);
    if (letter === 'u') {
      const hexadecimal = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hexadecimal))
        this.refuse('syntax', 'four hexadecimal digits were expected');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(hexadecimal, 16));
    }
    const meaning = escapes.get(letter);
    if (meaning === undefined) this.refuse('syntax', 'no such escape in a string');
    this.at += 2;
    return meaning;
  }

  refuseInString(at: number): never {
    const reason =
      at < this.text.length ? 'a control character inside a string' : 'the text ends inside a string';
    this.refuse('syntax', reason, at);
  }

  number(): ExactNumber {
    const { text } = this;
    const start = this.at;
    if (text.charCodeAt(start) === 0x2d) this.at += 1;
    else if (!isDigit(text.charCodeAt(start))) this.refuse('syntax', 'a value was expected');
    const first = this.at;
    this.digits();
    if (text.charCodeAt(first) === 0x30 && this.at > first + 1) {
      this.refuse('syntax', 'a number with a leading zero', first);
    }
    if (text.charCodeAt(this.at) === 0x2e) {
      this.at += 1;
      this.digits();
    }
    const mantissa = this.at - start;
    const code = text.charCodeAt(this.at);
    if (code === 0x65 || code === 0x45) {
      this.at += 1;
      const sign = text.charCodeAt(this.at);
      if (sign === 0x2b || sign === 0x2d) this.at += 1;
      this.digits();
    }
    const token = text.slice(start, this.at);
    // Up to 15 digits: a double stands for the number one to one. Adding zero makes zero of minus zero.
    if (mantissa <= 15 && token.length === mantissa) return Number(token) + 0;
    if (token.length > longestNumber) {
      this.flaw('number', `a number of more than ${longestNumber} characters`, start);
      return 0;
    }
    const exact = exactNumber(token);
    if (exact === undefined) this.flaw('number', 'a number beyond the range of a double', start);
    return exact ?? 0;
  }

  digits(): void {
    const { text } = this;
    let { at } = this;
    while (isDigit(text.charCodeAt(at))) at += 1;
    if (at === this.at) this.refuse('syntax', 'a digit was expected');
    this.at = at;
  }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
