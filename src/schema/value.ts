import type { Decimal, ExactNumber } from './numbers.js';

/** The exact value of a document: numbers of at most 15 significant digits are doubles, the rest decimals. */
export type JsonValue = null | boolean | string | ExactNumber | JsonArray | JsonObject;

/** The items of an array. */
export type JsonArray = readonly JsonValue[];

/** The members of an object, in the order in which its author wrote them. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** Whether it is an object of JSON. */
export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;

/** Whether it is an array of JSON. */
export const isArray = (value: JsonValue | undefined): value is JsonArray => Array.isArray(value);

/** Whether it is a number, in either of the two forms. */
export const isNumber = (value: JsonValue | undefined): value is ExactNumber =>
  typeof value === 'number' || isDecimal(value);

/** Whether it is a number that no double stands for. */
export const isDecimal = (value: JsonValue | undefined): value is Decimal =>
  typeof value === 'object' && value !== null && 'digits' in value;
