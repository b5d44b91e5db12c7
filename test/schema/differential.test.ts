import {
  registerSchema,
  type SchemaObject,
  unregisterSchema,
  validate,
} from '@hyperjump/json-schema/draft-2020-12';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/compile.js';
import { arbitraryDocument, arbitrarySchema } from './arbitrary-schema.js';

type Judge = (document: string) => boolean;
type Validator = 'ours' | 'ajv' | 'hyperjump';

const byOurs = (schema: string): Judge => {
  const { check } = compileSchema(schema);
  return (document) => check(document).ok;
};

const byAjv = (schema: string): Judge => {
  const check = new Ajv2020({ strict: false, logger: false }).compile(JSON.parse(schema));
  return (document) => check(JSON.parse(document)) === true;
};

const dialect = 'https://json-schema.org/draft/2020-12/schema';
let registered = 0;

const byHyperjump = async (schema: string): Promise<Judge> => {
  registered += 1;
  const uri = `https://schema.example/${registered}`;
  const plain: SchemaObject = { $schema: dialect, ...JSON.parse(schema) };
  registerSchema(plain, uri);
  try {
    const check = await validate(uri);
    return (document) => check(JSON.parse(document)).valid;
  } finally {
    unregisterSchema(uri);
  }
};

test('ajv and hyperjump judge random documents by random schemas as we do', async () => {
  const documents = fc.array(
    arbitraryDocument.map((value) => JSON.stringify(value)),
    {
      minLength: 10,
      maxLength: 10,
    },
  );
  const count = { valid: 0, invalid: 0 };
  await fc.assert(
    fc.asyncProperty(arbitrarySchema, documents, async (plain, texts) => {
      const schema = JSON.stringify(plain);
      const [ours, hyperjump] = [byOurs(schema), await byHyperjump(schema)];
      // Its faults with these two keywords are among those below.
      const ajv = schema.includes('"unevaluated') ? undefined : byAjv(schema);
      for (const document of texts) {
        const verdict = ours(document);
        count[verdict ? 'valid' : 'invalid'] += 1;
        expect(hyperjump(document)).toBe(verdict);
        if (ajv !== undefined) expect(ajv(document)).toBe(verdict);
      }
    }),
    { numRuns: 200 },
  );
  expect(count.valid).toBeGreaterThan(200);
  expect(count.invalid).toBeGreaterThan(200);
}, 120_000);

describe('where they differ, they are wrong, and are known to be', () => {
  const faults: readonly {
    readonly what: string;
    readonly schema: string;
    readonly document: string;
    readonly valid: boolean;
    readonly wrong: readonly Validator[];
  }[] = [
    {
      what: 'a number beyond 2^53 that no double holds',
      schema: '{"const":9007199254740993}',
      document: '9007199254740992',
      valid: false,
      wrong: ['ajv', 'hyperjump'],
    },
    {
      what: 'a bound beyond 2^53',
      schema: '{"maximum":18446744073709551615}',
      document: '18446744073709551616',
      valid: false,
      wrong: ['ajv', 'hyperjump'],
    },
    {
      what: 'a fraction that no double holds',
      schema: '{"type":"integer"}',
      document: '1.00000000000000000001',
      valid: false,
      wrong: ['ajv', 'hyperjump'],
    },
    {
      what: 'items that are equal only as doubles',
      schema: '{"uniqueItems":true}',
      document: '[9007199254740993,9007199254740992]',
      valid: true,
      wrong: ['ajv', 'hyperjump'],
    },
    {
      what: 'a member named like a property of every object',
      schema: '{"required":["__proto__"]}',
      document: '{}',
      valid: false,
      wrong: ['ajv'],
    },
    {
      what: 'a multiple of a fraction',
      schema: '{"multipleOf":0.1}',
      document: '0.30000000000000004',
      valid: false,
      wrong: ['hyperjump'],
    },
    {
      what: 'the same, nearer to a multiple than doubles can tell',
      schema: '{"multipleOf":0.1}',
      document: '0.3',
      valid: true,
      wrong: ['ajv'],
    },
    {
      what: 'an item that contains did not match',
      schema: '{"prefixItems":[true],"contains":{"type":"string"},"unevaluatedItems":false}',
      document: '[1,2,"foo"]',
      valid: false,
      wrong: ['ajv'],
    },
    {
      what: 'items evaluated in a branch',
      schema: '{"unevaluatedItems":{"type":"boolean"},"anyOf":[{"items":{"type":"string"}},true]}',
      document: '["yes","no"]',
      valid: true,
      wrong: ['ajv'],
    },
    {
      what: 'members evaluated by an if without then',
      schema: '{"if":{"patternProperties":{"foo":{"type":"string"}}},"unevaluatedProperties":false}',
      document: '{"foo":"a"}',
      valid: true,
      wrong: ['ajv'],
    },
    {
      what: 'a dynamic reference to a schema that is false',
      schema: '{"properties":{"a":{"$dynamicRef":"#/$defs/no"}},"$defs":{"no":false}}',
      document: '{"a":1}',
      valid: false,
      wrong: ['ajv'],
    },
  ];

  test.each(faults)('$what', async ({ schema, document, valid, wrong }) => {
    const judges: Readonly<Record<Validator, Judge>> = {
      ours: byOurs(schema),
      ajv: byAjv(schema),
      hyperjump: await byHyperjump(schema),
    };
    const verdicts = Object.entries(judges).map(([name, judge]) => [name, judge(document)]);
    const expected = Object.keys(judges).map((name) => [
      name,
      wrong.some((one) => one === name) ? !valid : valid,
    ]);
    expect(verdicts).toEqual(expected);
  });
});
