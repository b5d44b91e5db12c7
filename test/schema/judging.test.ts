import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { compileSchema } from '../../src/schema/compile.js';
import { fairTime } from './fair-time.js';

const judge = (schema: object, document: unknown, options = {}) =>
  compileSchema(JSON.stringify(schema), options).check(JSON.stringify(document));

describe('what was evaluated, where the official suite is silent', () => {
  test('does not count in a branch that failed afterwards', () => {
    const branch = { properties: { a: true }, minProperties: 9 };
    const schema = { anyOf: [branch, true], unevaluatedProperties: false };
    expect(judge(schema, { a: 1 })).toMatchObject({
      violation: { pointer: '/a', keyword: 'unevaluatedProperties' },
    });
    expect(judge({ ...schema, oneOf: [branch, true] }, { a: 1 })).toMatchObject({ ok: false });
    expect(judge({ if: branch, unevaluatedProperties: false }, { a: 1 })).toMatchObject({ ok: false });
    expect(
      judge({ not: { not: { properties: { a: true } } }, unevaluatedProperties: false }, { a: 1 }),
    ).toMatchObject({
      ok: false,
    });
  });

  test('counts for the value that was judged, not for the one around it', () => {
    const inner = { type: 'array', prefixItems: [true, true] };
    expect(judge({ contains: inner, unevaluatedItems: false }, [[1, 1], 2])).toMatchObject({
      violation: { pointer: '/1', keyword: 'unevaluatedItems' },
    });
    expect(judge({ prefixItems: [inner], unevaluatedItems: false }, [[1, 1], 2])).toMatchObject({
      ok: false,
    });
    const named = { properties: { a: { properties: { b: true } } }, unevaluatedProperties: false };
    expect(judge(named, { a: { b: 1 }, b: 1 })).toMatchObject({ violation: { pointer: '/b' } });
  });

  test('counts after a failure that was survived', () => {
    const schema = {
      properties: { a: true },
      anyOf: [{ properties: { a: { type: 'null' } } }, { properties: { b: true } }],
      unevaluatedProperties: false,
    };
    expect(judge(schema, { a: 1, b: 2 })).toMatchObject({ ok: true });
    expect(judge(schema, { a: 1, b: 2, c: 3 })).toMatchObject({ violation: { pointer: '/c' } });
  });
});

describe('a document that would take too much work', () => {
  const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => [inner], 1);
  const doubling = {
    $ref: '#/$defs/a',
    $defs: { a: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } } },
  };

  test('gets no verdict, and soon', () => {
    const start = performance.now();
    expect(judge(doubling, nested(100))).toMatchObject({
      code: 'RESULT_TOO_COSTLY',
      violation: { pointer: '', keyword: 'cost' },
    });
    expect(performance.now() - start).toBeLessThan(fairTime(500));
  });

  test('gets one if it may use more fuel', () => {
    expect(judge(doubling, nested(14))).toMatchObject({ code: 'RESULT_INVALID' });
    expect(judge(doubling, nested(14), { fuel: 1_000 })).toMatchObject({ code: 'RESULT_TOO_COSTLY' });
  });

  test('gets none either where the schemas at work inside each other are more than a thousand', () => {
    let schema: object = { items: { $ref: '#' } };
    for (let level = 0; level < 12; level += 1) schema = { allOf: [schema] };
    expect(judge(schema, nested(60))).toMatchObject({ ok: true });
    expect(judge(schema, nested(120))).toMatchObject({
      code: 'RESULT_TOO_COSTLY',
      violation: { message: expect.stringContaining('1000 subschemas') },
    });
  });

  test('gets none where the stack ends before, as in a program that has used most of it', () => {
    const program = `
      import { compileSchema } from ${JSON.stringify(new URL('../../dist/schema/index.js', import.meta.url).href)};
      let schema = { items: { $ref: '#' } };
      for (let level = 0; level < 5; level += 1) schema = { anyOf: [false, schema], unevaluatedItems: true };
      console.log(compileSchema(JSON.stringify(schema)).check('['.repeat(128) + ']'.repeat(128)).code);`;
    const options = ['--stack-size=300', '--input-type=module', '-e', program];
    expect(execFileSync(process.execPath, options, { encoding: 'utf8' })).toBe('RESULT_TOO_COSTLY\n');
  });
});
