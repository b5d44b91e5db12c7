import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { KEDI_STRUCTURED_OUTPUT_URI, readStructuredRequest } from '../../src/protocol/structured-output.js';
import { jsonText, storedJson } from '../../src/schema/document.js';

const schemaJson = '{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"]}';

/** Reads a request whose `metadata` is this text and which is right in all other respects, but for what is given. */
const read = (
  metadata: string | undefined,
  others: Partial<Omit<Parameters<typeof readStructuredRequest>[0], 'metadata'>> = {},
) =>
  readStructuredRequest({
    metadata: metadata === undefined ? undefined : storedJson(metadata),
    messageExtensions: [KEDI_STRUCTURED_OUTPUT_URI],
    headerExtensions: [],
    acceptedOutputModes: ['application/json'],
    ...others,
  });

/** Reads `{"kediStructuredOutput": {…}}` with these members, each as it would be typed. */
const readMembers = (members: string) => read(`{"kediStructuredOutput":{${members}}}`);

const typed = (text: string): string => JSON.stringify(text);

const good = `"version":1,"resultEncoding":"json-utf8","schemaJson":${typed(schemaJson)}`;

/** The failure of what was called, as its code, its pointer and its sentence. */
function failure(call: () => unknown): { code: string; pointer: string | undefined; message: string } {
  try {
    call();
  } catch (error) {
    if (error instanceof KediError)
      return { code: error.code, pointer: error.pointer, message: error.message };
    throw error;
  }
  throw new Error('It was accepted.');
}

describe('What makes a request structured', () => {
  test('the metadata and the URI in the message', () => {
    expect(readMembers(good)).toEqual({ schema: schemaJson, resultEncoding: 'json-utf8' });
  });

  test('the metadata and the URI in the A2A-Extensions header', () => {
    const others = {
      messageExtensions: [],
      headerExtensions: ['https://example.com/x', KEDI_STRUCTURED_OUTPUT_URI],
    };
    expect(read(`{"kediStructuredOutput":{${good}}}`, others)?.schema).toBe(schemaJson);
  });

  test.each([
    KEDI_STRUCTURED_OUTPUT_URI.slice(0, -1),
    KEDI_STRUCTURED_OUTPUT_URI.toUpperCase(),
    `${KEDI_STRUCTURED_OUTPUT_URI}#`,
  ])('not a URI that only resembles it: %s', (uri) => {
    const others = { messageExtensions: [uri], headerExtensions: [uri] };
    expect(failure(() => read(`{"kediStructuredOutput":{${good}}}`, others)).code).toBe('REQUEST_MALFORMED');
  });
});

describe('Metadata without the URI, or without application/json among the accepted output modes', () => {
  test('the URI is missing', () => {
    const found = failure(() => read(`{"kediStructuredOutput":{${good}}}`, { messageExtensions: [] }));
    expect(found).toMatchObject({ code: 'REQUEST_MALFORMED', pointer: '/message/extensions' });
    expect(found.message).toContain(KEDI_STRUCTURED_OUTPUT_URI);
  });

  test.each([[[]], [['text/plain']], [['application/json-seq', 'application/jsonl', '*/*']]])(
    'accepted output modes %j lack it',
    (acceptedOutputModes) => {
      const found = failure(() => read(`{"kediStructuredOutput":{${good}}}`, { acceptedOutputModes }));
      expect(found).toMatchObject({
        code: 'REQUEST_MALFORMED',
        pointer: '/configuration/acceptedOutputModes',
      });
      expect(found.message).toContain('application/json');
    },
  );

  test.each([['Application/JSON'], ['application/json; charset=utf-8'], [' APPLICATION/json ;v=1']])(
    'the mode %j has it',
    (mode) => {
      const others = { acceptedOutputModes: ['text/plain', mode] };
      expect(read(`{"kediStructuredOutput":{${good}}}`, others)).toBeDefined();
    },
  );

  test('null in place of the object is no text request either', () => {
    expect(failure(() => read('{"kediStructuredOutput":null}')).code).toBe('REQUEST_MALFORMED');
  });
});

describe('URI without the metadata', () => {
  test.each([undefined, '{}', '{"other":{"version":2}}', '{"kedistructuredoutput":{"version":1}}'])(
    'metadata %j is a text request',
    (metadata) => {
      expect(read(metadata)).toBeUndefined();
      expect(read(metadata, { acceptedOutputModes: [] })).toBeUndefined();
    },
  );
});

describe('The metadata object', () => {
  test.each(['1', '1.0', '1e0', '10E-1', '0.1e+1'])('version %s is 1 by value', (version) => {
    expect(readMembers(good.replace('"version":1', `"version":${version}`))).toBeDefined();
  });

  test.each([
    `{"kediStructuredOutput":{${good},"version":1}}`,
    `{"kediStructuredOutput":{${good}},"kediStructuredOutput":{${good}}}`,
    `{"kediStructuredOutput":{"version":1,"schema":{"type":"object","type":"object"}}}`,
    `{"kediStructuredOutput":{${good},"\\u0076ersion":1}}`,
  ])('duplicate keys in it fail the task: %s', (metadata) => {
    expect(failure(() => read(metadata))).toMatchObject({
      code: 'REQUEST_MALFORMED',
      message: expect.stringContaining('a name stands twice'),
    });
  });

  test('a member that version 1 does not know is passed over', () => {
    expect(readMembers(`${good},"later":{"x":[1]}`)?.schema).toBe(schemaJson);
  });

  test('a name may be spelt with escapes', () => {
    expect(read(`{"\\u006bediStructuredOutput":{${good}}}`)?.schema).toBe(schemaJson);
  });
});

describe('Other version, unknown resultEncoding, schemaJson not a string, neither schemaJson nor schema, wrong types', () => {
  test.each(['2', '0', '-1', '1.5', '10', 'null', 'true', '"1"', '[1]', '{}', '1.0000000000000000001'])(
    'version %s',
    (version) => {
      expect(failure(() => readMembers(good.replace('"version":1', `"version":${version}`)))).toMatchObject({
        code: 'REQUEST_MALFORMED',
        pointer: '/metadata/kediStructuredOutput/version',
      });
    },
  );

  test('no version', () => {
    expect(failure(() => readMembers(good.replace('"version":1,', ''))).pointer).toBe(
      '/metadata/kediStructuredOutput/version',
    );
  });

  test.each(['"json"', '"JSON-UTF8"', '""', 'null', '1', '["json-utf8"]', '{}', 'true'])(
    'resultEncoding %s',
    (encoding) => {
      expect(failure(() => readMembers(good.replace('"json-utf8"', encoding)))).toMatchObject({
        code: 'REQUEST_MALFORMED',
        pointer: '/metadata/kediStructuredOutput/resultEncoding',
      });
    },
  );

  test.each(['null', '""', '1', 'true', '{"type":"object"}', '["{}"]'])(
    'schemaJson %s fails although schema is good',
    (value) => {
      expect(failure(() => readMembers(`"version":1,"schemaJson":${value},"schema":{}`))).toMatchObject({
        code: 'REQUEST_MALFORMED',
        pointer: '/metadata/kediStructuredOutput/schemaJson',
      });
    },
  );

  test.each([
    '{',
    'object',
    '{"type":"object"} x',
    '{"type":"object","type":"object"}',
    '\ufeff{}',
    '{"maximum":1e400}',
  ])('schemaJson that cannot be read never falls back to schema: %s', (text) => {
    expect(failure(() => readMembers(`"version":1,"schemaJson":${typed(text)},"schema":{}`))).toMatchObject({
      code: 'SCHEMA_MALFORMED',
      message: expect.stringMatching(/at character \d+\./),
    });
  });

  test('neither schemaJson nor schema', () => {
    expect(failure(() => readMembers('"version":1'))).toMatchObject({
      code: 'REQUEST_MALFORMED',
      message: expect.stringMatching(/schemaJson.*schema/),
    });
  });

  test.each(['null', '"{}"', 'true', '1', '[]'])('schema %s', (value) => {
    expect(failure(() => readMembers(`"version":1,"schema":${value}`))).toMatchObject({
      code: 'REQUEST_MALFORMED',
      pointer: '/metadata/kediStructuredOutput/schema',
    });
  });

  test.each(['[]', '"x"', '1', 'true', 'null'])('%s in place of the object', (value) => {
    expect(failure(() => read(`{"kediStructuredOutput":${value}}`))).toMatchObject({
      code: 'REQUEST_MALFORMED',
      pointer: '/metadata/kediStructuredOutput',
    });
  });

  test('where schemaJson is good, schema counts for nothing', () => {
    expect(readMembers(`${good},"schema":{"maximum":9007199254740993}`)?.schema).toBe(schemaJson);
    expect(readMembers(`${good},"schema":7`)?.schema).toBe(schemaJson);
  });

  test('without resultEncoding the result is the older one', () => {
    expect(readMembers(`"version":1,"schemaJson":${typed(schemaJson)}`)?.resultEncoding).toBe(
      'protobuf-value',
    );
    expect(readMembers(`"version":1,"resultEncoding":"protobuf-value","schema":{}`)?.resultEncoding).toBe(
      'protobuf-value',
    );
  });

  test('the schema keeps every spelling that its client chose', () => {
    const exact = '{ "enum" : [9007199254740993, 78.0, 1.0E+2, "\\u00e4", "ä"] }';
    expect(readMembers(`"version":1,"schemaJson":${typed(exact)}`)?.schema).toBe(exact);
  });
});

describe('Size limit', () => {
  /** A schema of exactly so many bytes of UTF-8, some of them in characters of two and four. */
  const ofBytes = (bytes: number): string => {
    const frame = '{"title":"ä😀"}';
    return frame.replace('ä', `ä${'x'.repeat(bytes - Buffer.byteLength(frame))}`);
  };

  test('schemaJson of 32,768 bytes passes', () => {
    const schema = ofBytes(32_768);
    expect(Buffer.byteLength(schema)).toBe(32_768);
    expect(readMembers(`"version":1,"schemaJson":${typed(schema)}`)?.schema).toBe(schema);
  });

  test('schemaJson of 32,769 bytes fails, white space around it included', () => {
    for (const schema of [ofBytes(32_769), `${ofBytes(32_768)}\n`]) {
      expect(failure(() => readMembers(`"version":1,"schemaJson":${typed(schema)}`))).toMatchObject({
        code: 'SCHEMA_TOO_LARGE',
        message: expect.stringMatching(/32769 bytes.*32768/),
      });
    }
  });

  test('schemaJson is measured as the string says, not as JSON spells it', () => {
    const schema = `{"title":"${'ä'.repeat(16_000)}"}`;
    const escaped = typed(schema).replaceAll('ä', '\\u00e4');
    expect(readMembers(`"version":1,"schemaJson":${escaped}`)?.schema).toBe(schema);
  });

  test('the older schema is measured by its compact JSON, 32,768 bytes pass', () => {
    const spaced = ofBytes(32_768).replace(':', ' \n\t : ').replace('{', '{\r\n  ');
    expect(readMembers(`"version":1,"schema":${spaced}`)?.schema).toBe(ofBytes(32_768));
    expect(failure(() => readMembers(`"version":1,"schema":${ofBytes(32_769)}`)).code).toBe(
      'SCHEMA_TOO_LARGE',
    );
  });

  test('compact JSON keeps white space in strings, and the spelling of numbers, strings and names', () => {
    const written = '{ "enum" : [ 1.0 , 1E2, " a \\" b \\\\", "\\u00e4" ] , "\\u0074itle" : "x : y" }';
    expect(readMembers(`"version":1,"schema":${written}`)?.schema).toBe(
      '{"enum":[1.0,1E2," a \\" b \\\\","\\u00e4"],"\\u0074itle":"x : y"}',
    );
  });
});

describe('Lossless in a double, for the older schema', () => {
  test.each([
    ['{"maximum":9007199254740993}', '/maximum'],
    ['{"properties":{"a/b":{"enum":[1,0.1234567890123456789]}}}', '/properties/a~1b/enum/1'],
    ['{"const":[{"x":1152921504606847000}]}', '/const/0/x'],
    ['{"minimum":1e-400}', '/minimum'],
  ])('%s fails', (schema, pointer) => {
    expect(failure(() => readMembers(`"version":1,"schema":${schema}`))).toMatchObject({
      code: 'SCHEMA_LOSSY',
      pointer,
    });
  });

  test('numbers that survive pass, and stay as they were written', () => {
    const schema = '{"enum":[0.1,78.0,1152921504606846976,-0,1e22,9007199254740992]}';
    expect(readMembers(`"version":1,"schema":${schema}`)?.schema).toBe(schema);
  });

  test('no such rule holds for schemaJson', () => {
    const schema = '{"maximum":9007199254740993}';
    expect(readMembers(`"version":1,"schemaJson":${typed(schema)}`)?.schema).toBe(schema);
  });
});

test('The request of the specification is read as it stands there', () => {
  const metadata = {
    kediStructuredOutput: {
      version: 1,
      resultEncoding: 'json-utf8',
      schemaJson:
        '{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}',
      schema: {
        type: 'object',
        properties: { answer: { type: 'string' } },
        required: ['answer'],
        additionalProperties: false,
      },
    },
  };
  expect(read(jsonText(metadata))).toEqual({
    schema: metadata.kediStructuredOutput.schemaJson,
    resultEncoding: 'json-utf8',
  });
});
