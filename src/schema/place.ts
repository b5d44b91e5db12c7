import type { ExactNumber } from './numbers.js';
import type { Check } from './run.js';
import { isArray, isNumber, isObject, type JsonArray, type JsonObject, type JsonValue } from './value.js';

/** Where a keyword is compiled: it adds to `checks` what its schema asks of a value. */
export interface Place {
  readonly schema: JsonObject;
  readonly checks: Checks;
  /** Compiles a subschema; `keyword` is named where it is `false`. */
  subschema(node: JsonValue, keyword: string): Check;
  /** Compiles a reference, which may lead back here. */
  reference(to: string, how: { readonly dynamic: boolean }): Check;
  /** The schema itself, or what its `$ref` leads to: to look into, not to judge by. */
  behind(node: JsonValue): JsonValue;
  /** The regular expression, of which the survey has made sure that it compiles. */
  pattern(source: string): RegExp;
  /** How strings of this format are told; undefined if formats are annotations, or nobody knows this one. */
  format(name: string): ((text: string) => boolean) | undefined;
}

/** The checks of one schema, by the kind of value that they apply to, in the order in which they are made. */
export interface Checks {
  /** Cheap ones that apply to every value. */
  readonly first: Check[];
  /** Those of subschemas, on every value. */
  readonly anything: Check[];
  readonly objects: Check<JsonObject>[];
  readonly arrays: Check<JsonArray>[];
  readonly strings: Check<string>[];
  readonly numbers: Check<ExactNumber>[];
  /** Those that ask what all others have evaluated. */
  readonly last: Check[];
}

/** Compiles one keyword, or several that only make sense together, into a place; the values have their shape already. */
export type Keyword = (place: Place) => void;

/** The string under a keyword. */
export const textAt = ({ schema }: Place, keyword: string): string | undefined => {
  const value = schema.get(keyword);
  return typeof value === 'string' ? value : undefined;
};

/** The number under a keyword. */
export const numberAt = ({ schema }: Place, keyword: string): ExactNumber | undefined => {
  const value = schema.get(keyword);
  return isNumber(value) ? value : undefined;
};

/** The size under a keyword; one so large that no double holds it is beyond all sizes. */
export const countAt = (place: Place, keyword: string): number | undefined => {
  const value = numberAt(place, keyword);
  return value === undefined || typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
};

/** The items under a keyword; none if it is not there. */
export const listAt = ({ schema }: Place, keyword: string): JsonArray => {
  const value = schema.get(keyword);
  return isArray(value) ? value : [];
};

/** The strings under a keyword; none if it is not there. */
export const namesAt = (place: Place, keyword: string): readonly string[] =>
  listAt(place, keyword).map(String);

/** Name and value of each member under a keyword; none if it is not there. */
export const membersAt = ({ schema }: Place, keyword: string): readonly (readonly [string, JsonValue])[] => {
  const value = schema.get(keyword);
  return isObject(value) ? [...value] : [];
};
