import fc from 'fast-check';

/** A schema, and a document that is valid by it: both as text, for numbers that no double holds. */
export interface Satisfiable {
  readonly schema: string;
  readonly witness: string;
}

const string = (text: string): string => JSON.stringify(text);

const object = (members: Readonly<Record<string, string | undefined>>): string =>
  `{${Object.entries(members)
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${string(name)}:${text}`)
    .join(',')}}`;

const list = (items: readonly string[]): string => `[${items.join(',')}]`;

/** A keyword that is there or not. */
const maybe = (text: string): fc.Arbitrary<string | undefined> => fc.constantFrom(text, undefined);

const bigNumber = fc.oneof(
  fc.integer({ min: -1_000, max: 1_000 }).map(BigInt),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
);

/** An integer or a decimal within bounds given at random, one of them often close and exclusive. */
const numbers: fc.Arbitrary<Satisfiable> = fc
  .record({
    units: bigNumber,
    places: fc.nat(25),
    room: fc.bigInt({ min: 1n, max: 50n }),
    step: fc.bigInt({ min: 1n, max: 40n }),
  })
  .chain(({ units, places, room, step }) => {
    const print = (value: bigint): string => `${value}${places === 0 ? '' : `e-${places}`}`;
    const witness = print(units * step);
    return fc
      .record({
        type: fc.constantFrom(
          ...(places === 0 ? ['"integer"', '"number"'] : ['"number"', '["null","number"]']),
          undefined,
        ),
        minimum: maybe(print(units * step - room)),
        maximum: maybe(print(units * step)),
        exclusiveMinimum: maybe(print(units * step - 1n)),
        exclusiveMaximum: maybe(print(units * step + room)),
        multipleOf: maybe(print(step)),
      })
      .map((keywords) => ({ schema: object(keywords), witness }));
  });

const patterns: readonly (readonly [string, string])[] = [
  ['^[a-z]{3,10}$', 'abc'],
  ['^\\d{4}-\\d{2}-\\d{2}$', '2026-01-31'],
  ['^(?:red|green|blue)$', 'blue'],
  ['^[A-Z]{2}\\d+(-[a-z]+)?$', 'AB12-x'],
  ['[0-9]', 'a1'],
  ['^\\p{Lu}\\p{Ll}*$', 'Ž'],
  ['^[\\u4e00-\\u9fff]+$', '一'],
  ['^\\S+@\\S+\\.\\S+$', 'a@b.c'],
  ['^#?([a-fA-F0-9]{6}|[a-fA-F0-9]{3})$', '#fff'],
  ['^(?<half>[ab]{2})\\k<half>$', 'abab'],
  ['^(?=.*[A-Z])(?=.*\\d).{4,}$', 'Ab1x'],
  ['^v(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)$', 'v1.20.3'],
  ['^$', ''],
  ['^[^\\s"]{1,3}$', 'xyz'],
  ['^\\u{1F600}\\x41\\t$', '😀A\t'],
];

const formats: readonly (readonly [string, string])[] = [
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T10:00:00Z'],
  ['email', 'a@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '01234567-89ab-7def-8123-000000000000'],
  ['anything', 'x'],
];

const strings: fc.Arbitrary<Satisfiable> = fc.oneof(
  fc.string({ unit: 'grapheme-composite', maxLength: 40 }).chain((text) => {
    const { length } = [...text];
    return fc
      .record({ type: maybe('"string"'), minLength: maybe(String(length)), maxLength: maybe(`${length}.0`) })
      .map((keywords) => ({ schema: object(keywords), witness: string(text) }));
  }),
  fc.constantFrom(...patterns).map(([pattern, text]) => ({
    schema: object({ type: '"string"', pattern: string(pattern) }),
    witness: string(text),
  })),
  fc.constantFrom(...formats).map(([format, text]) => ({
    schema: object({ type: '"string"', format: string(format) }),
    witness: string(text),
  })),
);

const listed: fc.Arbitrary<Satisfiable> = fc
  .array(fc.json({ maxDepth: 2 }), { minLength: 1, maxLength: 4 })
  .chain((values) =>
    fc
      .constantFrom(object({ enum: list(values) }), object({ const: values[0] }))
      .map((schema) => ({ schema, witness: values[0] ?? '' })),
  );

const plain: fc.Arbitrary<Satisfiable> = fc.constantFrom(
  { schema: 'true', witness: '1' },
  { schema: '{}', witness: 'null' },
  { schema: '{"type":"boolean"}', witness: 'false' },
  { schema: '{"type":"null"}', witness: 'null' },
  { schema: '{"type":["integer","boolean"]}', witness: '7' },
  { schema: '{"not":{"type":"string"}}', witness: '7' },
  { schema: '{"type":"integer","not":{"enum":[1,2,3]}}', witness: '7' },
  { schema: '{"$ref":"#/$defs/Tree"}', witness: '{"left":null,"right":null}' },
  { schema: '{"$ref":"#named"}', witness: '{"name":"a","children":[]}' },
);

/** The definitions that schemas above refer to. */
const definitions = object({
  Tree: '{"type":"object","required":["left","right"],"properties":{"left":{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]},"right":{"$ref":"#/$defs/Branch"}}}',
  Branch: '{"anyOf":[{"$ref":"#/$defs/Tree"},{"type":"null"}]}',
  Node: '{"$anchor":"named","type":"object","required":["name","children"],"properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/Node"}}}}',
});

const { schemas } = fc.letrec<{ schemas: Satisfiable }>((tie) => {
  const some = fc.array(tie('schemas'), { maxLength: 4 });

  const arrays = some.chain((items) =>
    fc
      .record({
        type: maybe('"array"'),
        minItems: maybe(String(items.length)),
        maxItems: maybe(String(items.length)),
        prefixItems: maybe(list(items.map(({ schema }) => schema))),
        items: fc.constantFrom('false', 'true', undefined),
        contains: maybe(items.at(-1)?.schema ?? 'true'),
      })
      .map(({ prefixItems, items: rest, contains, ...keywords }) => ({
        schema: object({
          ...keywords,
          ...(items.length > 0 && { prefixItems, contains }),
          ...(prefixItems !== undefined && items.length > 0 && { items: rest }),
        }),
        witness: list(items.map(({ witness }) => witness)),
      })),
  );

  const lists = fc
    .record({ item: tie('schemas'), least: fc.nat(1), unique: fc.constantFrom('true', 'false', undefined) })
    .map(({ item, least, unique }) => ({
      schema: object({ type: '"array"', items: item.schema, minItems: String(least), uniqueItems: unique }),
      witness: list([item.witness]),
    }));

  const objects = fc
    .dictionary(
      fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('__proto__', 'toString', 'a/b', '')),
      tie('schemas'),
      { maxKeys: 4 },
    )
    .chain((members) => {
      const entries = Object.entries(members);
      const names = entries.map(([name]) => name);
      return fc
        .record({
          type: maybe('"object"'),
          required: fc.subarray(names).map((some) => list(some.map(string))),
          additionalProperties: fc.constantFrom('false', 'true', '{"type":"string"}', undefined),
          minProperties: maybe(String(names.length)),
          maxProperties: maybe(String(names.length)),
          dependentRequired: maybe(
            names[0] === undefined ? '{}' : `{${string(names[0])}:${list(names.slice(1).map(string))}}`,
          ),
          propertyNames: maybe('{"maxLength":20}'),
        })
        .map((keywords) => ({
          schema: object({
            ...keywords,
            properties: `{${entries.map(([name, { schema }]) => `${string(name)}:${schema}`).join(',')}}`,
          }),
          witness: `{${entries.map(([name, { witness }]) => `${string(name)}:${witness}`).join(',')}}`,
        }));
    });

  const branches = fc
    .record({ meant: tie('schemas'), other: tie('schemas'), how: fc.nat(6) })
    .map(({ meant, other, how }) => {
      const { schema, witness } = meant;
      const forms = [
        object({ anyOf: list([schema, other.schema]) }),
        object({ anyOf: list([other.schema, schema]) }),
        object({ anyOf: list(['false', schema]) }),
        object({ oneOf: list([schema, 'false']) }),
        object({ allOf: list([schema, 'true']) }),
        object({ allOf: list([schema, object({ anyOf: list([schema, other.schema]) })]) }),
        `{"if":${schema},"then":${schema},"else":false}`,
      ];
      return { schema: forms[how] ?? schema, witness };
    });

  return {
    schemas: fc.oneof(
      { depthSize: 'small' },
      plain,
      numbers,
      strings,
      listed,
      arrays,
      lists,
      objects,
      branches,
    ),
  };
});

/** Schemas of all the kinds that Kedi sends, each with a document that is valid by it. */
export const satisfiable: fc.Arbitrary<Satisfiable> = schemas.map(({ schema, witness }) => ({
  schema: object({ $defs: definitions, allOf: list([schema]) }),
  witness,
}));
