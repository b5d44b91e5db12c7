import { describe, expect, it } from 'vitest';
import { outgoingSchema } from '../../../src/agents/kit/outgoing-schema.js';
import { compileSchema, readDocument } from '../../../src/schema/index.js';

function outgoing(schema: string, options = {}) {
  const read = readDocument(schema);
  if (!read.ok) throw new Error(read.reason);
  return outgoingSchema(read.json, options);
}

describe('the copy of a schema that goes out to a model', () => {
  it('is the schema, number by number, without its dialect', () => {
    const rest = '"type":"object","properties":{"id":{"const":9007199254740993},"p":{"maximum":1.50}}}';
    const { text, unwrap } = outgoing(`{"$schema":"https://json-schema.org/draft/2020-12/schema",${rest}`);
    expect(text).toBe(`{${rest}`);
    expect(unwrap('{"id": 1.0}')).toBe('{"id": 1.0}');
  });

  it.each([
    ['{"type":"integer"}', '9007199254740993'],
    ['{"anyOf":[{"type":"string"},{"type":"null"}]}', '"w\\u00efdget"'],
    ['{"type":"array","items":{"type":"number"}}', '[78.0, 1.0E+2]'],
    ['true', 'null'],
    [
      '{"$ref":"#/$defs/N","$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}',
      '{"next":{}}',
    ],
    ['{"type":"array","items":{"$ref":"#"}}', '[[],[[]]]'],
  ])(
    'is an object even where the schema is not (%s), and its document comes out exactly',
    (schema, document) => {
      const { text, unwrap } = outgoing(schema);
      expect(JSON.parse(text)).toMatchObject({
        type: 'object',
        required: ['value'],
        additionalProperties: false,
      });
      const wrapped = `{ "value" : ${document} }`;
      expect(compileSchema(text).check(wrapped)).toMatchObject({ ok: true });
      expect(unwrap(wrapped)).toBe(document);
      expect(compileSchema(text).check('{"value":[1]}').ok).toBe(compileSchema(schema).check('[1]').ok);
    },
  );

  it('leaves a document alone that is not wrapped: it is for the check to refuse', () => {
    expect(outgoing('{"type":"integer"}').unwrap('no JSON')).toBe('no JSON');
    expect(outgoing('{"type":"integer"}').unwrap('7')).toBe('7');
    const { unwrap } = outgoing('{"type":"integer"}');
    // For the check to refuse: neither is a document.
    expect(unwrap('{"value":7,"more":1}')).toBe('7,"more":1');
    expect(unwrap('{"value":\ufeff7}')).toBe('\ufeff7');
    expect(unwrap('{"other":7}')).toBe('{"other":7}');
  });

  it('has closed objects where that is wanted, at every depth, and never closes a map of names to values', () => {
    const schema = {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'object', properties: { x: {}, y: {} }, required: ['x'] } },
        map: { type: 'object', additionalProperties: { type: 'object', properties: { z: {} } } },
        empty: { type: 'object' },
        sample: { const: { type: 'object' } },
      },
    };
    expect(JSON.parse(outgoing(JSON.stringify(schema), { closed: true }).text)).toEqual({
      type: 'object',
      properties: {
        a: {
          type: 'array',
          items: {
            type: 'object',
            properties: { x: {}, y: {} },
            required: ['x', 'y'],
            additionalProperties: false,
          },
        },
        map: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: { z: {} },
            required: ['z'],
            additionalProperties: false,
          },
        },
        empty: { type: 'object', additionalProperties: false, required: [] },
        sample: { const: { type: 'object' } },
      },
      required: ['a', 'map', 'empty', 'sample'],
      additionalProperties: false,
    });
  });
});
