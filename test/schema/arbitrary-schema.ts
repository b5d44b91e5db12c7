import fc from 'fast-check';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const name = fc.constantFrom('a', 'b', 'c', 'ab');
const number = fc.constantFrom(-1, 0, 0.5, 1, 1.5, 2, 3, 4, 10);
const count = fc.nat({ max: 3 });
const text = fc.constantFrom('', 'a', 'b', 'ab', 'abc', '😀', 'é');

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false),
    number,
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { noNullPrototype: true, maxKeys: 4 }),
  ),
}));

/** Documents over few names and few values, so that random schemas have something to say about them. */
export const arbitraryDocument: fc.Arbitrary<Json> = value;

const type = fc.constantFrom('null', 'boolean', 'number', 'integer', 'string', 'array', 'object');

/** A schema of draft 2020-12. */
export type PlainSchema = boolean | { readonly [keyword: string]: Json };

/**
 * Every keyword of draft 2020-12 that can refuse a document, at small sizes; references lead into `$defs`. Those whose
 * verdict hangs on what others have evaluated come more often, for they are the hardest to get right.
 */
const { schema } = fc.letrec<{ schema: PlainSchema }>((tie) => {
  const sub = tie('schema');
  const members = fc.dictionary(name, sub, { noNullPrototype: true, maxKeys: 3 });
  const list = fc.array(sub, { minLength: 1, maxLength: 3 });
  const keyword: Readonly<Record<string, fc.Arbitrary<Json>>> = {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    const: value,
    enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (item) => JSON.stringify(item) }),
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: fc.constantFrom(0.5, 1, 1.5, 2, 3),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom('^a', 'b$', '^.$', '[^a]'),
    properties: members,
    patternProperties: fc.dictionary(fc.constantFrom('^a', 'b', '.'), sub, {
      noNullPrototype: true,
      maxKeys: 2,
    }),
    additionalProperties: sub,
    propertyNames: sub,
    required: fc.uniqueArray(name, { maxLength: 3 }),
    minProperties: count,
    maxProperties: count,
    dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), {
      noNullPrototype: true,
      maxKeys: 2,
    }),
    dependentSchemas: members,
    prefixItems: list,
    items: sub,
    contains: sub,
    minContains: count,
    maxContains: count,
    minItems: count,
    maxItems: count,
    uniqueItems: fc.boolean(),
    allOf: list,
    anyOf: list,
    oneOf: list,
    not: sub,
    if: sub,
    // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
    then: sub,
    else: sub,
    unevaluatedProperties: sub,
    unevaluatedItems: sub,
    $ref: fc.constantFrom('#/$defs/x', '#/$defs/y', '#z'),
  };
  const entries = Object.entries(keyword).map(([key, arbitrary]) => ({
    weight: key.startsWith('unevaluated') ? 6 : ['if', 'anyOf', 'contains', 'items'].includes(key) ? 2 : 1,
    arbitrary: fc.tuple(fc.constant(key), arbitrary),
  }));
  const object = fc
    .uniqueArray(fc.oneof(...entries), { minLength: 0, maxLength: 4, selector: ([key]) => key })
    .map((pairs) => Object.fromEntries(pairs));
  return {
    schema: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 9, arbitrary: object },
    ),
  };
});

/** Whole schemas; no reference leads in a circle, since `$defs` hold no references. */
export const arbitrarySchema: fc.Arbitrary<{ readonly [keyword: string]: Json }> = fc
  .tuple(schema, schema, schema, schema)
  .map(([root, x, y, z]): { readonly [keyword: string]: Json } => {
    const $defs = {
      x: withoutReferences(x),
      y: withoutReferences(y),
      z: { $anchor: 'z', allOf: [withoutReferences(z)] },
    };
    return typeof root === 'boolean' ? { not: !root, $defs } : { ...root, $defs };
  });

function withoutReferences(json: Json): Json {
  if (isList(json)) return json.map(withoutReferences);
  if (typeof json !== 'object' || json === null) return json;
  const kept = Object.entries(json).filter(([key]) => key !== '$ref');
  return Object.fromEntries(kept.map(([key, part]) => [key, withoutReferences(part)]));
}

const isList = (json: Json): json is readonly Json[] => Array.isArray(json);
