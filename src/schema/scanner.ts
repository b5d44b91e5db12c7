import { type Fault, type Flaw, Unreadable } from './fault.js';
import { type ExactNumber, exactNumber } from './numbers.js';

/** How many flaws are gathered before the text is refused all the same. */
const mostFlaws = 100;

const longestNumber = 4_096;
const powersOfTen = Array.from({ length: 16 }, (_, exponent) => Number(`1e${exponent}`));
const longString = 128;

/** The long string that was decoded last, as it stands in quotes: a program sends the same schema again and again. */
let latest = { literal: '""', decoded: '' };
const longestKept = 65_536;

/**
 * Names that were read lately, each where its characters lead to: the same few come again and again, and then none has
 * to be made and hashed anew. Only short ones, since a longer part of a text keeps the whole of it.
 */
const mostNames = 256;
const longestName = 12;
const names: string[] = Array.from({ length: mostNames }, () => '');

/**
 * A place in a text of JSON that moves on to its end, and reads the strings and numbers on its way. A class, because
 * closures made for each text anew are a third slower.
 */
export class Scanner {
  at = 0;
  readonly text: string;
  readonly flaws: Flaw[] | undefined;

  constructor(text: string, flaws: Flaw[] | undefined) {
    this.text = text;
    this.flaws = flaws;
  }

  refuse(fault: Fault, reason: string, offset = this.at): never {
    throw new Unreadable(fault, reason, offset);
  }

  flaw(fault: Flaw['fault'], reason: string, offset: number): void {
    // Whoever gathers them looks through them for each part of the text, so they must stay few.
    if (this.flaws === undefined || this.flaws.length >= mostFlaws) this.refuse(fault, reason, offset);
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

  /** A string that names a member of an object. */
  name(): string {
    const { text } = this;
    const start = this.at + 1;
    let mix = 0;
    let at = start;
    let code = text.charCodeAt(at);
    for (; code >= 0x20 && code !== 0x22 && code !== 0x5c; code = text.charCodeAt(at)) {
      mix = (mix * 31 + code) | 0;
      at += 1;
    }
    if (code !== 0x22 || at - start > longestName) return this.string();
    this.at = at + 1;
    const slot = mix & (mostNames - 1);
    const known = names[slot];
    if (known?.length === at - start && text.startsWith(known, start)) return known;
    const name = text.slice(start, at);
    names[slot] = name;
    return name;
  }

  /** The rest of a string that begins at `start` and has its first backslash here. */
  escaped(start: number): string {
    const end = start - 1 + latest.literal.length;
    if (this.text.slice(start - 1, end) === latest.literal) {
      this.at = end;
      return latest.decoded;
    }
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
    const literal = text.slice(start - 1, end + 1);
    try {
      const decoded = String(JSON.parse(literal));
      this.at = end + 1;
      if (literal.length <= longestKept) {
        // A part of a text keeps the whole of it; and half of a surrogate pair would not be the same in the copy.
        const copy = Buffer.from(literal).toString();
        if (copy === literal) latest = { literal: copy, decoded };
      }
      return decoded;
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
    const isNegative = text.charCodeAt(start) === 0x2d;
    if (isNegative) this.at += 1;
    else if (!isDigit(text.charCodeAt(start))) this.refuse('syntax', 'a value was expected');
    const first = this.at;
    let mantissa = this.digits(0);
    if (text.charCodeAt(first) === 0x30 && this.at > first + 1) {
      this.refuse('syntax', 'a number with a leading zero', first);
    }
    let places = 0;
    if (text.charCodeAt(this.at) === 0x2e) {
      this.at += 1;
      const point = this.at;
      mantissa = this.digits(mantissa);
      places = this.at - point;
    }
    const code = text.charCodeAt(this.at);
    if (code === 0x65 || code === 0x45) {
      this.exponent();
      return this.exact(start);
    }
    // Up to 15 digits are a double, and so is the power of ten: their quotient is the double nearest to the number.
    if (this.at - first > 15) return this.exact(start);
    const size = places === 0 ? mantissa : mantissa / (powersOfTen[places] ?? 1);
    return isNegative ? 0 - size : size;
  }

  /** Some digits, read as a continuation of those before them; the sum is right while they are no more than 15. */
  digits(before: number): number {
    const { text } = this;
    let { at } = this;
    let sum = before;
    for (;;) {
      const code = text.charCodeAt(at);
      if (!isDigit(code)) break;
      sum = sum * 10 + (code - 0x30);
      at += 1;
    }
    if (at === this.at) this.refuse('syntax', 'a digit was expected');
    this.at = at;
    return sum;
  }

  exponent(): void {
    this.at += 1;
    const sign = this.text.charCodeAt(this.at);
    if (sign === 0x2b || sign === 0x2d) this.at += 1;
    this.digits(0);
  }

  exact(start: number): ExactNumber {
    if (this.at - start > longestNumber) {
      this.flaw('number', `a number of more than ${longestNumber} characters`, start);
      return 0;
    }
    const exact = exactNumber(this.text.slice(start, this.at));
    if (exact === undefined) this.flaw('number', 'a number beyond the range of a double', start);
    return exact ?? 0;
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
