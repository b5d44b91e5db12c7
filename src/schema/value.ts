import type { Decimal, ExactNumber } from './numbers.js';

/** The exact value of a document: numbers of at most 15 significant digits are doubles, the rest decimals. */
export type JsonValue = null | boolean | string | ExactNumber | JsonArray | JsonObject;

export type JsonArray = readonly JsonValue[];

/** In the order in which its author wrote the names. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;

export const isArray = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value);

export const isNumber = (value: JsonValue | undefined): value is ExactNumber =>
  typeof value === 'number' || isDecimal(value);

export const isDecimal = (value: JsonValue | undefined): value is Decimal =>
  typeof value === 'object' && value !== null && 'digits' in value;
