import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { compileSchema } from '../../src/schema/compile.js';
import { shapes } from '../../src/schema/shapes.js';
import { arbitraryDocument, arbitrarySchema, type Json } from './arbitrary-schema.js';

// Schemas are checked by a table of shapes, for speed. Here the meta-schema itself, judged by our own interpreter,
// says whether the table is right.
const metaschema = compileSchema('{"$ref":"https://json-schema.org/draft/2020-12/schema"}');

/** Whether the table accepts: SCHEMA_INVALID at a keyword's value, or any other answer. */
function fits(schema: string): boolean {
  try {
    compileSchema(schema);
    return true;
  } catch (error) {
    if (!(error instanceof KediError)) throw error;
    // What the meta-schema does not say: references lead somewhere, patterns compile, anchors are unique.
    const beyond = /a reference|not a valid reference|regular expression|given twice/;
    return error.code !== 'SCHEMA_INVALID' || beyond.test(error.message);
  }
}

const example = (keyword: string): fc.Arbitrary<Json> =>
  fc.oneof(
    arbitraryDocument,
    fc.constantFrom<Json>(
      'string',
      ['string', 'null'],
      ['string', 'string'],
      'strung',
      [],
      [true],
      [{ [keyword]: 5 }],
      { a: true },
      { a: { [keyword]: 5 } },
      { a: [] },
      { a: ['b', 'b'] },
      { a: ['b', 'c'] },
      { a: [1] },
      '#a',
      'a#',
      '_a.b-c',
      '1a',
      'a b',
      '',
      0,
      -1,
      1.5,
      -0.5,
      1e20,
      2.0,
    ),
  );

describe('the table of shapes is the meta-schema of draft 2020-12', () => {
  test.each([...shapes.keys()])('for the values of %s', (keyword) => {
    fc.assert(
      fc.property(example(keyword), (value) => {
        const schema = JSON.stringify({ $defs: { inner: { [keyword]: value } } });
        expect([schema, fits(schema)]).toEqual([schema, metaschema.check(schema).ok]);
      }),
      { numRuns: 150 },
    );
  });

  test('for schemas with one value damaged', () => {
    const damaged = fc.tuple(arbitrarySchema, arbitraryDocument, fc.nat()).map(([schema, value, at]) => {
      const places = (json: Json): number =>
        typeof json === 'object' && json !== null
          ? 1 + Object.values(json).reduce((sum: number, part: Json) => sum + places(part), 0)
          : 1;
      let left = at % places(schema);
      const replace = (json: Json): Json => {
        left -= 1;
        if (left === -1) return value;
        if (typeof json !== 'object' || json === null) return json;
        return Array.isArray(json)
          ? json.map(replace)
          : Object.fromEntries(Object.entries(json).map(([name, part]) => [name, replace(part)]));
      };
      return JSON.stringify(replace(schema));
    });
    let refused = 0;
    fc.assert(
      fc.property(damaged, (schema) => {
        const fit = fits(schema);
        if (!fit) refused += 1;
        expect(fit).toBe(metaschema.check(schema).ok);
      }),
      { numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(300);
  });

  test('it knows every keyword of the meta-schemas, and no other', () => {
    const named = [
      'schema',
      'core',
      'applicator',
      'unevaluated',
      'validation',
      'meta-data',
      'format-annotation',
      'content',
    ];
    const keywords = named.flatMap((name) => {
      const path = `../../node_modules/ajv/dist/refs/json-schema-2020-12/${name === 'schema' ? '' : 'meta/'}${name}.json`;
      return Object.keys(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).properties);
    });
    expect(new Set(shapes.keys())).toEqual(new Set(keywords));
  });
});
