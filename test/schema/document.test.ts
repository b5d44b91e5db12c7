import fc from 'fast-check';
import { isLosslessNumber, parse as losslessParse } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import {
  type Fault,
  type JsonValue,
  jsonText,
  readDocument,
  readSpans,
  type Span,
} from '../../src/schema/document.js';
import { canonicalNumber, exactNumber } from '../../src/schema/numbers.js';

const utf8 = (text: string) => new TextEncoder().encode(text);

function value(source: string | Uint8Array): JsonValue {
  const read = readDocument(source);
  if (!read.ok) throw new Error(read.reason);
  return read.value;
}

function refusal(source: string | Uint8Array): [Fault, number] {
  const read = readDocument(source);
  if (read.ok) throw new Error(`accepted ${read.json}`);
  const spans = readSpans(source);
  expect(spans).toEqual(read);
  return [read.fault, read.offset];
}

describe('what a document says', () => {
  test('objects keep the order of their names, whatever the names are', () => {
    const read = value('{"b":1,"10":2,"__proto__":3,"constructor":4,"":5}');
    expect(read).toEqual(
      new Map([
        ['b', 1],
        ['10', 2],
        ['__proto__', 3],
        ['constructor', 4],
        ['', 5],
      ]),
    );
  });

  test('numbers of at most 15 digits are doubles, longer ones exact decimals', () => {
    expect(value('[0,-0,-0.0,0e5,78.0,1E+2,123456789012345,0.12345678901234,-123456789012345]')).toEqual([
      0, 0, 0, 0, 78, 100, 123456789012345, 0.12345678901234, -123456789012345,
    ]);
    expect(value('9007199254740993')).toEqual({ sign: 1, digits: '9007199254740993', exponent: 16 });
    expect(value('-0.30000000000000004')).toEqual({ sign: -1, digits: '30000000000000004', exponent: 0 });
    expect(value('1e-400')).toEqual({ sign: 1, digits: '1', exponent: -399 });
    expect(value('1e-99999999999999999999')).toEqual({
      sign: 1,
      digits: '1',
      exponent: -99999999999999999998n,
    });
  });

  test('a number of at most 15 digits is the double that the platform reads', () => {
    const token = fc
      .tuple(fc.boolean(), fc.integer({ min: 1, max: 15 }), fc.stringMatching(/^[0-9]{15}$/))
      .map(([negative, point, digits]) => {
        const whole = digits.slice(0, point).replace(/^0+(?=.)/, '');
        return `${negative ? '-' : ''}${whole}${point < 15 ? `.${digits.slice(point)}` : ''}`;
      });
    fc.assert(
      fc.property(token, (text) => value(text) === Number(text) + 0),
      { numRuns: 20_000 },
    );
  });

  test('one value is the same however it is spelt', () => {
    for (const spelling of ['9007199254740993', '9007199254740993.00', '90071992547409930e-1']) {
      expect(value(spelling)).toEqual(value('0.9007199254740993e16'));
    }
  });

  test('every escape of a string is decoded, and half a surrogate pair may be escaped', () => {
    expect(value('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"')).toBe('"\\/\b\f\n\r\té😀');
    expect(value('"\\ud800"')).toBe('\ud800');
    expect(value('"\u2028 \u007f"')).toBe('\u2028 \u007f');
  });

  test('bytes are read like the text that they encode', () => {
    expect(value(utf8('{"späť":"😀"}'))).toEqual(new Map([['späť', '😀']]));
    const part = utf8('xx[1]xx').subarray(2, 5);
    expect(value(part)).toEqual([1]);
  });

  test('white space around a document is not part of its text', () => {
    expect(readDocument(' \n\t\r{"a": 78.0}\n')).toMatchObject({ ok: true, json: '{"a": 78.0}' });
  });
});

describe('what is refused, and where', () => {
  test.each<[string, Fault, number]>([
    ['', 'syntax', 0],
    ['   ', 'syntax', 3],
    ['01', 'syntax', 0],
    ['-01', 'syntax', 1],
    ['1.', 'syntax', 2],
    ['.5', 'syntax', 0],
    ['+1', 'syntax', 0],
    ['1e+', 'syntax', 3],
    ['1_000', 'syntax', 1],
    ['-', 'syntax', 1],
    ['-Infinity', 'syntax', 1],
    ['NaN', 'syntax', 0],
    ['nul', 'syntax', 0],
    ['nulll', 'syntax', 4],
    ['{a:1}', 'syntax', 1],
    ['{"a"1}', 'syntax', 4],
    ['{"a":1,}', 'syntax', 7],
    ['{"a":1 "b":2}', 'syntax', 7],
    ['[1,]', 'syntax', 3],
    ['[1', 'syntax', 2],
    ['[1}', 'syntax', 2],
    ['"a', 'syntax', 2],
    ['"a\\', 'syntax', 2],
    ['"a\\x"', 'syntax', 2],
    ['"a\\u12g4"', 'syntax', 2],
    ['"a\tb"', 'syntax', 2],
    ['"\\n\tb"', 'syntax', 3],
    ['// c\n1', 'syntax', 0],
    ['\u00a01', 'syntax', 0],
    ['1 2', 'syntax', 2],
    ['\ufeff1', 'encoding', 0],
    ['["a\ud800"]', 'encoding', 3],
    ['[{"x":{"b":1,"c":2,"b":1}}]', 'duplicate', 19],
    ['{"a":1,"\\u0061":2}', 'duplicate', 7],
    ['[1e400]', 'number', 1],
    ['[2e308]', 'number', 1],
    [`1e${'9'.repeat(30)}`, 'number', 0],
  ])('%j', (text, fault, offset) => {
    expect(refusal(text)).toEqual([fault, offset]);
  });

  test('a number token of 4,096 characters is read, a longer one and one of 400 nines are not', () => {
    expect(refusal(`1.${'0'.repeat(4_095)}`)).toEqual(['number', 0]);
    expect(refusal(`[-${'9'.repeat(400)}]`)).toEqual(['number', 1]);
    expect(value(`1.${'0'.repeat(4_094)}`)).toBe(1);
  });

  test('invalid UTF-8, with the place of its first wrong byte', () => {
    expect(refusal(new Uint8Array([0x22, 0xff, 0x22]))).toEqual(['encoding', 1]);
    expect(refusal(new Uint8Array([...utf8('["é\ufffd'), 0xc3, 0x28, 0x22, 0x5d]))).toEqual(['encoding', 4]);
    expect(refusal(new Uint8Array([...utf8('"😀'), 0xf0, 0x9f, 0x98]))).toEqual(['encoding', 3]);
    expect(refusal(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).toEqual(['encoding', 1]);
    expect(refusal(new Uint8Array([0xef, 0xbb, 0xbf, 0x31]))).toEqual(['encoding', 0]);
  });

  test('nesting over the bound, before any stack is at risk', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(readDocument(nested(128)).ok).toBe(true);
    expect(refusal(nested(129))).toEqual(['depth', 128]);
    expect(readDocument(nested(1_000), { depth: 1e9 }).ok).toBe(true);
    expect(readDocument('[{"a":'.repeat(1_000_000), { depth: 1e9 })).toMatchObject({
      fault: 'depth',
      offset: 3_000,
    });
  });

  test('more bytes than the bound, counted in UTF-8', () => {
    expect(readDocument('"éé"', { bytes: 6 }).ok).toBe(true);
    expect(readDocument('"éé"', { bytes: 5 })).toMatchObject({ ok: false, fault: 'size' });
    expect(readDocument(utf8('"éé"'), { bytes: 6 }).ok).toBe(true);
    expect(readDocument(utf8('"éé"'), { bytes: 5 })).toMatchObject({ ok: false, fault: 'size' });
  });
});

describe('the spans of a document', () => {
  test('each part keeps the exact text that its author wrote', () => {
    const text = '{"id" : 9007199254740993, "list": [ 78.0 , null,"\\u0041", true], "deep":{ } }';
    const read = readSpans(utf8(` ${text} `));
    if (!read.ok) throw new Error(read.reason);
    const { span } = read;
    expect(span).toMatchObject({ kind: 'object', json: text });
    expect(span.members.get('id')).toMatchObject({
      kind: 'number',
      json: '9007199254740993',
      string: undefined,
    });
    const list = span.members.get('list');
    expect(list).toMatchObject({ kind: 'array', json: '[ 78.0 , null,"\\u0041", true]' });
    expect(list?.items.map(({ kind, json, string }) => [kind, json, string])).toEqual([
      ['number', '78.0', undefined],
      ['null', 'null', undefined],
      ['string', '"\\u0041"', 'A'],
      ['boolean', 'true', undefined],
    ]);
    expect(span.members.get('deep')).toMatchObject({ kind: 'object', json: '{ }' });
    expect(span.members.get('deep')?.members.size).toBe(0);
    expect(list?.members.size).toBe(0);
  });
});

describe('jsonText', () => {
  test('prints plain data, and refuses what JSON has no text for', () => {
    expect(jsonText({ a: [1, 'é'] })).toBe('{"a":[1,"é"]}');
    expect(() => jsonText(undefined)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});

describe('second opinions', () => {
  const spelling = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
    fc.bigInt().map(String),
    fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.nat().map(String),
        fc.stringMatching(/^[0-9]{1,30}$/),
        fc.integer({ min: -400, max: 250 }),
      )
      .map(([sign, whole, fraction, power]) => `${sign}${whole}.${fraction}E${power}`),
  );
  const { document } = fc.letrec<{ document: string }>((tie) => ({
    document: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false'),
      spelling,
      fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
      fc.array(tie('document')).map((items) => `[ ${items.join(' ,')}]`),
      fc
        .uniqueArray(fc.tuple(fc.string({ unit: 'grapheme' }), tie('document')), {
          selector: ([name]) => name,
        })
        .map(
          (members) => `{${members.map(([name, text]) => `${JSON.stringify(name)} :${text}`).join(',\n')} }`,
        ),
    ),
  }));

  /** lossless-json's reading in our shapes. */
  const translated = (read: unknown): unknown => {
    if (isLosslessNumber(read)) return canonicalNumber(exactNumber(read.value) ?? Number.NaN);
    if (Array.isArray(read)) return read.map(translated);
    if (typeof read !== 'object' || read === null) return read;
    return new Map(Object.entries(read).map(([name, member]) => [name, translated(member)]));
  };
  const comparable = (read: JsonValue): unknown => {
    if (typeof read === 'number') return canonicalNumber(read);
    if (read instanceof Map) return new Map([...read].map(([name, member]) => [name, comparable(member)]));
    if (Array.isArray(read)) return read.map(comparable);
    return typeof read === 'object' && read !== null && 'digits' in read ? canonicalNumber(read) : read;
  };

  test('lossless-json reads every document alike', () => {
    fc.assert(
      fc.property(document, (text) => {
        // It assigns members, so that a name __proto__ is lost on it.
        fc.pre(!text.includes('__proto__'));
        expect(comparable(value(text))).toEqual(translated(losslessParse(text)));
      }),
      { numRuns: 500 },
    );
  });

  test('what the platform refuses is refused, and what it accepts is refused only for what it overlooks', () => {
    const damaged = fc
      .tuple(
        document,
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom('', ',', '"', '}', ']', '0', '-', '\\', 'e', '\u0001', ' '),
      )
      .map(([text, at, cut, inserted]) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + inserted + text.slice(from + cut);
      });
    fc.assert(
      fc.property(damaged, (text) => {
        const read = readDocument(text);
        let accepted = true;
        try {
          JSON.parse(text);
        } catch {
          accepted = false;
        }
        if (read.ok) expect(accepted).toBe(true);
        else if (accepted) expect(['number', 'duplicate', 'encoding']).toContain(read.fault);
      }),
      { numRuns: 5_000 },
    );
  });

  test('the spans of a document join to the document again', () => {
    const joined = (span: Span): string => {
      if (span.kind === 'array') return `[${span.items.map(joined).join(',')}]`;
      if (span.kind !== 'object') return span.json;
      return `{${[...span.members].map(([name, member]) => `${JSON.stringify(name)}:${joined(member)}`).join(',')}}`;
    };
    fc.assert(
      fc.property(document, (text) => {
        const read = readSpans(text);
        if (!read.ok) throw new Error(read.reason);
        expect(value(joined(read.span))).toEqual(value(text));
      }),
      { numRuns: 300 },
    );
  });
});
