import type { FieldViolation } from '../domain/errors.js';
import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { type Flaw, jsonText, readSpans, type Span } from '../schema/document.js';

/** What comes with a call: the part of the request's text that is its parameters, and the flaws of the whole text. */
export interface Params {
  readonly span: Span;
  readonly flaws: readonly Flaw[];
}

/**
 * One object of a request as ProtoJSON has it: fields under their camelCase or snake_case names, `null` as absent,
 * unknown fields passed over. What is wrong with a field is collected under its path, and the reading goes on.
 */
export interface Fields extends Params {
  /** Where the object stands in the request: `message.parts[0]`, or empty for the request itself. */
  readonly path: string;
  readonly wrong: FieldViolation[];
}

/**
 * Reads a request with `read` and returns what it made, or throws one KediError INVALID_PARAMS that names every field
 * that is wrong. An absent request is an empty one.
 */
export function readFields<T>(params: Params | undefined, read: (fields: Fields) => T): T {
  const wrong: FieldViolation[] = [];
  const { span, flaws } = params ?? noParams;
  if (span.kind !== 'object' && span.kind !== 'null') {
    throw invalidParams([{ field: 'params', description: 'must be an object' }]);
  }
  const fields = { span, flaws, path: '', wrong };
  refuseRepeated(fields);
  const request = read(fields);
  if (wrong.length > 0) throw invalidParams(wrong);
  return request;
}

/** Params that came in another form than a request's text, for the readers of A2A. */
export function paramsOf(value: unknown): Params {
  const read = readSpans(jsonText(value), { depth: 1_000 });
  if (!read.ok) throw new KediError('INVALID_PARAMS', `The parameters cannot be read: ${read.reason}.`);
  return { span: read.span, flaws: [] };
}

/** The error for fields that are wrong, the first hundred of them; its message is a sentence about the first. */
export function invalidParams(fields: readonly FieldViolation[]): KediError {
  const [first] = fields;
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : '';
  const place = first === undefined ? 'The parameters are wrong' : `${first.field} ${first.description}`;
  return new KediError('INVALID_PARAMS', `${place}${more}.`, { fields: fields.slice(0, 100) });
}

/** Notes that a field is wrong; `description` goes on after the field's name. */
export function refuse({ wrong, path }: Fields, name: string, description: string): undefined {
  wrong.push({ field: path === '' ? name : `${path}.${name}`, description });
}

/** A field's value; undefined when it is absent or `null`. */
export function present(fields: Fields, name: string): Span | undefined {
  const span = field(fields, name);
  return span?.kind === 'null' ? undefined : span;
}

/** A field's value, `null` included, for `google.protobuf.Value`. */
export function field(fields: Fields, name: string): Span | undefined {
  const { members } = fields.span;
  const span = members.get(name);
  const other = snakeCase(name);
  if (other === name || !members.has(other)) return span;
  return span === undefined ? members.get(other) : refuse(fields, name, `stands twice, also as ${other}`);
}

/** A string, empty when absent. */
export function text(fields: Fields, name: string): string {
  const span = present(fields, name);
  if (span === undefined) return '';
  return span.string ?? refuse(fields, name, 'must be a string') ?? '';
}

/** A string that must be there and not be empty. */
export function requiredText(fields: Fields, name: string): string {
  const before = fields.wrong.length;
  const value = text(fields, name);
  if (value === '' && fields.wrong.length === before)
    refuse(fields, name, 'is required and must not be empty');
  return value;
}

/** An int32 from `from` to `to`, as a number or as a string that holds one; undefined when absent. */
export function integer(
  fields: Fields,
  { name, from, to = 2 ** 31 - 1 }: { readonly name: string; readonly from: number; readonly to?: number },
): number | undefined {
  const span = present(fields, name);
  if (span === undefined) return undefined;
  const written = span.kind === 'number' ? span.json : (span.string ?? '');
  const value = /^-?[0-9]/.test(written) ? Number(written) : Number.NaN;
  if (!Number.isInteger(value)) return refuse(fields, name, 'must be a whole number');
  if (value >= from && value <= to) return value;
  return refuse(
    fields,
    name,
    to < 2 ** 31 - 1 || value > to ? `must be from ${from} to ${to}` : `must be ${from} or more`,
  );
}

/** A boolean, false when absent. */
export function flag(fields: Fields, name: string): boolean {
  const span = present(fields, name);
  if (span === undefined) return false;
  if (span.kind !== 'boolean') refuse(fields, name, 'must be true or false');
  return span.json === 'true';
}

/** The items of a list, none when absent. */
export function list(fields: Fields, name: string): readonly Span[] {
  const span = present(fields, name);
  if (span !== undefined && span.kind !== 'array') refuse(fields, name, 'must be a list');
  return span?.items ?? [];
}

/** A list of strings, empty when absent. */
export function texts(fields: Fields, name: string): readonly string[] {
  return list(fields, name).map(
    (item, index) => item.string ?? refuse(fields, `${name}[${index}]`, 'must be a string') ?? '',
  );
}

/** An object within, to be read field by field; undefined when absent. */
export function object(fields: Fields, name: string): Fields | undefined {
  const span = present(fields, name);
  if (span === undefined) return undefined;
  return within(fields, name, span);
}

/** The item of a list as an object, under the name that the list's path gives it. */
export function within(fields: Fields, name: string, span: Span): Fields | undefined {
  if (span.kind !== 'object') return refuse(fields, name, 'must be an object');
  const path = fields.path === '' ? name : `${fields.path}.${name}`;
  const inner = { ...fields, span, path };
  refuseRepeated(inner);
  return inner;
}

/** A `google.protobuf.Struct`: an object, kept as the text that its author wrote. */
export function struct(fields: Fields, name: string): JsonText | undefined {
  const span = present(fields, name);
  if (span === undefined) return undefined;
  return span.kind === 'object' ? document(fields, name, span) : refuse(fields, name, 'must be an object');
}

/** A value of the client's own, kept as the text that it wrote. */
export function document({ flaws, path, wrong }: Fields, name: string, span: Span): JsonText {
  const flaw = flaws.find(({ offset }) => isWithin(span, offset));
  if (flaw !== undefined) {
    wrong.push({ field: path === '' ? name : `${path}.${name}`, description: `has ${flaw.reason}` });
  }
  return span.json;
}

/** `bytes`: base64 of either alphabet, padded or not. */
export function bytes(fields: Fields, name: string): Uint8Array {
  const encoded = text(fields, name);
  const digits = encoded.replace(/={0,2}$/, '');
  if (/[^A-Za-z0-9+/_-]/.test(digits) || digits.length % 4 === 1) refuse(fields, name, 'must be base64');
  return Buffer.from(encoded, 'base64');
}

/** A `google.protobuf.Timestamp` as milliseconds since the epoch, rounded up; undefined when absent. */
export function timestamp(fields: Fields, name: string): number | undefined {
  const written = text(fields, name);
  if (written === '') return undefined;
  const [, seconds, fraction = '', zone] = timestampForm.exec(written) ?? [];
  const whole = Date.parse(`${seconds}${zone}`.toUpperCase());
  if (seconds === undefined || Number.isNaN(whole)) {
    return refuse(fields, name, 'must be a time such as 2026-01-31T10:00:00.000Z');
  }
  return whole + Math.ceil(Number(`0.${fraction}0`) * 1_000);
}

const timestampForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i;

const noParams: Params = {
  span: {
    kind: 'null',
    json: jsonText(null),
    start: 0,
    end: 0,
    members: new Map(),
    items: [],
    string: undefined,
  },
  flaws: [],
};

/** Whether an offset lies in this part of the text. */
export const isWithin = ({ start, end }: Span, offset: number): boolean => start <= offset && offset < end;

/** Whether a name stands twice in the object itself, and not in a value within it. */
export const repeatsName = (span: Span, flaws: readonly Flaw[]): boolean =>
  flaws.some(
    ({ fault, offset }) =>
      fault === 'duplicate' &&
      isWithin(span, offset) &&
      ![...span.members.values()].some((member) => isWithin(member, offset)),
  );

function refuseRepeated({ span, flaws, path, wrong }: Fields): void {
  if (flaws.length === 0 || !repeatsName(span, flaws)) return;
  wrong.push({ field: path === '' ? 'params' : path, description: 'has a name twice' });
}

const snakeNames = new Map<string, string>();

function snakeCase(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Only names of the protocol come here, so it stays small.
    snakeNames.set(name, snake);
  }
  return snake;
}
