import { isArray, isObject, type JsonObject, type JsonValue } from '../value.js';

/** A kind of value that a sample can be. */
export type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'null';

const kinds: readonly Kind[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Keywords by which a schema without a `type` shows what it is about. */
const signs: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ],
  array: [
    'items',
    'prefixItems',
    'contains',
    'minItems',
    'maxItems',
    'uniqueItems',
    'minContains',
    'unevaluatedItems',
  ],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/** The kinds of values that the types of all these schemas allow, the likeliest first and `null` last. */
export function kindsOf(way: Iterable<JsonObject>): readonly Kind[] {
  const schemas = [...way];
  const named = schemas.map((schema) => namesIn(schema.get('type'))).filter((names) => names !== undefined);
  const excluded = schemas.flatMap((schema) => excludedBy(schema.get('not')));
  const allowed = kinds.filter(
    (kind) =>
      named.every((names) => names.includes(kind) || (kind === 'integer' && names.includes('number'))) &&
      !excluded.includes(kind),
  );
  // Where numbers are allowed integers are as well: they are not named for it alone.
  const sought = allowed.filter((kind) => kind !== 'integer' || !allowed.includes('number'));
  const order = [...(named[0] ?? []), ...shownBy(schemas), 'string'];
  const rank = (kind: Kind): number =>
    kind === 'null' ? kinds.length + order.length : order.includes(kind) ? order.indexOf(kind) : order.length;
  return sought.toSorted((one, other) => rank(one) - rank(other));
}

const namesIn = (type: JsonValue | undefined): readonly string[] | undefined =>
  type === undefined ? undefined : isArray(type) ? type.map(String) : [String(type)];

/** `not` with a `type` and nothing else. */
const excludedBy = (not: JsonValue | undefined): readonly string[] => {
  const names = isObject(not) && not.size === 1 ? (namesIn(not.get('type')) ?? []) : [];
  return names.includes('number') ? [...names, 'integer'] : names;
};

const shownBy = (schemas: readonly JsonObject[]): readonly string[] =>
  Object.entries(signs)
    .filter(([, keywords]) => keywords.some((keyword) => schemas.some((schema) => schema.has(keyword))))
    .map(([kind]) => kind);
