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

const longestNumber = 4_096;

/**
 * Reads one JSON text (RFC 8259) in a single pass. Refused beyond its grammar: equal names in one object, numbers that
 * are not finite as doubles or longer than 4,096 characters, and more than `depth` arrays and objects inside each other.
 */
export function parse<T>(
  text: string,
  { depth: deepest, build }: { readonly depth: number; readonly build: Build<T> },
): { readonly value: T; readonly start: number; readonly end: number } {
  let at = 0;

  function refuse(fault: Fault, reason: string, offset = at): never {
    throw new Unreadable(fault, reason, offset);
  }

  function space(): void {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      at += 1;
    }
  }

  function value(depth: number): T {
    switch (text.charCodeAt(at)) {
      case 0x7b:
        return object(depth + 1);
      case 0x5b:
        return array(depth + 1);
      case 0x22: {
        const start = at;
        const decoded = string();
        return build.string(decoded, start, at);
      }
      case 0x74:
        return literal('true', true);
      case 0x66:
        return literal('false', false);
      case 0x6e:
        return literal('null', null);
      default: {
        const start = at;
        const exact = number();
        return build.number(exact, start, at);
      }
    }
  }

  function object(depth: number): T {
    if (depth > deepest) refuse('depth', `nested more than ${deepest} levels deep`);
    const start = at;
    const members = new Map<string, T>();
    at += 1;
    space();
    if (text.charCodeAt(at) === 0x7d) at += 1;
    else
      for (;;) {
        if (text.charCodeAt(at) !== 0x22) refuse('syntax', 'a name in double quotes was expected');
        const nameAt = at;
        const name = string();
        space();
        if (text.charCodeAt(at) !== 0x3a) refuse('syntax', 'a colon was expected');
        at += 1;
        space();
        const count = members.size;
        members.set(name, value(depth));
        if (members.size === count) refuse('duplicate', 'a name stands twice in one object', nameAt);
        space();
        const code = text.charCodeAt(at);
        if (code !== 0x2c && code !== 0x7d) refuse('syntax', 'a comma or a closing brace was expected');
        at += 1;
        if (code === 0x7d) break;
        space();
      }
    return build.object(members, start, at);
  }

  function array(depth: number): T {
    if (depth > deepest) refuse('depth', `nested more than ${deepest} levels deep`);
    const start = at;
    const items: T[] = [];
    at += 1;
    space();
    if (text.charCodeAt(at) === 0x5d) at += 1;
    else
      for (;;) {
        items.push(value(depth));
        space();
        const code = text.charCodeAt(at);
        if (code !== 0x2c && code !== 0x5d) refuse('syntax', 'a comma or a closing bracket was expected');
        at += 1;
        if (code === 0x5d) break;
        space();
      }
    return build.array(items, start, at);
  }

  function literal(word: string, meaning: null | boolean): T {
    if (!text.startsWith(word, at)) refuse('syntax', 'a value was expected');
    at += word.length;
    return build.literal(meaning, at - word.length, at);
  }

  function string(): string {
    const start = at + 1;
    for (at = start; ; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 0x22) {
        at += 1;
        return text.slice(start, at - 1);
      }
      if (code === 0x5c) return escaped(start);
      if (!(code >= 0x20)) refuseInString();
    }
  }

  /** The rest of a string that begins at `start` and has its first backslash at `at`. */
  function escaped(start: number): string {
    let decoded = '';
    let from = start;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === 0x5c) {
        decoded += text.slice(from, at) + meaningOfEscape();
        from = at;
      } else if (code === 0x22) {
        decoded += text.slice(from, at);
        at += 1;
        return decoded;
      } else {
        if (!(code >= 0x20)) refuseInString();
        at += 1;
      }
    }
  }

  function meaningOfEscape(): string {
    const letter = text.charAt(at + 1);
    if (letter === 'u') {
      const hexadecimal = text.slice(at + 2, at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hexadecimal)) refuse('syntax', 'four hexadecimal digits were expected');
      at += 6;
      return String.fromCharCode(Number.parseInt(hexadecimal, 16));
    }
    const meaning = escapes.get(letter);
    if (meaning === undefined) refuse('syntax', 'no such escape in a string');
    at += 2;
    return meaning;
  }

  function refuseInString(): never {
    if (at >= text.length) refuse('syntax', 'the text ends inside a string');
    refuse('syntax', 'a control character inside a string');
  }

  function digits(): void {
    const start = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    if (at === start) refuse('syntax', 'a digit was expected');
  }

  function number(): ExactNumber {
    const start = at;
    if (text.charCodeAt(at) === 0x2d) at += 1;
    else if (!isDigit(text.charCodeAt(at))) {
      refuse(
        'syntax',
        at < text.length ? 'a value was expected' : 'the text ends where a value was expected',
      );
    }
    const first = at;
    digits();
    if (text.charCodeAt(first) === 0x30 && at > first + 1)
      refuse('syntax', 'a number with a leading zero', first);
    if (text.charCodeAt(at) === 0x2e) {
      at += 1;
      digits();
    }
    let plain = at - start <= 16;
    if (text.charCodeAt(at) === 0x65 || text.charCodeAt(at) === 0x45) {
      plain = false;
      at += 1;
      const sign = text.charCodeAt(at);
      if (sign === 0x2b || sign === 0x2d) at += 1;
      digits();
    }
    const token = text.slice(start, at);
    // A sign or a point and 15 digits: a double stands for it one to one. Adding zero makes zero of minus zero.
    if (plain && (token.length <= 15 || first > start || token.includes('.'))) return Number(token) + 0;
    if (token.length > longestNumber)
      refuse('number', `a number of more than ${longestNumber} characters`, start);
    return exactNumber(token) ?? refuse('number', 'a number beyond the range of a double', start);
  }

  space();
  const start = at;
  const result = value(0);
  const end = at;
  space();
  if (at < text.length) refuse('syntax', 'text after the end of the document');
  return { value: result, start, end };
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
