import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import {
  KEDI_STRUCTURED_OUTPUT_URI,
  kediExtension,
  readOffer,
  readResult,
  readStructuredRequest,
  writeResult,
  writeStructuredRequest,
} from '../../src/protocol/structured-output.js';
import { compileSchema } from '../../src/schema/compile.js';
import { jsonText, readDocument, readSpans } from '../../src/schema/document.js';
import { sample } from '../../src/schema/sample.js';

interface Case {
  readonly name: string;
  readonly schema: string;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

const cases: readonly Case[] = JSON.parse(readFileSync('test/fixtures/cases/kedi-schemas.json', 'utf8'));

/** What the server makes of a request that a client has written for this schema and a peer's card. */
function exchange(schemaText: string) {
  const schema = readDocument(schemaText);
  const card = readSpans(jsonText(kediExtension().params));
  if (!schema.ok || !card.ok) throw new Error('The case cannot be read.');
  const request = readStructuredRequest({
    metadata: writeStructuredRequest(schema.json, readOffer(card.span)),
    messageExtensions: [KEDI_STRUCTURED_OUTPUT_URI],
    headerExtensions: [],
    acceptedOutputModes: ['application/json'],
  });
  if (request === undefined) throw new Error('It was taken for a text request.');
  return { request, compiled: compileSchema(request.schema) };
}

describe.each(cases)('A schema as Kedi sends it: $name', ({ schema, valid, invalid }) => {
  const { request, compiled } = exchange(schema);
  const made = sample(request.schema);
  const documents = made.ok ? [made.json, ...valid] : valid;

  test('arrives with every digit that its client wrote', () => {
    expect(request).toEqual({ schema, resultEncoding: 'json-utf8' });
  });

  test('a sample can be made', () => {
    expect(made).toMatchObject({ ok: true });
  });

  test.each(documents)('this passes, and comes back byte for byte: %s', async (document) => {
    const verdict = compiled.check(document);
    expect(verdict).toEqual({ ok: true, json: document });
    if (!verdict.ok) return;
    const result = readResult([await writeResult({ document: verdict.json, encoding: 'json-utf8' })]);
    expect(result).toBe(document);
    expect(compiled.check(result)).toEqual(verdict);
  });

  test.each(documents)(
    'in the older encoding this comes back, or is refused for its numbers: %s',
    async (text) => {
      const verdict = compiled.check(text);
      if (!verdict.ok) throw new Error(verdict.violation.message);
      const write = () => writeResult({ document: verdict.json, encoding: 'protobuf-value' });
      if (text.includes('9007199254740993')) {
        await expect(write()).rejects.toThrow(KediError);
        await expect(write()).rejects.toThrow(/double/);
      } else {
        const result = readResult([await write()]);
        expect(JSON.parse(result)).toEqual(JSON.parse(text));
        expect(compiled.check(result)).toMatchObject({ ok: true });
      }
    },
  );

  test.each(invalid)('this does not pass: %s', (document) => {
    expect(compiled.check(document)).toMatchObject({ ok: false, code: 'RESULT_INVALID' });
  });
});
