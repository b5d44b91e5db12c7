import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { type Fault, type Flaw, Unreadable } from './fault.js';
import { type Extent, parse, type Read } from './grammar.js';
import type { JsonValue } from './value.js';

export type { Fault, Flaw } from './fault.js';
export type { Decimal } from './numbers.js';
export type { JsonValue } from './value.js';

/** A part of a document and where it stands in it: `json` is its exact text, to be copied and never printed anew. */
export interface Span {
  readonly kind: 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';
  readonly json: JsonText;
  /** UTF-16 offsets in the text, `end` behind its last character. */
  readonly start: number;
  readonly end: number;
  /** Empty unless it is an object. */
  readonly members: ReadonlyMap<string, Span>;
  /** Empty unless it is an array. */
  readonly items: readonly Span[];
  /** What the string says, escapes decoded; undefined unless it is a string. */
  readonly string: string | undefined;
}

/** `depth`: arrays and objects inside each other, 128 by default and 1,000 at most; `bytes`: of UTF-8, no bound by default. */
export interface Bounds {
  readonly depth?: number;
  readonly bytes?: number;
}

/** Why a text was refused, in plain words without any value of it, and the UTF-16 offset at which. */
export interface Refusal {
  readonly ok: false;
  readonly fault: Fault;
  readonly reason: string;
  readonly offset: number;
}

/** Reads a document to its exact value; `json` is its text without the white space around it. Never throws for input. */
export function readDocument(
  source: string | Uint8Array,
  bounds: Bounds = {},
): { readonly ok: true; readonly json: JsonText; readonly value: JsonValue } | Refusal {
  return read(source, bounds, (text, depth) => {
    const { value, start, end } = parse<JsonValue>(text, { depth });
    return { ok: true, json: mint(text.slice(start, end)), value };
  });
}

/** Reads a document to the spans of its parts, under the same rules as `readDocument`. */
export function readSpans(
  source: string | Uint8Array,
  bounds: Bounds = {},
): { readonly ok: true; readonly span: Span } | Refusal {
  return read(source, bounds, (text, depth) => ({
    ok: true,
    span: parse(text, { depth, make: makeSpan }).value,
  }));
}

/**
 * Reads the text around documents, a request say, to the spans of its parts. Flaws do not make it unreadable, since they
 * may lie in a document that is somebody else's to judge: its `json` is then no JsonText that may travel on.
 */
export function readEnvelope(
  source: string | Uint8Array,
  bounds: Bounds = {},
): { readonly ok: true; readonly span: Span; readonly flaws: readonly Flaw[] } | Refusal {
  return read(source, bounds, (text, depth) => {
    const flaws: Flaw[] = [];
    const { value } = parse(text, { depth, make: makeSpan, flaws });
    return { ok: true, span: value, flaws };
  });
}

/** Prints plain data that this program made itself; throws KediError INTERNAL for what JSON has no text for. */
export function jsonText(value: unknown): JsonText {
  const text = JSON.stringify(value);
  if (text === undefined)
    throw new KediError('INTERNAL', `No JSON text for a value of type ${typeof value}.`);
  return mint(text);
}

/** The text of a document that was read before, elsewhere: it came back from where it had been sent. */
export const storedJson = (text: string): JsonText => mint(text);

const mint = (text: string): JsonText => text as JsonText;

function read<R>(
  source: string | Uint8Array,
  { depth = 128, bytes = Number.POSITIVE_INFINITY }: Bounds,
  parseText: (text: string, depth: number) => R,
): R | Refusal {
  try {
    return parseText(decode(source, bytes), Math.min(depth, 1_000));
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { ok: false, fault: error.fault, reason: error.message, offset: error.offset };
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text itself, once it is known to be within `bytes`, free of a byte-order mark, and the same again in UTF-8. */
function decode(source: string | Uint8Array, bytes: number): string {
  if (exceeds(source, bytes)) throw new Unreadable('size', `larger than ${bytes} bytes`, 0);
  const text = typeof source === 'string' ? source : decodeBytes(source);
  if (text.charCodeAt(0) === 0xfeff)
    throw new Unreadable('encoding', 'a byte-order mark before the document', 0);
  if (!text.isWellFormed()) {
    throw new Unreadable('encoding', 'half of a surrogate pair', text.search(/\p{Surrogate}/u));
  }
  return text;
}

function exceeds(source: string | Uint8Array, bytes: number): boolean {
  if (source.length > bytes) return true;
  // No character takes more than three bytes a UTF-16 unit.
  return typeof source === 'string' && source.length * 3 > bytes && Buffer.byteLength(source) > bytes;
}

function decodeBytes(source: Uint8Array): string {
  try {
    return utf8.decode(source);
  } catch {
    throw new Unreadable('encoding', 'not valid UTF-8', offsetOfInvalidByte(source));
  }
}

function offsetOfInvalidByte(source: Uint8Array): number {
  const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
  const replaced = bytes.toString('utf8');
  const replacement = Buffer.from('\ufffd');
  let byte = 0;
  let from = 0;
  for (let offset = replaced.indexOf('\ufffd'); offset >= 0; offset = replaced.indexOf('\ufffd', from)) {
    byte += Buffer.byteLength(replaced.slice(from, offset));
    if (!bytes.subarray(byte, byte + replacement.length).equals(replacement)) return offset;
    byte += replacement.length;
    from = offset + 1;
  }
  return replaced.length;
}

const noMembers: ReadonlyMap<string, Span> = new Map();
const noItems: readonly Span[] = [];

/** A class, because literals with a getter take ten times as long to make as the document takes to be read. */
class TextSpan implements Span {
  readonly kind: Span['kind'];
  readonly members: ReadonlyMap<string, Span>;
  readonly items: readonly Span[];
  readonly string: string | undefined;
  readonly #extent: Extent;

  constructor(value: Read<Span>, extent: Extent) {
    this.kind = kindOf(value);
    this.members = value instanceof Map ? value : noMembers;
    this.items = Array.isArray(value) ? value : noItems;
    this.string = typeof value === 'string' ? value : undefined;
    this.#extent = extent;
  }

  get json(): JsonText {
    return mint(this.#extent.text.slice(this.start, this.end));
  }

  get start(): number {
    return this.#extent.start;
  }

  get end(): number {
    return this.#extent.end;
  }
}

const makeSpan = (value: Read<Span>, extent: Extent): Span => new TextSpan(value, extent);

function kindOf(value: Read<Span>): Span['kind'] {
  if (value === null) return 'null';
  if (value instanceof Map) return 'object';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'string') return 'string';
  return typeof value === 'boolean' ? 'boolean' : 'number';
}
