import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/compile.js';
import { sample } from '../../src/schema/sample.js';

describe('A text is written for', () => {
  test.each([
    ['a version', '^v(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$'],
    ['a slug', '^[a-z0-9]+(?:-[a-z0-9]+)*$'],
    ['a domain', '^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$'],
    ['an e-mail address', '^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$'],
    ['a telephone number', '^(\\+\\d{1,2}\\s?)?\\(?\\d{3}\\)?[\\s.-]?\\d{3}[\\s.-]?\\d{4}$'],
    ['a point in time', '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})$'],
    [
      'an address of four numbers',
      '^((25[0-5]|2[0-4]\\d|[01]?\\d\\d?)\\.){3}(25[0-5]|2[0-4]\\d|[01]?\\d\\d?)$',
    ],
    ['a UUID', '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$'],
    ['a colour', '^#(?:[a-fA-F0-9]{6}|[a-fA-F0-9]{3})$'],
    ['a currency', '^(?:EUR|CZK|USD)$'],
    ['a decimal that is text', '^-?\\d+(?:\\.\\d{1,2})?$'],
    ['words in capitals', '^(?:[A-Z][a-z]+ ?)+$'],
    ['a password', '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)(?=.*[^\\w\\s]).{8,}$'],
    ['what is said twice', '^(\\w+) \\1$'],
    ['what is said twice by name', '^(?<quote>[\'"])[^\'"]*\\k<quote>$'],
    ['characters by their numbers', '^\\u0041\\x42\\u{1F600}\\cJ\\t\\0$'],
    ['half a pair and its other half', '^\\uD83D\\uDE00$'],
    ['a script', '^\\p{Script=Cyrillic}{3}$'],
    ['whatever is no word', '^\\W\\D\\S$'],
    ['the edge of a word', '\\bsample\\b'],
    ['a part of a text', 'x\\d'],
    ['nothing at all', '^$'],
    ['brackets that stand for themselves', '^\\[[\\]\\[]+\\](?:\\/|\\.)$'],
  ])('%s', (_, pattern) => {
    const schema = JSON.stringify({ type: 'string', pattern });
    const made = sample(schema);
    expect(made).toMatchObject({ ok: true });
    if (made.ok) expect(compileSchema(schema).check(made.json)).toMatchObject({ ok: true });
  });

  test('as many characters as are asked for', () => {
    for (const [pattern, minLength] of [
      ['^[a-z]+$', 5_000],
      ['^a{2,}b{2,}$', 300],
      ['^(?:ab|c)*$', 51],
      ['x', 77],
      ['x$', 78],
    ] as const) {
      const made = sample(JSON.stringify({ type: 'string', pattern, minLength, maxLength: minLength + 1 }));
      expect(made).toMatchObject({ ok: true });
      const text: unknown = made.ok && JSON.parse(made.json);
      expect(String(text).length).toBeGreaterThanOrEqual(minLength);
    }
  });
});

describe('No regular expression keeps it busy', () => {
  test.each([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|aa)+$',
    '(.*)*x',
    '(x+x+)+y',
    '((a*)*)*b',
    '^((a?){30}){30}b$',
    `${'a?'.repeat(30)}a{30}`,
    '^(.*?,){11}P',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    'a*a*a*a*a*a*a*b',
    '(?=(a+)+b)',
    '(a|a|a|a|a|a|a|a|a|a)*b',
    '^(a*)*\\1*b$',
    '\\s+$',
    'a*b',
  ])('%s', (pattern) => {
    for (const minLength of [0, 30, 400, 100_000]) {
      const begun = process.cpuUsage();
      const schema = JSON.stringify({
        type: 'object',
        required: ['a', 'b', 'c'],
        properties: {
          a: { type: 'string', pattern, minLength },
          b: { type: 'string', allOf: [{ pattern }, { pattern: '!$' }], minLength },
          c: {
            enum: [`${'a'.repeat(minLength)}!`, `${' '.repeat(minLength)}!`, 'x'.repeat(minLength)],
            pattern,
          },
        },
      });
      expect(schema.length < 32_768 || sample(schema).ok).toBe(schema.length < 32_768);
      sample(schema);
      expect(process.cpuUsage(begun).user).toBeLessThan(1_000_000);
    }
  });
});
