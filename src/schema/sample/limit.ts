import { isDecimal, type JsonObject, type JsonValue } from '../value.js';

/** The tightest lower limit that a counting keyword (`minItems`, …) of these schemas sets, 0 if none does. */
export const atLeast = (way: Iterable<JsonObject>, keyword: string): number =>
  Math.max(0, ...counts(way, keyword));

/** The tightest upper limit that a counting keyword (`maxItems`, …) of these schemas sets, infinite if none does. */
export const atMost = (way: Iterable<JsonObject>, keyword: string): number =>
  Math.min(Number.POSITIVE_INFINITY, ...counts(way, keyword));

const counts = (way: Iterable<JsonObject>, keyword: string): readonly number[] =>
  [...way].map((schema) => countOf(schema.get(keyword))).filter((count) => count !== undefined);

/** So large that no double holds it is beyond all sizes. */
const countOf = (value: JsonValue | undefined): number | undefined =>
  typeof value === 'number' ? value : isDecimal(value) ? Number.POSITIVE_INFINITY : undefined;
