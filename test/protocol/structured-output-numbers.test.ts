import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  findHiddenLoss,
  findLoss,
  losslessInDouble,
  parsedFormIsExact,
} from '../../src/protocol/structured-output.js';

describe('Lossless in a double', () => {
  test.each([
    '1152921504606846976',
    '0.1',
    '78.0',
    '0',
    '-0',
    '-0.0',
    '0e999999999999',
    '1e22',
    '9007199254740991',
    '9007199254740992',
    '9007199254740994',
    '-9007199254740994',
    '0.30000000000000004',
    '5e-324',
    '0.5e1',
    '1E2',
    '0.10000',
    '4.35',
  ])('%s passes', (token) => {
    expect(losslessInDouble(token)).toBe(true);
  });

  test.each([
    '1152921504606847000',
    '9007199254740993',
    '0.1234567890123456789',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740992.5',
    '123456789012345680000',
    '1e23',
    '1e400',
    '-1e400',
    '1e-400',
    '4.9e-324',
    '1e-999999999999',
    '0.30000000000000003',
    '1e999999999999',
    '1.7976931348623157e308',
    '0.1000000000000000055511151231257827021181583404541015625',
  ])('%s does not', (token) => {
    expect(losslessInDouble(token)).toBe(false);
  });

  test('every integer is judged as BigInt judges it', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }),
        fc.constantFrom('', '.0', 'e0'),
        (integer, tail) => {
          expect(losslessInDouble(`${integer}${tail}`)).toBe(BigInt(Number(integer)) === integer);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('every fraction that a double prints passes, and fails with a digit more', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (double) => {
        fc.pre(!Number.isInteger(double));
        const [mantissa = '', exponent] = String(double).split('e');
        const tail = exponent === undefined ? '' : `e${exponent}`;
        const point = mantissa.includes('.') ? '' : '.';
        expect(losslessInDouble(mantissa + tail)).toBe(true);
        expect(losslessInDouble(`${mantissa}${point}00${tail}`)).toBe(true);
        expect(losslessInDouble(`${mantissa}${point}${'0'.repeat(25)}1${tail}`)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('Parsed forms', () => {
  const open = '{}';

  test.each([
    '9007199254740991',
    '-9007199254740991',
    '1',
    '0.1',
    '-123.456',
    '0.000123456789012345',
    '1e15',
    '"0"',
    'true',
    '[]',
  ])('%s can hide no loss', (document) => {
    expect(parsedFormIsExact(document, open)).toBe(true);
  });

  test.each([
    ['{"id":9007199254740992}', '/id'],
    ['[1,[0.30000000000000004]]', '/1/0'],
    ['{"a/b":1e+21}', '/a~1b'],
    ['0', ''],
    ['-0', ''],
    ['[null]', '/0'],
    ['not JSON', ''],
  ])('%s may be rounded', (document, pointer) => {
    expect(findHiddenLoss(document, open)?.pointer).toBe(pointer);
    expect(parsedFormIsExact(document, open)).toBe(false);
  });

  test.each([
    ['a string or null', '{"anyOf":[{"type":"string"},{"type":"null"}]}', 'null'],
    ['a list of types', '{"type":["string","null"]}', 'null'],
    ['an enumeration', '{"enum":[0,1,null]}', '0'],
    ['an enumeration', '{"enum":[0,1,null]}', 'null'],
    ['a constant', '{"const":null}', 'null'],
    ['a member', '{"properties":{"a":{"type":"null"}}}', '{"a":null}'],
    ['further members', '{"properties":{"b":{}},"additionalProperties":{"type":"null"}}', '{"a":null}'],
    ['an item', '{"prefixItems":[{"type":"number"}],"items":{"type":"null"}}', '[1,null,null]'],
    ['a reference', '{"$defs":{"N":{"type":"null"}},"items":{"$ref":"#/$defs/N"}}', '[null]'],
    ['an anchor', '{"$defs":{"N":{"$anchor":"n","type":"null"}},"items":{"$ref":"#n"}}', '[null]'],
    ['allOf', '{"allOf":[{},{"properties":{"a":{"type":"null"}}}]}', '{"a":null}'],
    [
      'recursion',
      '{"properties":{"v":{"type":"null"},"next":{"anyOf":[{"$ref":"#"},{"type":"string"}]}}}',
      '{"next":{"next":{"v":null}}}',
    ],
  ])('0 and null stand where the schema allows no such number: %s', (_, schema, document) => {
    expect(findHiddenLoss(document, schema)).toBeUndefined();
  });

  test.each([
    ['a number', '{"type":"number"}', '0', ''],
    ['an integer', '{"type":"integer"}', '0', ''],
    ['a number or null', '{"anyOf":[{"type":"number"},{"type":"null"}]}', 'null', ''],
    ['an integer or null', '{"type":["integer","null"]}', 'null', ''],
    ['no type', '{"minimum":0}', '0', ''],
    ['a tiny constant', '{"enum":["x",1e-400]}', '0', ''],
    ['a member', '{"properties":{"a":{"type":"number"}}}', '{"a":0}', '/a'],
    ['a member of unknown name', '{"patternProperties":{"^a":{"type":"null"}}}', '{"a":null}', '/a'],
    ['an item', '{"prefixItems":[{"type":"null"}]}', '[null,null]', '/1'],
    [
      'one branch of several',
      '{"oneOf":[{"items":{"type":"null"}},{"items":{"type":["number","null"]}}]}',
      '[null]',
      '/0',
    ],
    ['a reference to a meta-schema', '{"$ref":"https://json-schema.org/draft/2020-12/schema"}', '0', ''],
  ])('0 and null may have been such a number: %s', (_, schema, document, pointer) => {
    expect(findHiddenLoss(document, schema)?.pointer).toBe(pointer);
  });

  test('others are served while a large document is searched', async () => {
    const document = JSON.stringify([...Array.from({ length: 200_000 }, (_, index) => index + 1), 0.5, 0]);
    let turns = 0;
    const clock = setInterval(() => {
      turns += 1;
    }, 1);
    const loss = await findLoss({ kind: 'parsed', document, schema: '{"items":{"type":"number"}}' });
    clearInterval(clock);
    expect(loss?.pointer).toBe('/200001');
    // Done here, it would end within the very turn in which it was asked for.
    expect(turns).toBeGreaterThan(0);
  });

  test('neither fans of references nor large documents take long', () => {
    const fan = Object.fromEntries(
      Array.from({ length: 14 }, (_, level) => {
        const next = { $ref: `#/$defs/a${level + 1}` };
        return [`a${level}`, { anyOf: [next, next] }];
      }),
    );
    const leaf = { a14: { items: { type: 'null' } } };
    const schema = JSON.stringify({ $defs: { ...fan, ...leaf }, $ref: '#/$defs/a0' });
    const begun = performance.now();
    expect(findHiddenLoss(JSON.stringify(new Array(100_000).fill(null)), schema)).toBeUndefined();
    expect(performance.now() - begun).toBeLessThan(2_000);
  });
});
