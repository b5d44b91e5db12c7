import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/compile.js';

function violation(schema: unknown, document: unknown) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  const verdict = compileSchema(JSON.stringify(schema)).check(text);
  if (verdict.ok) throw new Error('accepted');
  return verdict.violation;
}

const line = (schema: unknown, document: unknown): string => violation(schema, document).message;

describe('a failure is one line: where, and by which rule', () => {
  test.each<[string, unknown, unknown]>([
    ['(root): must be an object', { type: 'object' }, []],
    [
      '/a/1: must be a string or null',
      { properties: { a: { items: { type: ['string', 'null'] } } } },
      { a: ['x', 1] },
    ],
    [
      '/a~1b/~0: must be an integer',
      { additionalProperties: { additionalProperties: { type: 'integer' } } },
      { 'a/b': { '~': 1.5 } },
    ],
    ['(root): must have the member "id"', { required: ['id'] }, {}],
    ['/b: is not allowed', { properties: { a: true }, additionalProperties: false }, { a: 1, b: 2 }],
    ['/b: is not allowed', { properties: { a: true }, unevaluatedProperties: false }, { a: 1, b: 2 }],
    ['/2: is not allowed', { prefixItems: [true, true], items: false }, [1, 2, 3]],
    ['(root): must be at least 9007199254740993', '{"minimum":9007199254740993}', '9007199254740992'],
    ['(root): must be less than 0.5', { exclusiveMaximum: 0.5 }, 1],
    ['(root): must be a multiple of 0.1', { multipleOf: 0.1 }, 0.05],
    ['(root): must be at least 2 characters long', { minLength: 2 }, '"😀"'],
    ['(root): must be at most 1 character long', { maxLength: 1 }, '"ab"'],
    ['(root): must match the pattern "^a$"', { pattern: '^a$' }, '"b"'],
    ['(root): must be "a"', { const: 'a' }, '"b"'],
    ['(root): must be one of "open", "closed", null', { enum: ['open', 'closed', null] }, '"b"'],
    ['(root): has no value that is allowed', { enum: [] }, 1],
    ['(root): must have at least 1 item', { minItems: 1 }, []],
    ['(root): must have at most 2 members', { maxProperties: 2 }, { a: 1, b: 2, c: 3 }],
    ['(root): items 0 and 2 must differ', { uniqueItems: true }, [{ a: 1 }, 2, { a: 1.0 }]],
    ['(root): must contain at least 1 item that matches', { contains: { const: 1 } }, [2]],
    [
      '(root): must contain at most 2 items that match',
      { contains: { const: 1 }, maxContains: 2 },
      [1, 1, 1],
    ],
    [
      '/bad name: must match the pattern "^[a-z]+$"',
      { propertyNames: { pattern: '^[a-z]+$' } },
      { 'bad name': 1 },
    ],
    ['(root): must have the member "b"', { dependentRequired: { a: ['b'] } }, { a: 1 }],
    ['(root): must not match the schema of not', { not: { type: 'null' } }, null],
    [
      '/kind: must be "x"',
      { if: { required: ['other'] }, else: { properties: { kind: { const: 'x' } } } },
      { kind: 'y' },
    ],
  ])('%s', (expected, schema, document) => {
    const verdict = compileSchema(typeof schema === 'string' ? schema : JSON.stringify(schema)).check(
      typeof document === 'string' ? document : JSON.stringify(document),
    );
    expect(verdict).toMatchObject({ ok: false, code: 'RESULT_INVALID', violation: { message: expected } });
  });

  test('the pointer and the keyword stand by themselves as well', () => {
    expect(violation({ items: { multipleOf: 2 } }, [2, 3])).toEqual({
      pointer: '/1',
      keyword: 'multipleOf',
      message: '/1: must be a multiple of 2',
    });
  });
});

describe('of several branches, the one is named that the document was meant for', () => {
  const shapes = {
    oneOf: [{ $ref: '#/$defs/Circle' }, { $ref: '#/$defs/Square' }],
    $defs: {
      Circle: {
        properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
        required: ['kind', 'radius'],
      },
      Square: {
        properties: { kind: { enum: ['square'] }, side: { type: 'number' } },
        required: ['kind', 'side'],
      },
    },
  };

  test('by its constant member, though another branch came further', () => {
    expect(line(shapes, { kind: 'square' })).toBe(
      '(root): must have the member "side" (branch 2 of oneOf, #/$defs/Square)',
    );
    expect(line(shapes, { kind: 'circle', radius: 'r', side: 1 })).toBe(
      '/radius: must be a number (branch 1 of oneOf, #/$defs/Circle)',
    );
  });

  test('else by how far it came', () => {
    const schema = { anyOf: [{ type: 'null' }, { properties: { a: { items: { type: 'string' } } } }] };
    expect(violation(schema, { a: ['x', 1] })).toEqual({
      pointer: '/a/1',
      keyword: 'type',
      message: '/a/1: must be a string (branch 2 of anyOf)',
    });
  });

  test('by how far it came, though another came some way as well', () => {
    const string = { type: 'string' };
    const schema = {
      anyOf: [{ properties: { a: string } }, { properties: { b: { properties: { c: string } } } }],
    };
    expect(line(schema, { a: 1, b: { c: 2 } })).toBe('/b/c: must be a string (branch 2 of anyOf)');
  });

  test('where none came anywhere, what each of them asks for', () => {
    const optional = { properties: { owner: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    expect(violation(optional, { owner: 5 })).toEqual({
      pointer: '/owner',
      keyword: 'anyOf',
      message: '/owner: must match a branch of anyOf (must be a string; must be null)',
    });
  });

  test('where two match and only one may', () => {
    expect(line({ oneOf: [{ minimum: 1 }, true, { maximum: 5 }] }, 3)).toBe(
      '(root): must match only one branch of oneOf, not both 1 and 2',
    );
  });

  test('branches within branches do not make the line grow without end', () => {
    let schema: unknown = { type: 'string' };
    for (let depth = 0; depth < 60; depth += 1)
      schema = { anyOf: [schema, { const: depth }, { type: 'null' }] };
    expect(line(schema, 1_000).length).toBeLessThan(400);
  });
});

describe('nothing of a document gets into a line, and little of a schema', () => {
  test('literals of the schema are cut', () => {
    const long = 'x'.repeat(500);
    expect(line({ const: long }, 1)).toBe(`(root): must be "${'x'.repeat(58)}…`);
    expect(line({ const: { [long]: [long] } }, 1).length).toBeLessThan(80);
    expect(line({ enum: Array.from({ length: 1_000 }, (_, index) => index) }, 'x'.replace('x', '"x"'))).toBe(
      '(root): must be one of 0, 1, 2, 3, 4, 5, 6, 7, …',
    );
    expect(line({ const: `${'x'.repeat(57)}😀x` }, 1)).not.toMatch(/\p{Surrogate}/u);
  });

  test('a name makes no second line', () => {
    expect(line({ additionalProperties: false }, { 'a\nb\u2028': 1 })).toBe(
      '/a\\u000ab\\u2028: is not allowed',
    );
    expect(line({ additionalProperties: false }, { ['n'.repeat(10_000)]: 1 }).length).toBeLessThan(250);
  });

  test('a document that cannot be read is refused by its place, not by its text', () => {
    expect(compileSchema('true').check('{"secret": hunter2}')).toEqual({
      ok: false,
      code: 'RESULT_MALFORMED',
      violation: {
        pointer: '',
        keyword: 'syntax',
        message: 'a value was expected, at character 12',
        offset: 11,
      },
    });
    expect(compileSchema('true', { documentBytes: 4 }).check('"abc"')).toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
    expect(compileSchema('true').check('['.repeat(129))).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  });
});

interface KediSchema {
  readonly name: string;
  readonly schema: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

const kediSchemas: readonly KediSchema[] = JSON.parse(
  readFileSync(new URL('../fixtures/cases/kedi-schemas.json', import.meta.url), 'utf8'),
);

describe('schemas as a Kedi client makes them', () => {
  test.each(kediSchemas)('$name', ({ schema, valid, invalid }) => {
    const { check } = compileSchema(schema);
    for (const document of valid) expect(check(document)).toEqual({ ok: true, json: document });
    for (const document of invalid)
      expect(check(document)).toMatchObject({ ok: false, code: 'RESULT_INVALID' });
  });
});
