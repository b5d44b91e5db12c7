import type { JsonText } from '../../domain/json.js';
import { jsonText, readDocument, readSpans, type Span } from '../../schema/document.js';

/** A value of which only the shape is looked at; what travels on is taken from the line's spans. */
export type Shape = Readonly<Record<string, unknown>>;

/** One line of JSON Lines, looked at twice: cheaply for its shape, and exactly where a part of it travels on. */
export interface JsonLine {
  readonly shape: Shape;
  /** The exact text of the part at that path, or undefined where there is none or the line is not well-formed to us. */
  exact(...path: readonly (string | number)[]): JsonText | undefined;
}

/** Reads a line that should hold one JSON object; undefined where it does not. */
export function readJsonLine(bytes: Uint8Array): JsonLine | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const shape = parsed(text);
  if (!isShape(shape)) return undefined;
  let root: Span | undefined;
  return {
    shape,
    exact(...path) {
      if (root === undefined) {
        // U+FFFD may stand for bytes that are no UTF-8, and only those themselves can tell.
        const read = readSpans(text.includes('\ufffd') ? bytes : text, { depth: deepest });
        if (!read.ok) return undefined;
        root = read.span;
      }
      let span: Span | undefined = root;
      for (const step of path) span = typeof step === 'number' ? span?.items[step] : span?.members.get(step);
      return span?.json;
    },
  };
}

/** Harnesses wrap what a model wrote in a few levels of their own. */
const deepest = 512;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether it is an object, and no array. */
export const isShape = (value: unknown): value is Shape =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object under that key, or an empty one. */
export const shapeAt = (shape: Shape, key: string): Shape => {
  const value = shape[key];
  return isShape(value) ? value : {};
};

/** The objects of the array under that key, with their indexes; none where there is no array. */
export const shapesAt = (shape: Shape, key: string): readonly (readonly [Shape, number])[] => {
  const value = shape[key];
  if (!Array.isArray(value)) return [];
  return value.flatMap((each: unknown, index) => (isShape(each) ? [[each, index] as const] : []));
};

/** The string under that key, or undefined. */
export const textAt = (shape: Shape, key: string): string | undefined => {
  const value = shape[key];
  return typeof value === 'string' ? value : undefined;
};

/** An object of exact texts; keys without one are left out. */
export function exactObject(members: Readonly<Record<string, JsonText | undefined>>): JsonText {
  const pairs = Object.entries(members).flatMap(([key, text]) =>
    text === undefined ? [] : [`${JSON.stringify(key)}:${text}`],
  );
  const read = readDocument(`{${pairs.join(',')}}`, { depth: deepest });
  return read.ok ? read.json : jsonText({});
}
