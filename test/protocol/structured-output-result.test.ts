import { describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import type { Artifact, Part } from '../../src/domain/message.js';
import { KEDI_STRUCTURED_OUTPUT_URI, readResult, writeResult } from '../../src/protocol/structured-output.js';
import { readDocument, storedJson } from '../../src/schema/document.js';

const json = (text: string) => {
  const read = readDocument(text, { depth: 1_000 });
  if (!read.ok) throw new Error(`${read.reason} at ${read.offset}`);
  return read.json;
};

const onlyPart = (artifact: Artifact): Part => {
  expect(artifact.parts).toHaveLength(1);
  const [part] = artifact.parts;
  if (part === undefined) throw new Error('There is no part.');
  return part;
};

interface Told {
  readonly code: string;
  readonly pointer: string | undefined;
  readonly message: string;
}

function failure(call: () => unknown): Told {
  try {
    call();
  } catch (error) {
    return told(error);
  }
  throw new Error('It was accepted.');
}

function told(error: unknown): Told {
  if (!(error instanceof KediError)) throw error;
  return { code: error.code, pointer: error.pointer, message: error.message };
}

const exactBytes = '{"id":9007199254740993,"price":78.0,"exp":1.0E+2,"small":1e-7,"name":"w\\u00efdget"}';

describe('json-utf8 result', () => {
  test('one artifact of the right name, with the URI, and one raw part of application/json', async () => {
    const artifact = await writeResult({ document: json(exactBytes), encoding: 'json-utf8' });
    expect(artifact).toMatchObject({
      name: 'kedi-structured-output',
      extensions: [KEDI_STRUCTURED_OUTPUT_URI],
      artifactId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(onlyPart(artifact)).toMatchObject({ kind: 'raw', mediaType: 'application/json' });
  });

  test.each([exactBytes, '78.0', '[1,\n  2 ]', '"ä😀\\ud83d\\ude00"', 'null', '-0.0', '{"__proto__":1E4}'])(
    'the bytes are exactly those of the document: %s',
    async (document) => {
      const part = onlyPart(await writeResult({ document: json(document), encoding: 'json-utf8' }));
      expect(part.kind === 'raw' && Buffer.from(part.bytes).toString('utf8')).toBe(document);
    },
  );

  test('white space around the document is trimmed and nothing else is printed anew', async () => {
    const artifact = await writeResult({ document: json(' \n{ "a" : 1.0 }\t'), encoding: 'json-utf8' });
    expect(readResult([artifact])).toBe('{ "a" : 1.0 }');
  });
});

describe('Legacy result (protobuf-value or absent)', () => {
  const legacy = async (document: string): Promise<Part> =>
    onlyPart(await writeResult({ document: json(document), encoding: 'protobuf-value' }));

  const refusal = (document: string): Promise<Told> =>
    legacy(document).then(() => {
      throw new Error('It was accepted.');
    }, told);

  test.each([
    '{"a":[1,0.1,-0.5,78.0,1152921504606846976,9007199254740992,1e22,5e-324]}',
    'null',
    'true',
    '"ä😀\\u0000"',
    '[]',
    '{}',
    '{"":{"__proto__":{"constructor":[null,false]}},"10":1,"2":2}',
    '-0',
    '"\\ud83d\\ude00"',
  ])('one data part, where all of it survives: %s', async (document) => {
    expect(await legacy(document)).toEqual({ kind: 'data', json: document, mediaType: 'application/json' });
  });

  test.each([
    ['{"id":9007199254740993}', '/id'],
    ['[0,[0.1234567890123456789]]', '/1/0'],
    ['{"a/b":{"~":1152921504606847000}}', '/a~1b/~0'],
    ['1e23', ''],
    ['1.7976931348623157e308', ''],
    ['1e-400', ''],
    ['[4.9e-324]', '/0'],
    ['{"a":"\\ud800"}', '/a'],
    ['{"\\udc00x":1}', '/\udc00x'],
  ])(
    'refused if a number is not lossless in a double, or a text not writable in UTF-8: %s',
    async (document, pointer) => {
      expect(await refusal(document)).toMatchObject({ code: 'RESULT_LOSSY', pointer });
    },
  );

  test('refused if it is nested deeper than protobuf allows, never a crash', async () => {
    for (const depth of [1, 10, 30]) {
      expect((await legacy('['.repeat(depth) + ']'.repeat(depth))).kind).toBe('data');
      expect((await legacy(`${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`)).kind).toBe('data');
    }
    for (const document of ['['.repeat(128) + ']'.repeat(128), `${'{"a":'.repeat(128)}0${'}'.repeat(128)}`]) {
      expect(await refusal(document)).toMatchObject({
        code: 'RESULT_LOSSY',
        message: expect.stringContaining('nesting'),
      });
    }
  });

  test('the sentence names the place, and the encoding that would do', async () => {
    expect((await refusal('{"id":9007199254740993}')).message).toMatch(/\/id.*double.*json-utf8/);
  });

  test('a large one takes its trip beside the server, which goes on meanwhile', async () => {
    const rows = Array.from({ length: 60_000 }, (_, id) => ({ id, name: `name ${id}`, x: [1.5, null] }));
    const good = JSON.stringify(rows);
    let turns = 0;
    const clock = setInterval(() => {
      turns += 1;
    }, 5);
    try {
      expect(await legacy(good)).toMatchObject({ kind: 'data', json: good });
      const bad = good.replace('"id":59999', '"id":9007199254740993');
      expect(await refusal(bad)).toMatchObject({ code: 'RESULT_LOSSY', pointer: '/59999/id' });
    } finally {
      clearInterval(clock);
    }
    expect(turns).toBeGreaterThan(5);
  });
});

describe('Reading a result as a client', () => {
  const raw = (text: string | Uint8Array, mediaType: string | undefined = 'application/json'): Part => ({
    kind: 'raw',
    bytes: Buffer.from(text),
    ...(mediaType !== undefined && { mediaType }),
  });
  const data = (text: string): Part => ({ kind: 'data', json: storedJson(text) });
  const artifact = (parts: readonly Part[], others: Partial<Artifact> = {}): Artifact => ({
    artifactId: 'a',
    name: 'kedi-structured-output',
    parts,
    extensions: ['https://example.com/other', KEDI_STRUCTURED_OUTPUT_URI],
    ...others,
  });

  test('the raw part is returned byte for byte, between unrelated artifacts', () => {
    const unrelated = artifact([raw('{"no":1}')], { name: 'progress' });
    expect(readResult([unrelated, artifact([raw(exactBytes)]), unrelated])).toBe(exactBytes);
  });

  test('a data part of an older server is read', () => {
    expect(readResult([artifact([data('{"a":78}')])])).toBe('{"a":78}');
  });

  test('the raw part precedes the data part', () => {
    for (const parts of [
      [data('{"a":1}'), raw('{"a":2.0}')],
      [raw('{"a":2.0}'), data('{"a":1}')],
    ]) {
      expect(readResult([artifact(parts)])).toBe('{"a":2.0}');
    }
  });

  test.each([
    '',
    '{',
    '{"a":1} x',
    'NaN',
    '[1e400]',
    '{"a":1,"a":1}',
    '\ufeff{}',
    Uint8Array.of(0x22, 0xff, 0x22),
  ])('a malformed raw part never falls back to data: %j', (bytes) => {
    expect(failure(() => readResult([artifact([raw(bytes), data('{"a":1}')])]))).toMatchObject({
      code: 'RESULT_MALFORMED',
      message: expect.stringMatching(/at character \d+\./),
    });
  });

  test('a raw part of another media type, or of none, is malformed', () => {
    for (const part of [raw('{}', 'text/plain'), { kind: 'raw', bytes: Buffer.from('{}') } as const]) {
      expect(failure(() => readResult([artifact([part, data('{}')])])).code).toBe('RESULT_MALFORMED');
    }
    expect(readResult([artifact([raw('{}', 'Application/JSON; charset=utf-8')])])).toBe('{}');
  });

  test.each([
    ['nothing', []],
    ['another name', [artifact([raw('{}')], { name: 'response' })]],
    ['no name', [{ artifactId: 'a', parts: [raw('{}')], extensions: [KEDI_STRUCTURED_OUTPUT_URI] }]],
    ['the name without the URI', [artifact([raw('{}')], { extensions: [] })]],
    ['no parts', [artifact([])]],
    ['text alone', [artifact([{ kind: 'text', text: '{}' }])]],
    ['a link alone', [artifact([{ kind: 'url', url: 'https://example.com/result.json' }])]],
  ])('missing: %s', (_, artifacts) => {
    expect(failure(() => readResult(artifacts)).code).toBe('RESULT_MISSING');
  });

  test('the sentence tells a wrong name from a missing URI', () => {
    expect(failure(() => readResult([artifact([raw('{}')], { extensions: [] })])).message).toContain(
      'extension',
    );
    expect(failure(() => readResult([artifact([raw('{}')], { name: 'x' })])).message).toContain(
      'no artifact "kedi-structured-output"',
    );
  });

  test('two results, or two parts of one kind, are none', () => {
    expect(failure(() => readResult([artifact([raw('1')]), artifact([raw('1')])])).code).toBe(
      'RESULT_MALFORMED',
    );
    expect(failure(() => readResult([artifact([raw('1'), raw('1')])])).code).toBe('RESULT_MALFORMED');
    expect(failure(() => readResult([artifact([data('1'), data('1')])])).code).toBe('RESULT_MALFORMED');
  });

  test('larger than the bound, raw and data alike', () => {
    const document = `"${'ä'.repeat(50)}"`;
    for (const part of [raw(document), data(document)]) {
      expect(readResult([artifact([part])], { maxBytes: 102 })).toBe(document);
      expect(failure(() => readResult([artifact([part])], { maxBytes: 101 })).code).toBe('RESULT_TOO_LARGE');
    }
    expect(failure(() => readResult([artifact([raw(`"${'x'.repeat(8 * 2 ** 20)}"`)])])).code).toBe(
      'RESULT_TOO_LARGE',
    );
  });
});
