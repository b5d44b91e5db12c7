import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { compileSchema } from '../../src/schema/compile.js';
import { readSpans } from '../../src/schema/document.js';
import { sample } from '../../src/schema/sample.js';
import { satisfiable } from '../support/satisfiable.js';

/** The sample of a schema, after its check; fails where there is none. */
function checked(schema: string): string {
  const made = sample(schema);
  if (!made.ok) throw new Error(made.reason);
  expect(compileSchema(schema, { assertFormats: true }).check(made.json)).toEqual({
    ok: true,
    json: made.json,
  });
  return made.json;
}

describe('A sample shows what a value is for', () => {
  test.each([
    [
      'names of members',
      '{"type":"object","properties":{"summary":{"type":"string"},"dueDate":{"type":"string"},"risk_level":{"type":"string"}}}',
      '{"summary":"Sample summary","dueDate":"2026-01-31","risk_level":"Sample risk level"}',
    ],
    [
      'items of a list by the name of the list',
      '{"type":"object","properties":{"risks":{"type":"array","items":{"type":"string"}}}}',
      '{"risks":["Sample risk","Sample risk 2"]}',
    ],
    [
      'formats',
      '{"type":"array","prefixItems":[{"format":"date"},{"format":"date-time"},{"format":"email"},{"format":"uri"},{"format":"uuid"}]}',
      '["2026-01-31","2026-02-01T12:00:00Z","ada3@example.com","https://example.com/sample4","01234567-89ab-7def-8123-000000000004"]',
    ],
    ['the first branch', '{"anyOf":[{"type":"string"},{"type":"null"}],"title":"Owner"}', '"Sample owner"'],
    ['a value before null, whatever the order', '{"type":["null","integer"]}', '1'],
    ['its own example', '{"type":"string","examples":["Ada Lovelace"]}', '"Ada Lovelace"'],
    ['its own default', '{"type":"integer","default":42}', '42'],
    [
      'no default that says nothing',
      '{"type":"array","items":{"type":"boolean"},"default":[]}',
      '[true,false]',
    ],
    ['a map', '{"type":"object","additionalProperties":{"type":"integer"}}', '{"sample":1}'],
    ['all of a tuple', '{"prefixItems":[{"type":"integer"},{"type":"boolean"}]}', '[1,false]'],
  ])('%s', (_, schema, expected) => {
    expect(checked(schema)).toBe(expected);
  });

  test('an example that is not valid is passed over', () => {
    expect(
      checked('{"type":"object","properties":{"n":{"type":"integer","examples":["x",-1,7],"minimum":0}}}'),
    ).toBe('{"n":7}');
  });

  test('it is the same every time', () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"array","uniqueItems":true},"b":{"format":"uuid"}}}';
    expect(new Set(Array.from({ length: 5 }, () => checked(schema))).size).toBe(1);
  });
});

describe('A sample keeps to', () => {
  test.each([
    [
      'constants, as they are spelt',
      '{"const":{"b":1.0,"a":[1E2,"\\u00e4"]}}',
      '{"b":1.0,"a":[1E2,"\\u00e4"]}',
    ],
    [
      'lists of values, as they are spelt',
      '{"enum":[12345678901234567890123.0,1]}',
      '12345678901234567890123.0',
    ],
    ['lists within a type', '{"enum":["x",null,7],"type":"integer"}', '7'],
    ['two lists at once', '{"allOf":[{"enum":[1,2,3]},{"enum":[3.0,4]}]}', /^3(\.0)?$/],
    ['large bounds, exactly', '{"type":"integer","minimum":9007199254740993}', /^\d{16}$/],
    [
      'a single large integer',
      '{"type":"integer","minimum":9007199254740993,"maximum":9007199254740993}',
      '9007199254740993',
    ],
    [
      'exclusive bounds',
      '{"type":"integer","exclusiveMinimum":9007199254740992,"exclusiveMaximum":9007199254740994}',
      '9007199254740993',
    ],
    [
      'a narrow gap',
      '{"exclusiveMinimum":0.1,"exclusiveMaximum":0.10000000000000000001,"type":"number"}',
      /^0\.1000/,
    ],
    ['negative bounds', '{"type":"integer","maximum":-5,"minimum":-7}', /^-[567]$/],
    ['bounds that are too extreme to calculate with', '{"maximum":1e-1000000000,"type":"number"}', /./],
    ['decimal steps', '{"type":"number","multipleOf":0.01,"minimum":19.995}', '20'],
    ['several steps', '{"type":"integer","multipleOf":0.4,"allOf":[{"multipleOf":3}],"minimum":1}', '6'],
    ['large steps', '{"multipleOf":9007199254740993,"minimum":1}', '9007199254740993'],
    ['a length', '{"type":"string","minLength":50,"maxLength":50}', /^".{50}"$/],
    ['a length of none', '{"type":"string","maxLength":0}', '""'],
    ['a format and a length', '{"format":"email","minLength":40}', /^"a+da@example.com"$/],
    ['a format in few characters', '{"format":"uri","maxLength":10}', '"a:"'],
    ['a pattern', '{"type":"string","pattern":"^[A-Z]{2}-\\\\d{4}$"}', /^"[A-Z]{2}-\d{4}"$/],
    [
      'a pattern and a length',
      '{"type":"string","pattern":"^[a-z]+(-[a-z]+)*$","minLength":9,"maxLength":12}',
      /^"[a-z-]{9,12}"$/,
    ],
    [
      'several patterns',
      '{"type":"string","allOf":[{"pattern":"[A-Z]"},{"pattern":"\\\\d"},{"pattern":"^x"},{"pattern":"y$"}]}',
      /^"x.*y"$/,
    ],
    [
      'a look ahead',
      '{"type":"string","pattern":"^(?=.*[A-Z])(?=.*\\\\d)[A-Za-z\\\\d]{8,}$"}',
      /^"[A-Za-z\d]{8,}"$/,
    ],
    [
      'scripts of the world',
      '{"type":"string","pattern":"^\\\\p{Script=Greek}+$"}',
      /^"\p{Script=Greek}+"$/u,
    ],
    [
      'different items',
      '{"type":"array","items":{"type":["boolean","null"]},"minItems":3,"uniqueItems":true}',
      /^\[(true|false|null),(true|false|null),(true|false|null)\]$/,
    ],
    [
      'different texts of one character',
      '{"type":"array","items":{"type":"string","maxLength":1},"minItems":8,"uniqueItems":true}',
      /^\[("."|"",?)/,
    ],
    [
      'contains',
      '{"type":"array","items":{"type":"integer"},"contains":{"minimum":100},"minContains":2,"maxContains":3}',
      /^\[\d{3},\d{3}\]$/,
    ],
    [
      'contains among a tuple',
      '{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"contains":{"const":7}}',
      /,7\]$/,
    ],
    [
      'members that need others',
      '{"required":["a"],"dependentRequired":{"a":["b"],"b":["c"]}}',
      /"a":.*"b":.*"c":/,
    ],
    [
      'schemas that depend on members',
      '{"type":"object","properties":{"card":{"type":"integer"}},"dependentSchemas":{"card":{"required":["address"]}}}',
      /"card":.*"address":/,
    ],
    [
      'a number of members',
      '{"type":"object","minProperties":3,"maxProperties":3,"properties":{"a":true}}',
      /^{"a":.*,.*,.*}$/,
    ],
    [
      'names',
      '{"type":"object","minProperties":2,"propertyNames":{"pattern":"^[a-c]{2}$"}}',
      /^{"[a-c]{2}":.*"[a-c]{2}":/,
    ],
    [
      'patterns of names',
      '{"type":"object","minProperties":2,"patternProperties":{"^x-\\\\d$":{"type":"integer"}},"additionalProperties":false}',
      /^{"x-\d":\d,"x-\d":\d}$/,
    ],
    [
      'conditions',
      '{"type":"object","properties":{"kind":{"enum":["a","b"]}},"required":["kind"],"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["x"]},"else":{"required":["y"]}}',
      /"kind":"a".*"x":/,
    ],
    [
      'exactly one of several',
      '{"oneOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{"type":"integer"},"b":{"type":"integer"}}}',
      '{"a":1}',
    ],
    [
      'what it must not be',
      '{"type":"object","properties":{"n":{"type":"integer","not":{"multipleOf":2},"minimum":4}},"required":["n"]}',
      '{"n":5}',
    ],
    [
      'what it must not be called',
      '{"properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"not":{"required":["a"]}}',
      '{}',
    ],
    [
      'no members but those that are known',
      '{"allOf":[{"properties":{"a":{"type":"integer"}}}],"minProperties":1,"unevaluatedProperties":false}',
      '{"a":1}',
    ],
    [
      'no items but those that are known',
      '{"allOf":[{"prefixItems":[{"type":"integer"}]}],"minItems":1,"unevaluatedItems":false}',
      '[1]',
    ],
    [
      'recursion',
      '{"$defs":{"T":{"type":"object","required":["l","r"],"properties":{"l":{"$ref":"#/$defs/B"},"r":{"$ref":"#/$defs/B"}}},"B":{"anyOf":[{"$ref":"#/$defs/T"},{"type":"null"}]}},"$ref":"#/$defs/T"}',
      '{"l":null,"r":null}',
    ],
    [
      'recursion through a list',
      '{"type":"object","required":["name","children"],"properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#"}}}}',
      '{"name":"Sample name","children":[]}',
    ],
    ['an anchor', '{"$defs":{"x":{"$anchor":"x","type":"integer"}},"$ref":"#x"}', '1'],
    ['a meta-schema', '{"$ref":"https://json-schema.org/draft/2020-12/schema"}', /./],
    [
      'names of the prototype',
      '{"required":["__proto__","constructor"],"properties":{"__proto__":{"type":"integer"}}}',
      /"__proto__":1/,
    ],
    ['nothing at all', 'true', /./],
  ])('%s', (_, schema, expected) => {
    expect(checked(schema)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });
});

describe('It says so when it cannot', () => {
  test.each([
    ['nothing is allowed', 'false'],
    ['bounds that leave nothing', '{"type":"integer","minimum":2,"maximum":1}'],
    ['types that exclude each other', '{"allOf":[{"type":"string"},{"type":"integer"}]}'],
    ['a list of nothing', '{"enum":[]}'],
    ['a pattern that nothing matches', '{"type":"string","pattern":"^a\\\\b.b$(?!)"}'],
    [
      'more different items than there are',
      '{"type":"array","items":{"type":"boolean"},"uniqueItems":true,"minItems":3}',
    ],
    ['endless recursion', '{"type":"object","required":["next"],"properties":{"next":{"$ref":"#"}}}'],
    [
      'a document that would be too large',
      '{"type":"array","items":{"type":"array","minItems":9000,"items":{"type":"integer"}},"minItems":9000}',
    ],
    ['a text that would be too large', '{"type":"string","minLength":1000000000000}'],
    [
      'a text too long for a pattern that may take for ever',
      '{"type":"string","pattern":"^(a|a)*$","minLength":60}',
    ],
    ['a listed text too long for such a pattern', `{"enum":["${'a'.repeat(40)}!"],"pattern":"^(a+)+$"}`],
    [
      'a name too long for such a pattern',
      `{"required":["${'a'.repeat(40)}!"],"patternProperties":{"^(a+)+$":true}}`,
    ],
  ])('%s', (_, schema) => {
    const begun = process.cpuUsage();
    expect(sample(schema)).toEqual({ ok: false, reason: expect.stringMatching(/^No sample was found.*\.$/) });
    expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
  });

  test.each([
    ['a schema that is none', '{"type":"text"}'],
    ['text that is no JSON', '{'],
    ['a reference out of the document', '{"$ref":"https://example.com/x"}'],
    ['a pattern that does not compile', '{"pattern":"("}'],
  ])('%s, with the reason for which it would be refused', (_, schema) => {
    const made = sample(schema);
    expect(() => compileSchema(schema)).toThrow(made.ok ? 'it was made' : made.reason);
  });

  test('hostile schemas keep it busy for less than a second', () => {
    for (const { schema } of hostile) {
      const begun = process.cpuUsage();
      const made = sample(schema);
      if (made.ok) expect(compileSchema(schema).check(made.json).ok).toBe(true);
      expect(process.cpuUsage(begun).user, schema.slice(0, 80)).toBeLessThan(1_000_000);
    }
  });
});

const wide = (levels: number): string => {
  const level = (number: number): unknown => ({
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { $ref: `#/$defs/n${number + 1}` }, b: { $ref: `#/$defs/n${number + 1}` } },
  });
  const definitions = Object.fromEntries(
    Array.from({ length: levels }, (_, number) => [`n${number}`, level(number)]),
  );
  return JSON.stringify({
    $defs: { ...definitions, [`n${levels}`]: { type: 'integer' } },
    $ref: '#/$defs/n0',
  });
};

/** Schemas that are meant to keep whoever makes a sample busy, beside those that every part of the server is tried on. */
const hostile: readonly { readonly schema: string }[] = [
  ...readCases('hostile-schemas'),
  { schema: wide(24) },
  { schema: JSON.stringify({ pattern: `^${'(?:a?'.repeat(50)}${')*'.repeat(50)}$` }) },
  { schema: JSON.stringify({ pattern: '(?:a?){1000}b{0,1000}' }) },
  { schema: JSON.stringify({ pattern: 'a?'.repeat(16_000) }) },
  { schema: JSON.stringify({ pattern: `^${'[ab]'.repeat(8_000)}$` }) },
  { schema: JSON.stringify({ pattern: `${'(?:a|b?'.repeat(90)}${')*c?'.repeat(90)}` }) },
  { schema: JSON.stringify({ pattern: `${'('.repeat(2_000)}a${')'.repeat(2_000)}` }) },
  { schema: JSON.stringify({ pattern: `[${'\\u4e00-\\u9fff'.repeat(2_000)}]` }) },
  {
    schema: JSON.stringify({
      allOf: Array.from({ length: 300 }, (_, n) => ({ pattern: `[^${n % 10}]{${n}}` })),
    }),
  },
  { schema: JSON.stringify({ oneOf: Array.from({ length: 400 }, () => ({ type: 'string' })) }) },
  {
    schema: JSON.stringify({
      allOf: Array.from({ length: 20 }, () => ({ anyOf: [false, { type: 'string' }, { type: 'integer' }] })),
      not: {},
    }),
  },
  {
    schema: JSON.stringify({
      required: Array.from({ length: 3_000 }, (_, n) => `n${n}`),
      maxProperties: 2_999,
    }),
  },
  { schema: JSON.stringify({ multipleOf: 7, minimum: 1e300, maximum: 1e300 }) },
  {
    schema: JSON.stringify({
      minItems: 10_000,
      uniqueItems: true,
      items: { enum: Array.from({ length: 3_000 }, (_, n) => n) },
    }),
  },
  { schema: JSON.stringify({ minProperties: 100_000 }) },
];

function readCases(name: string): readonly { readonly schema: string }[] {
  const cases: unknown = JSON.parse(readFileSync(`test/fixtures/cases/${name}.json`, 'utf8'));
  if (!Array.isArray(cases)) throw new Error(`${name} holds no list.`);
  return cases;
}

test('Every schema that Kedi sends has a sample', () => {
  for (const { schema } of readCases('kedi-schemas')) checked(schema);
});

test('Every schema of the official suite that something is valid by has a sample', () => {
  const directory = 'test/fixtures/json-schema-test-suite/draft2020-12';
  let count = 0;
  for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.json')) continue;
    const read = readSpans(readFileSync(`${directory}/${file}`), { depth: 1_000 });
    if (!read.ok) continue;
    for (const { members } of read.span.items) {
      const schema = members.get('schema')?.json ?? '';
      const documents = members.get('tests')?.items.map((each) => each.members.get('data')?.json ?? '') ?? [];
      if (!isSatisfied(schema, documents)) continue;
      const made = sample(schema);
      expect(made, `${file}: ${schema}`).toMatchObject({ ok: true });
      if (made.ok) expect(compileSchema(schema).check(made.json)).toMatchObject({ ok: true });
      count += 1;
    }
  }
  expect(count).toBeGreaterThan(300);
});

function isSatisfied(schema: string, documents: readonly string[]): boolean {
  try {
    const compiled = compileSchema(schema);
    return documents.some((document) => compiled.check(document).ok);
  } catch (error) {
    if (error instanceof KediError) return false;
    throw error;
  }
}

test('Every schema that can be satisfied has a sample, whatever is put together at random', () => {
  fc.assert(
    fc.property(satisfiable, ({ schema, witness }) => {
      const compiled = compileSchema(schema);
      expect(compiled.check(witness)).toMatchObject({ ok: true });
      const made = sample(schema);
      expect(made).toMatchObject({ ok: true });
      if (made.ok) expect(compiled.check(made.json)).toEqual(made);
    }),
    // The same ones every time: there may be one among a hundred thousand that is too much for it.
    { numRuns: 1_500, seed: 20_260_131 },
  );
});
