import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import {
  KEDI_STRUCTURED_OUTPUT_URI,
  kediExtension,
  readOffer,
  readStructuredRequest,
  writeStructuredRequest,
} from '../../src/protocol/structured-output.js';
import { readSpans, storedJson } from '../../src/schema/document.js';

const offerOf = (params: unknown) => {
  const read = readSpans(JSON.stringify(params));
  if (!read.ok) throw new Error(read.reason);
  return readOffer(read.span);
};

function failure(call: () => unknown): { code: string; message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof KediError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('It was accepted.');
}

const { params } = kediExtension();

test('The card declares the extension with exactly the parameters of the specification', () => {
  expect(JSON.parse(JSON.stringify(kediExtension()))).toEqual({
    uri: 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/',
    description: expect.stringMatching(/./),
    required: false,
    params: {
      version: 1,
      mode: 'request-schema',
      schemaDialect: 'https://json-schema.org/draft/2020-12/schema',
      maxSchemaBytes: 32768,
      resultArtifactName: 'kedi-structured-output',
      schemaEncodings: ['json-utf8', 'protobuf-value'],
      resultEncodings: ['json-utf8', 'protobuf-value'],
    },
  });
});

describe("What a peer's card offers", () => {
  test('our own, as a client reads it', () => {
    expect(offerOf(params)).toEqual({
      mode: 'request-schema',
      maxSchemaBytes: 32_768,
      schemaEncodings: ['json-utf8', 'protobuf-value'],
      resultEncodings: ['json-utf8', 'protobuf-value'],
    });
  });

  test('both modes are accepted', () => {
    expect(offerOf({ ...params, mode: 'fixed' }).mode).toBe('fixed');
  });

  test('an older server that names no encodings has the older one; unknown ones are passed over', () => {
    expect(offerOf({ version: 1, mode: 'request-schema' })).toEqual({
      mode: 'request-schema',
      maxSchemaBytes: 32_768,
      schemaEncodings: ['protobuf-value'],
      resultEncodings: ['protobuf-value'],
    });
    expect(offerOf({ ...params, resultEncodings: ['cbor', 'json-utf8'] }).resultEncodings).toEqual([
      'json-utf8',
    ]);
  });

  test.each([
    ['version', 2],
    ['version', '1'],
    ['mode', 'any'],
    ['mode', null],
    ['maxSchemaBytes', 0],
    ['maxSchemaBytes', 1.5],
    ['maxSchemaBytes', '32768'],
    ['schemaDialect', 'http://json-schema.org/draft-07/schema#'],
    ['resultArtifactName', 'result'],
    ['resultEncodings', 'json-utf8'],
    ['schemaEncodings', {}],
  ])('%s of %j is refused by its name', (name, value) => {
    expect(failure(() => offerOf({ ...params, [name]: value }))).toMatchObject({
      code: 'PEER_UNSUITABLE',
      message: expect.stringContaining(name),
    });
  });

  test('no parameters at all are refused', () => {
    expect(failure(() => readOffer(undefined)).code).toBe('PEER_UNSUITABLE');
  });
});

describe('A request as a client writes it', () => {
  const schema = storedJson('{ "type": "object", "properties": {"n": {"maximum": 78.0}} }');
  const large = storedJson('{"maximum":9007199254740993}');
  const request = (text: typeof schema, offer: Partial<ReturnType<typeof offerOf>> = {}) =>
    writeStructuredRequest(text, { ...offerOf(params), ...offer });

  test('is read by the server as it was meant, in the better encoding', () => {
    for (const text of [schema, large, storedJson('true')]) {
      expect(
        readStructuredRequest({
          metadata: request(text),
          messageExtensions: [KEDI_STRUCTURED_OUTPUT_URI],
          headerExtensions: [],
          acceptedOutputModes: ['application/json'],
        }),
      ).toEqual({ schema: text, resultEncoding: 'json-utf8' });
    }
  });

  test('the older schema goes along only where its numbers survive', () => {
    expect(request(schema)).toContain(`"schema":${schema}`);
    expect(request(large)).not.toContain('"schema":');
    expect(request(storedJson('true'))).not.toContain('"schema":');
  });

  test('the older encoding is asked for where the peer has no other', () => {
    expect(request(schema, { resultEncodings: ['protobuf-value'] })).toContain(
      '"resultEncoding":"protobuf-value"',
    );
  });

  test.each([
    ['PEER_UNSUITABLE', schema, { mode: 'fixed' }],
    ['PEER_UNSUITABLE', schema, { resultEncodings: [] }],
    ['SCHEMA_TOO_LARGE', schema, { maxSchemaBytes: schema.length - 1 }],
    ['SCHEMA_LOSSY', large, { schemaEncodings: ['protobuf-value'] }],
  ] as const)('%s before anything is sent', (code, text, offer) => {
    expect(failure(() => request(text, offer)).code).toBe(code);
  });

  test('a schema of exactly the limit is sent', () => {
    expect(request(schema, { maxSchemaBytes: schema.length })).toContain('schemaJson');
  });
});
