import { fileURLToPath } from 'node:url';
import protobuf from 'protobufjs';
import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { type Decimal, type JsonValue, readDocument } from '../schema/document.js';
import { isArray, isNumber, isObject } from '../schema/value.js';
import { jsonPointer } from '../schema/violation.js';
import { isLossless } from './lossless.js';

/** Where a value does not survive, and why: `reason` says what stands there. */
export interface Loss {
  readonly pointer: string;
  readonly reason: string;
}

/**
 * Sends a document on a trip through `google.protobuf.Value`, as the older form of a typed result has to travel, and
 * finds what does not come back the same: a number that is no double, half of a surrogate pair, too deep a nesting.
 * Undefined: all of it survives. Takes about a tenth of a second a megabyte.
 */
export function findProtobufLoss(document: JsonText): Loss | undefined {
  const read = readDocument(document, { depth: 1_000 });
  if (!read.ok) throw new KediError('INTERNAL', `A document could not be read again: ${read.reason}.`);
  const { value } = read;
  const type = resultType();
  let back: Wire;
  try {
    back = type.decode(type.encode({ data: pack(value) }).finish()).data;
  } catch {
    return findHalfPair(value, '') ?? { pointer: '', reason: 'a nesting that is too deep for protobuf' };
  }
  return findChange(value, { back, pointer: '' });
}

/** A `google.protobuf.Value` as protobufjs has it in memory; `kind` names the one field that is set. */
interface Wire {
  readonly kind?: string;
  readonly nullValue?: number;
  readonly numberValue?: number;
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly structValue?: { readonly fields: Readonly<Record<string, Wire>> };
  readonly listValue?: { readonly values: readonly Wire[] };
}

let loaded: protobuf.Type | undefined;

/** The type of the extension's result, from the file that is shipped beside the program. */
function resultType(): protobuf.Type {
  const file = new URL('../../proto/kedi_structured_output_v1.proto', import.meta.url);
  loaded ??= protobuf.loadSync(fileURLToPath(file)).lookupType('kedi.structured_output.v1.Result');
  return loaded;
}

function pack(value: JsonValue): Wire {
  if (value === null) return { nullValue: 0 };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  if (isNumber(value)) return { numberValue: typeof value === 'number' ? value : nearestDouble(value) };
  if (isArray(value)) return { listValue: { values: value.map(pack) } };
  // Without a prototype, so that `__proto__` is a name like others.
  const fields: Record<string, Wire> = Object.create(null);
  for (const [name, member] of value) fields[name] = pack(member);
  return { structValue: { fields } };
}

function findChange(
  value: JsonValue,
  { back, pointer }: { readonly back: Wire | undefined; readonly pointer: string },
): Loss | undefined {
  if (value === null) return back?.kind === 'nullValue' ? undefined : changed(pointer);
  if (typeof value === 'boolean') return back?.boolValue === value ? undefined : changed(pointer);
  if (typeof value === 'string') return back?.stringValue === value ? undefined : changed(pointer);
  if (isNumber(value)) {
    if (back?.kind !== 'numberValue' || back.numberValue === undefined) return changed(pointer);
    if (isLossless(value, back.numberValue)) return undefined;
    return { pointer, reason: 'a number that a double cannot hold' };
  }
  if (isArray(value)) {
    const values = back?.listValue?.values;
    if (values?.length !== value.length) return changed(pointer);
    for (const [index, item] of value.entries()) {
      const loss = findChange(item, { back: values[index], pointer: `${pointer}/${index}` });
      if (loss !== undefined) return loss;
    }
    return undefined;
  }
  const fields = back?.structValue?.fields;
  if (fields === undefined || Object.keys(fields).length !== value.size) return changed(pointer);
  for (const [name, member] of value) {
    const loss = findChange(member, { back: fields[name], pointer: pointer + jsonPointer([name]) });
    if (loss !== undefined) return loss;
  }
  return undefined;
}

const changed = (pointer: string): Loss => ({ pointer, reason: 'a value that protobuf changes' });

/** JSON can spell half a character by an escape; the UTF-8 of protobuf cannot. */
function findHalfPair(value: JsonValue, pointer: string): Loss | undefined {
  if (typeof value === 'string')
    return value.isWellFormed() ? undefined : { pointer, reason: 'half of a surrogate pair' };
  if (!isObject(value) && !isArray(value)) return undefined;
  for (const [key, member] of value.entries()) {
    const place = pointer + jsonPointer([key]);
    const loss = findHalfPair(String(key), place) ?? findHalfPair(member, place);
    if (loss !== undefined) return loss;
  }
  return undefined;
}

const nearestDouble = ({ sign, digits, exponent }: Decimal): number =>
  Number(`${sign < 0 ? '-' : ''}0.${digits}e${exponent}`);
