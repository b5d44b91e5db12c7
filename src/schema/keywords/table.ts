import type { Keyword } from '../place.js';
import { contains, items, maxItems, minItems, uniqueItems } from './arrays.js';
import { constant, enumeration } from './equality.js';
import { allOf, anyOf, condition, dynamicReference, not, oneOf, reference } from './logic.js';
import { exclusiveMaximum, exclusiveMinimum, maximum, minimum, multipleOf } from './numbers.js';
import {
  dependentRequired,
  dependentSchemas,
  maxProperties,
  members,
  minProperties,
  propertyNames,
  required,
} from './objects.js';
import { format, maxLength, minLength, pattern } from './strings.js';
import { type } from './type.js';
import { unevaluatedItems, unevaluatedProperties } from './unevaluated.js';

/** Every keyword that can refuse a document; those that only make sense together share one entry, compiled once. */
export const keywords: ReadonlyMap<string, Keyword> = new Map([
  ['$ref', reference],
  ['$dynamicRef', dynamicReference],

  ['type', type],
  ['const', constant],
  ['enum', enumeration],

  ['properties', members],
  ['patternProperties', members],
  ['additionalProperties', members],
  ['required', required],
  ['dependentRequired', dependentRequired],
  ['dependentSchemas', dependentSchemas],
  ['propertyNames', propertyNames],
  ['minProperties', minProperties],
  ['maxProperties', maxProperties],

  ['prefixItems', items],
  ['items', items],
  ['contains', contains],
  ['uniqueItems', uniqueItems],
  ['minItems', minItems],
  ['maxItems', maxItems],

  ['minimum', minimum],
  ['maximum', maximum],
  ['exclusiveMinimum', exclusiveMinimum],
  ['exclusiveMaximum', exclusiveMaximum],
  ['multipleOf', multipleOf],

  ['minLength', minLength],
  ['maxLength', maxLength],
  ['pattern', pattern],
  ['format', format],

  ['allOf', allOf],
  ['anyOf', anyOf],
  ['oneOf', oneOf],
  ['not', not],
  ['if', condition],

  ['unevaluatedItems', unevaluatedItems],
  ['unevaluatedProperties', unevaluatedProperties],
]);
