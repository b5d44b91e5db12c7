import { compareNumbers, isInteger } from './numbers.js';
import { isArray, isNumber, isObject, type JsonValue } from './value.js';

/**
 * What the meta-schema of draft 2020-12 demands of one keyword's value. `holds`: where subschemas are in it, whose
 * own keywords have shapes in turn.
 */
export interface Shape {
  readonly wording: string;
  fits(value: JsonValue): boolean;
  readonly holds?: 'schema' | 'list' | 'members' | 'members but names';
}

const string: Shape = { wording: 'must be a string', fits: (value) => typeof value === 'string' };
const boolean: Shape = { wording: 'must be true or false', fits: (value) => typeof value === 'boolean' };
const array: Shape = { wording: 'must be an array', fits: isArray };
const number: Shape = { wording: 'must be a number', fits: isNumber };
const positive: Shape = {
  wording: 'must be a number greater than zero',
  fits: (value) => isNumber(value) && compareNumbers(value, 0) > 0,
};
const count: Shape = {
  wording: 'must be an integer of zero or more',
  fits: (value) => isNumber(value) && isInteger(value) && compareNumbers(value, 0) >= 0,
};
const anything: Shape = { wording: '', fits: () => true };

const schema: Shape = { ...anything, holds: 'schema' };
const schemas: Shape = {
  wording: 'must be an array of at least one schema',
  fits: (value) => isArray(value) && value.length > 0,
  holds: 'list',
};
const schemasByName: Shape = { wording: 'must be an object of schemas', fits: isObject, holds: 'members' };

const isNames = (value: JsonValue): boolean =>
  isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length;
const names: Shape = { wording: 'must be an array of strings that are all different', fits: isNames };
const namesByName: Shape = {
  wording: 'must be an object of arrays of strings that are all different',
  fits: (value) => isObject(value) && [...value.values()].every(isNames),
};

const typeNames: ReadonlySet<JsonValue> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);
const types: Shape = {
  wording: 'must be a type of JSON Schema, or an array of different ones',
  fits: (value) =>
    typeNames.has(value) ||
    (isArray(value) && value.length > 0 && isNames(value) && value.every((name) => typeNames.has(name))),
};

const matching = (pattern: RegExp, wording: string): Shape => ({
  wording,
  fits: (value) => typeof value === 'string' && pattern.test(value),
});
const anchor = matching(
  /^[A-Za-z_][-A-Za-z0-9._]*$/,
  'must begin with a letter or an underscore, followed by letters, digits, "-", "_" and "."',
);
const identifier = matching(/^[^#]*#?$/, 'must be a URI reference without a fragment');

const vocabulary: Shape = {
  wording: 'must be an object of true and false',
  fits: (value) => isObject(value) && [...value.values()].every((member) => typeof member === 'boolean'),
};
const dependencies: Shape = {
  wording: 'must be an object of schemas and of arrays of strings that are all different',
  fits: (value) =>
    isObject(value) && [...value.values()].every((member) => !isArray(member) || isNames(member)),
  holds: 'members but names',
};

/** Draft 2020-12 as a table: the keywords of all its vocabularies, and those of older drafts that it still checks. */
export const shapes: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['$id', identifier],
  ['$schema', string],
  ['$ref', string],
  ['$anchor', anchor],
  ['$dynamicRef', string],
  ['$dynamicAnchor', anchor],
  ['$vocabulary', vocabulary],
  ['$comment', string],
  ['$defs', schemasByName],

  ['prefixItems', schemas],
  ['items', schema],
  ['contains', schema],
  ['additionalProperties', schema],
  ['properties', schemasByName],
  ['patternProperties', schemasByName],
  ['dependentSchemas', schemasByName],
  ['propertyNames', schema],
  ['if', schema],
  ['then', schema],
  ['else', schema],
  ['allOf', schemas],
  ['anyOf', schemas],
  ['oneOf', schemas],
  ['not', schema],
  ['unevaluatedItems', schema],
  ['unevaluatedProperties', schema],

  ['type', types],
  ['const', anything],
  ['enum', array],
  ['multipleOf', positive],
  ['maximum', number],
  ['exclusiveMaximum', number],
  ['minimum', number],
  ['exclusiveMinimum', number],
  ['maxLength', count],
  ['minLength', count],
  ['pattern', string],
  ['maxItems', count],
  ['minItems', count],
  ['uniqueItems', boolean],
  ['maxContains', count],
  ['minContains', count],
  ['maxProperties', count],
  ['minProperties', count],
  ['required', names],
  ['dependentRequired', namesByName],

  ['title', string],
  ['description', string],
  ['default', anything],
  ['deprecated', boolean],
  ['readOnly', boolean],
  ['writeOnly', boolean],
  ['examples', array],
  ['format', string],
  ['contentEncoding', string],
  ['contentMediaType', string],
  ['contentSchema', schema],

  ['definitions', schemasByName],
  ['dependencies', dependencies],
  ['$recursiveAnchor', anchor],
  ['$recursiveRef', string],
]);
