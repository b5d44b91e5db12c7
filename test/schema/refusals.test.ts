import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { compileSchema } from '../../src/schema/compile.js';

const nested = (levels: number, inner = '{}'): string =>
  '{"items":'.repeat(levels - 1) + inner + '}'.repeat(levels - 1);

const padded = (bytes: number): string => `{"title":"${'é'.repeat(10)}${'x'.repeat(bytes - 32)}"}`;

function refusal(schema: string): KediError | undefined {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof KediError) return error;
    throw error;
  }
}

describe('a schema is refused with its code, the pointer and the reason in one line', () => {
  test.each<[string, string, string, string]>([
    [
      '{"a":1,}',
      'SCHEMA_MALFORMED',
      '',
      'The schema cannot be read: a name in double quotes was expected, at character 8.',
    ],
    ['{"type":"string","type":"string"}', 'SCHEMA_MALFORMED', '', 'stands twice'],
    ['\ufeff{}', 'SCHEMA_MALFORMED', '', 'byte-order mark'],
    ['{"maximum":1E1000000000}', 'SCHEMA_MALFORMED', '', 'beyond the range of a double'],
    ['null', 'SCHEMA_INVALID', '', 'Schema (root): a schema must be an object, true or false.'],
    ['{"properties":{"a":1}}', 'SCHEMA_INVALID', '/properties/a', 'must be an object, true or false'],
    [
      '{"items":{"minLength":-1}}',
      'SCHEMA_INVALID',
      '/items/minLength',
      'Schema /items/minLength: must be an integer of zero or more.',
    ],
    [
      '{"$defs":{"a/b~c":{"type":"text"}}}',
      'SCHEMA_INVALID',
      '/$defs/a~1b~0c/type',
      'must be a type of JSON Schema',
    ],
    ['{"not":{"pattern":"("}}', 'SCHEMA_INVALID', '/not/pattern', 'not a regular expression'],
    ['{"patternProperties":{"[":true}}', 'SCHEMA_INVALID', '/patternProperties', 'not a regular expression'],
    [
      '{"$defs":{"unused":{"pattern":"("}}}',
      'SCHEMA_INVALID',
      '/$defs/unused/pattern',
      'not a regular expression',
    ],
    [
      '{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}',
      'SCHEMA_INVALID',
      '/$defs/b/$anchor',
      'given twice',
    ],
    ['{"items":{"$ref":"#/$defs/none"}}', 'SCHEMA_INVALID', '/items/$ref', 'a reference to nothing'],
    ['{"items":{"$ref":"#none"}}', 'SCHEMA_INVALID', '/items/$ref', 'a reference to nothing'],
    ['{"$ref":"#/required","required":[]}', 'SCHEMA_INVALID', '/$ref', 'something that is not a schema'],
    ['{"$ref":"#/%zz"}', 'SCHEMA_INVALID', '/$ref', 'not a valid reference'],
    ['{"$id":"http://[/"}', 'SCHEMA_INVALID', '/$id', 'must be a URI reference'],
    ['{"$id":"#a"}', 'SCHEMA_INVALID', '/$id', 'without a fragment'],
    [
      '{"$schema":"http://json-schema.org/draft-07/schema#"}',
      'SCHEMA_UNSUPPORTED',
      '/$schema',
      'only the dialect',
    ],
    [
      '{"properties":{"a":{"$id":"http://example.com/a"}}}',
      'SCHEMA_UNSUPPORTED',
      '/properties/a/$id',
      'below the root',
    ],
    ['{"$ref":"http://127.0.0.1:9/schema.json"}', 'SCHEMA_UNSUPPORTED', '/$ref', 'out of the document'],
    ['{"$ref":"other.json"}', 'SCHEMA_UNSUPPORTED', '/$ref', 'out of the document'],
    [
      '{"$ref":"https://json-schema.org/draft/2019-09/schema"}',
      'SCHEMA_UNSUPPORTED',
      '/$ref',
      'out of the document',
    ],
    ['{"$ref":"#"}', 'SCHEMA_TOO_COSTLY', '', 'without end'],
    [
      '{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/a"}]}}}',
      'SCHEMA_TOO_COSTLY',
      '/properties/a/$ref',
      'without end',
    ],
  ])('%s', (schema, code, pointer, message) => {
    const refused = refusal(schema);
    expect(refused).toMatchObject({ code, pointer, message: expect.stringContaining(message) });
    expect(refused?.message).not.toContain('\n');
  });
});

describe('the bounds of a schema', () => {
  test('32,768 bytes of UTF-8 pass, one more does not', () => {
    expect(Buffer.byteLength(padded(32_768))).toBe(32_768);
    expect(refusal(padded(32_768))).toBeUndefined();
    expect(refusal(padded(32_769))).toMatchObject({ code: 'SCHEMA_TOO_LARGE', pointer: '' });
  });

  test('64 schemas inside each other pass, one more does not', () => {
    expect(refusal(nested(64))).toBeUndefined();
    expect(refusal(nested(65))).toMatchObject({ code: 'SCHEMA_TOO_LARGE', pointer: '/items'.repeat(64) });
  });

  test('text nested 200 levels deep passes, one more does not', () => {
    const text = (levels: number) => `{"const":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    expect(refusal(text(200))).toBeUndefined();
    expect(refusal(text(201))).toMatchObject({ code: 'SCHEMA_TOO_LARGE' });
  });

  test('4,000 subschemas pass, one more does not', () => {
    const list = (count: number) =>
      `{"anyOf":[${Array(count - 1)
        .fill('{}')
        .join(',')}]}`;
    expect(refusal(list(4_000))).toBeUndefined();
    expect(refusal(list(4_001))).toMatchObject({ code: 'SCHEMA_TOO_LARGE', pointer: '/anyOf/3999' });
  });

  test('references that double at each level are refused before they are ever followed', () => {
    const doubling = (levels: number) => {
      const level = (index: number) =>
        `"a${index}":{"anyOf":[{"$ref":"#/$defs/a${index + 1}"},{"$ref":"#/$defs/a${index + 1}"}]}`;
      const levelsText = Array.from({ length: levels }, (_, index) => level(index)).join(',');
      return `{"$ref":"#/$defs/a0","$defs":{${levelsText},"a${levels}":{"type":"string"}}}`;
    };
    expect(refusal(doubling(12))).toBeUndefined();
    expect(refusal(doubling(24))).toMatchObject({ code: 'SCHEMA_TOO_COSTLY' });
  });

  test('many references to many schemas are nothing unusual', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `d${index}`,
        { anyOf: [{ type: 'null' }, { type: 'string' }] },
      ]),
    );
    const properties = Object.fromEntries(
      Object.keys($defs).map((name) => [name, { $ref: `#/$defs/${name}` }]),
    );
    expect(refusal(JSON.stringify({ properties, $defs }))).toBeUndefined();
  });

  test('a chain of references is refused where it is longer than any that means well', () => {
    const chain = (links: number) => {
      const link = (index: number) => `"a${index}":{"$ref":"#/$defs/a${index + 1}"}`;
      return `{"$ref":"#/$defs/a0","$defs":{${Array.from({ length: links }, (_, index) => link(index)).join(',')},"a${links}":{}}}`;
    };
    expect(refusal(chain(100))).toBeUndefined();
    expect(refusal(chain(900))).toMatchObject({ code: 'SCHEMA_TOO_COSTLY' });
  });
});

describe('references that lead somewhere', () => {
  const meta = 'https://json-schema.org/draft/2020-12';
  const text = { type: 'string' };

  test.each<[string, object, unknown, unknown]>([
    [
      'the root',
      { properties: { a: { $ref: '#' } }, additionalProperties: false },
      { a: { a: {} } },
      { a: { b: 1 } },
    ],
    [
      'a place that no keyword leads to',
      { $ref: '#/components/schemas/0', components: { schemas: [text] } },
      'a',
      1,
    ],
    [
      'a name with a slash, a tilde and a percent sign',
      { $ref: '#/$defs/a~1b~0c%25d', $defs: { 'a/b~c%d': text } },
      'a',
      1,
    ],
    ['a name that only looks escaped', { $ref: '#/$defs/~01', $defs: { '~1': text } }, 'a', 1],
    ['an anchor', { $ref: '#text', $defs: { a: { $anchor: 'text', ...text } } }, 'a', 1],
    [
      'the own $id',
      { $id: 'https://example.com/s', $ref: 'https://example.com/s#/$defs/a', $defs: { a: text } },
      'a',
      1,
    ],
    [
      'the own $id, relative to it',
      { $id: 'https://example.com/x/s', $ref: 's#/$defs/a', $defs: { a: text } },
      'a',
      1,
    ],
    [
      'the own $id where it is a relative one',
      { $id: 's.json', $ref: 's.json#/$defs/a', $defs: { a: text } },
      'a',
      1,
    ],
    ['a URN', { $id: 'urn:example:s', $ref: 'urn:example:s#/$defs/a', $defs: { a: text } }, 'a', 1],
    ['the meta-schema', { $ref: `${meta}/schema` }, { not: { type: 'null' } }, { not: { type: 1 } }],
    ['a part of the meta-schema', { $ref: `${meta}/meta/validation#/$defs/stringArray` }, ['a'], [1]],
    [
      'a vocabulary, whose own rules then hold for inner schemas too',
      { $ref: `${meta}/meta/applicator` },
      { not: { type: 1 } },
      { not: 1 },
    ],
    [
      'the meta-schema, made stricter for inner schemas too by a dynamic anchor',
      { $dynamicAnchor: 'meta', $ref: `${meta}/schema`, required: ['type'] },
      { type: 'object', not: { type: 'array' } },
      { type: 'object', not: {} },
    ],
  ])('%s', (_, schema, valid, invalid) => {
    const { check } = compileSchema(JSON.stringify(schema));
    expect(check(JSON.stringify(valid))).toMatchObject({ ok: true });
    expect(check(JSON.stringify(invalid))).toMatchObject({ ok: false, code: 'RESULT_INVALID' });
  });
});
