import { readFileSync } from 'node:fs';

/** A schema of a stranger's with a result for it, both as text, made to cost far more than their size. */
export interface HostileCase {
  readonly name: string;
  readonly schema: string;
  readonly document: string;
}

const text = (value: unknown): string => JSON.stringify(value);
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const byName = <T>(count: number, make: (index: number) => T): Record<string, T> =>
  Object.fromEntries(times(count, (index) => [`n${index}`, make(index)]));
const nest = (levels: number, wrap: (inner: unknown) => unknown, core: unknown): unknown =>
  times(levels, () => wrap).reduce((inner, wrapOnce) => wrapOnce(inner), core);

/** Each level asks twice for the next one, one step further into the document. */
const doubling = (levels: number, step: (inner: unknown) => unknown): string =>
  text({
    $ref: '#/$defs/n0',
    $defs: {
      ...byName(levels, (index) => step({ anyOf: times(2, () => ({ $ref: `#/$defs/n${index + 1}` })) })),
      [`n${levels}`]: false,
    },
  });

const given: readonly { readonly name: string; readonly schema: string; readonly instance: string }[] =
  JSON.parse(readFileSync(new URL('../fixtures/cases/hostile-schemas.json', import.meta.url), 'utf8'));

const ownCases: Readonly<Record<string, () => { readonly schema: string; readonly document: string }>> = {
  'references that double at each level of nested arrays': () => ({
    schema: doubling(40, (inner) => ({ items: inner })),
    document: text(nest(60, (inner) => [inner], 1)),
  }),
  'references that double at each level of nested objects': () => ({
    schema: doubling(40, (inner) => ({ properties: { a: inner } })),
    document: text(nest(60, (inner) => ({ a: inner }), 1)),
  }),
  'contains within contains within contains': () => ({
    schema: text(nest(8, (inner) => ({ contains: inner, maxContains: 1_000_000 }), { const: 1 })),
    document: text(nest(5, (inner) => times(6, () => inner), 0)),
  }),
  'ten thousand long strings that must differ': () => ({
    schema: text({ uniqueItems: true }),
    document: text(times(300, (index) => `${'x'.repeat(90)}${index}`)),
  }),
  'a thousand times that the same items must differ': () => ({
    schema: text({ allOf: times(1_200, () => ({ uniqueItems: true })) }),
    document: text(times(2_000, (index) => ({ [`k${index}`]: [index] }))),
  }),
  'constants that are objects, compared with objects': () => ({
    schema: text({ items: { anyOf: times(300, (index) => ({ const: { a: { b: index } } })) } }),
    document: text(times(400, () => ({ a: { b: 'x'.repeat(50) } }))),
  }),
  'a pattern of nested repetitions that almost matches': () => ({
    schema: text({ pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' }),
    document: text('a'.repeat(60)),
  }),
  'a pattern of alternatives that are the same': () => ({
    schema: text({ items: { pattern: '^(a|a)*$' } }),
    document: text([`${'a'.repeat(40)}b`]),
  }),
  'a pattern for the names of members': () => ({
    schema: text({ patternProperties: { '(x+x+)+y': true } }),
    document: text({ ['x'.repeat(60)]: 1 }),
  }),
  'a pattern that looks back and ahead': () => ({
    schema: text({ pattern: '(?<=(a+)+)(?=(b+)+c)(b*)*d' }),
    document: text(`${'a'.repeat(40)}${'b'.repeat(60)}`),
  }),
  'a pattern of repetitions a thousand times a thousand': () => ({
    schema: text({ pattern: `^${'('.repeat(6)}a{0,999}${'){0,999}'.repeat(6)}$` }),
    document: text(`${'a'.repeat(500)}b`),
  }),
  'a pattern of six thousand classes of letters': () => ({
    schema: text({ pattern: `[${'\\p{L}'.repeat(3_000)}]{3}` }),
    document: text('abc'),
  }),
  'two thousand patterns on every name': () => ({
    schema: text({ patternProperties: Object.fromEntries(times(1_900, (index) => [`^k${index}$`, true])) }),
    document: text(byName(3_000, () => 1)),
  }),
  'numbers of four thousand digits, divided by one another': () => ({
    schema: `{"items":{"multipleOf":${'7'.repeat(300)},"minimum":0.${'3'.repeat(4_000)}}}`,
    document: `[${times(7, () => `1.${'9'.repeat(4_000)}`).join(',')}]`,
  }),
  'a thousand bounds on ten thousand numbers': () => ({
    schema: text({ items: { allOf: times(900, (index) => ({ multipleOf: 0.1, minimum: -index })) } }),
    document: text(times(10_000, () => 0.5)),
  }),
  'what two thousand branches have evaluated': () => ({
    schema: text({
      allOf: times(400, (index) => ({
        anyOf: [{ properties: { [`n${index}`]: true } }, { patternProperties: { n: true } }],
      })),
      unevaluatedProperties: false,
    }),
    document: text(byName(2_000, () => 1)),
  }),
  'evaluated items, merged at each of sixty levels': () => ({
    schema: text(
      nest(20, (inner) => ({ anyOf: [{ contains: true }, inner], unevaluatedItems: true }), {
        contains: true,
      }),
    ),
    document: text(times(10_000, () => 1)),
  }),
  'four thousand members that are never there, asked of thousands of objects': () => ({
    schema: text({
      items: { properties: byName(2_000, () => true), required: times(800, (index) => `n${index}`) },
    }),
    document: text(times(10_000, () => ({}))),
  }),
  'branches told apart by hundreds of constants': () => ({
    schema: text({
      items: { anyOf: times(600, () => ({ $ref: '#/$defs/a' })) },
      $defs: { a: { properties: byName(300, (index) => ({ const: index })), required: ['none'] } },
    }),
    document: text(times(2_000, () => ({ n1: 1, n2: 2 }))),
  }),
  'a string of emoji, counted a thousand times': () => ({
    schema: text({ allOf: times(1_300, () => ({ minLength: 7_000 })) }),
    document: text('😀'.repeat(7_500)),
  }),
  'the meta-schema, asked of every item': () => ({
    schema: text({
      items: { allOf: times(400, () => ({ $ref: 'https://json-schema.org/draft/2020-12/schema' })) },
    }),
    document: text(times(600, () => ({ properties: { a: { items: {} } } }))),
  }),
  'a circle through conditions': () => ({
    schema: text({
      if: { type: 'object' },
      else: { $ref: '#/$defs/a' },
      $defs: { a: { dependentSchemas: { a: { $ref: '#' } }, not: { $ref: '#' } } },
    }),
    document: '1',
  }),
  'recursion as deep as a document may be, ten ways at each level': () => ({
    schema: text({ anyOf: times(10, () => ({ items: { $ref: '#' }, minItems: 1 })) }),
    document: text(nest(120, (inner) => [inner], [])),
  }),
  'eight megabytes of the smallest arrays': () => ({
    schema: text({ items: { items: { type: 'integer' } } }),
    document: `[${'[1],'.repeat(2_000_000)}[1]]`,
  }),
  'eight megabytes of the smallest objects': () => ({
    schema: text({ items: { type: 'object' } }),
    document: `[${'{"":1},'.repeat(1_100_000)}{}]`,
  }),
  'a megabyte of members': () => ({
    schema: text({ additionalProperties: { anyOf: times(200, (index) => ({ const: index })) } }),
    document: text(byName(80_000, () => 'x')),
  }),
  'nesting that never ends': () => ({ schema: 'true', document: '[{"a":'.repeat(1_000_000) }),
};

/** All of them, the given ones and our own; made one by one, since some are large. */
export const hostileCases: readonly { readonly name: string; make(): HostileCase }[] = [
  ...given.map(({ name, schema, instance }) => ({
    name,
    make: () => ({ name, schema, document: instance }),
  })),
  ...Object.entries(ownCases).map(([name, make]) => ({ name, make: () => ({ name, ...make() }) })),
];
