import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { SchemaJudge } from '../../src/domain/schema.js';
import { extractDocument } from '../../src/schema/extract.js';
import { checkIsolated, compileSchema, createJudge, extractIsolated } from '../../src/schema/index.js';
import { createIsolate, type Isolate } from '../../src/schema/isolate.js';
import { collect } from '../support/collect.js';
import { fairTime } from './fair-time.js';

const hanging = { schema: '{"pattern":"^(a+)+$"}', document: `"${'a'.repeat(32)}!"` };
const honest = { schema: '{"pattern":"^a+$"}', document: '"aaa"' };

const open: (SchemaJudge | Isolate)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

function judge(options?: Parameters<typeof createJudge>[0]): SchemaJudge {
  const made = createJudge(options);
  open.push(made);
  return made;
}

const verdict = async (by: SchemaJudge, { schema, document }: typeof honest) =>
  (await by.compile(schema)).check(document);

describe('a pattern that the engine can read and not run', () => {
  const pattern = 'a?'.repeat(16_000);
  test.each([
    ['of a string', { pattern }, '"abc"'],
    ['of a name', { patternProperties: { [pattern]: false } }, '{"abc":1}'],
  ])('%s is no verdict, and nothing is thrown', async (_, schema, document) => {
    const given = { schema: JSON.stringify(schema), document };
    const refused = { ok: false, code: 'RESULT_TOO_COSTLY' };
    expect(compileSchema(given.schema).check(document)).toMatchObject(refused);
    expect(await verdict(judge(), given)).toMatchObject(refused);
  });
});

describe('a pattern that hangs', () => {
  test('costs its own document the verdict, and no other that waits behind it', async () => {
    const by = judge();
    const all = [hanging, ...Array(20).fill(honest), hanging, ...Array(20).fill(honest)];
    const verdicts = await Promise.all(all.map((job) => verdict(by, job)));
    const refused = verdicts.filter(({ ok }) => !ok);
    expect(refused).toHaveLength(2);
    for (const one of refused) expect(one).toMatchObject({ ok: false, code: 'RESULT_TOO_COSTLY' });
  });

  test('is killed, and the next job finds a worker that is warm', async () => {
    const by = judge();
    await verdict(by, honest);
    await verdict(by, hanging);
    const start = performance.now();
    expect(await verdict(by, honest)).toMatchObject({ ok: true });
    expect(performance.now() - start).toBeLessThan(fairTime(300));
  });

  test('in the schema itself is refused while it is compiled', async () => {
    const schema = `{"pattern":"[${'\\\\p{L}'.repeat(5_000)}]"}`;
    await expect(judge().compile(schema)).rejects.toMatchObject({ code: 'SCHEMA_TOO_COSTLY' });
  });
});

describe('a judge', () => {
  test('gives in the worker the verdicts that it gives outside', async () => {
    const by = judge();
    const cases: readonly { schema: string; valid: readonly string[]; invalid: readonly string[] }[] =
      JSON.parse(readFileSync(new URL('../fixtures/cases/kedi-schemas.json', import.meta.url), 'utf8'));
    for (const { schema, valid, invalid } of cases) {
      const here = await by.compile(schema);
      for (const document of [...valid, ...invalid, '{', ` ${valid[0]}\n`]) {
        const inside = await here.check(document);
        expect(inside).toEqual(compileSchema(schema).check(document));
        expect(await checkIsolated(schema, document)).toEqual(inside);
        expect(await here.check(document + ' '.repeat(40_000))).toEqual(
          compileSchema(schema).check(document + ' '.repeat(40_000)),
        );
      }
    }
  });

  test('refuses a schema in the worker as it does outside', async () => {
    const bad = '{"properties":{"a":{"pattern":"("}}}';
    const refusal = { code: 'SCHEMA_INVALID', pointer: '/properties/a/pattern' };
    await expect(judge().compile(bad)).rejects.toMatchObject(refusal);
    await expect(checkIsolated(bad, '1')).rejects.toMatchObject(refusal);
    expect(() => compileSchema(bad)).toThrow(expect.objectContaining(refusal));
  });

  test('lets a document that is hard but honest work have its verdict in the worker', async () => {
    const items = Array.from({ length: 120 }, (_, index) => ({ const: { index } }));
    const schema = JSON.stringify({ items: { anyOf: items } });
    const document = JSON.stringify(Array.from({ length: 300 }, () => ({ index: 119 })));
    expect(compileSchema(schema, { fuel: 100_000 }).check(document)).toMatchObject({
      code: 'RESULT_TOO_COSTLY',
    });
    expect(await verdict(judge(), { schema, document })).toMatchObject({ ok: true });
  });

  test('refuses a document over its bound without reading it', async () => {
    const by = judge({ documentBytes: 100_000 });
    expect(await verdict(by, { schema: 'true', document: `"${'a'.repeat(99_998)}"` })).toMatchObject({
      ok: true,
    });
    const large = await verdict(by, { schema: 'true', document: `"${'a'.repeat(99_999)}"` });
    expect(large).toMatchObject({ code: 'RESULT_TOO_LARGE' });
    const bytes = await verdict(by, { schema: 'true', document: `"${'é'.repeat(50_000)}"` });
    expect(bytes).toMatchObject({ code: 'RESULT_TOO_LARGE' });
  });

  test('asserts formats only where it is told to', async () => {
    const job = { schema: '{"format":"date"}', document: '"2026-02-30"' };
    expect(await verdict(judge(), job)).toMatchObject({ ok: true });
    expect(await verdict(judge({ assertFormats: true }), job)).toMatchObject({
      code: 'RESULT_INVALID',
      violation: { keyword: 'format', message: '(root): must be in the format "date"' },
    });
  });

  test('keeps a schema that comes again, as long as there is room for it', async () => {
    const by = judge({ cacheBytes: 100_000 });
    const first = await by.compile('{"type":"string"}');
    expect(await by.compile('{"type":"string"}')).toBe(first);
    for (let index = 0; index < 500; index += 1) await by.compile(`{"minimum":${index}}`);
    expect(await by.compile('{"type":"string"}')).not.toBe(first);
  });

  test('answers whoever still waits when it is closed', async () => {
    const by = judge();
    const schema = await by.compile(honest.schema);
    const waiting = expect(schema.check(honest.document)).rejects.toMatchObject({ code: 'INTERNAL' });
    await by.close();
    await waiting;
    await expect(schema.check(honest.document)).rejects.toMatchObject({ code: 'INTERNAL' });
  });
});

describe('the document in the prose of an agent', () => {
  test('is found in the worker as it is found outside, where the prose is long', async () => {
    for (const prose of ['Here: {"a": 78.0}.', '{"a":1} or {"a":2}', 'None.', '```json\n[1, 2]\n```']) {
      const long = `${prose}\n${' Word.'.repeat(10_000)}`;
      expect(await extractIsolated(long)).toEqual(await extractIsolated(prose));
      expect(await extractIsolated(long)).toEqual(extractDocument(prose));
    }
  });

  test('is given up where looking for it takes too long', async () => {
    const isolate = createIsolate({ megabytes: 24 });
    open.push(isolate);
    const found = await isolate.extract(`${'[1] '.repeat(2_000_000)}`);
    expect(found).toEqual({ ok: false, reason: expect.stringContaining('too long') });
  });
});

test('a document that takes too much memory costs nobody else anything', async () => {
  const isolate = createIsolate({ megabytes: 24 });
  open.push(isolate);
  const greedy = isolate.check('true', { document: `[${'[1],'.repeat(1_000_000)}1]`, options: {} });
  const others = Array.from({ length: 5 }, () => isolate.check('true', { document: '1', options: {} }));
  expect(await greedy).toMatchObject({ code: 'RESULT_TOO_COSTLY' });
  expect(await Promise.all(others)).toEqual(Array(5).fill({ ok: true, json: '1' }));
});

test('a program that has judged in the worker ends by itself', () => {
  const program = `
    import { checkIsolated } from ${JSON.stringify(new URL('../../dist/schema/index.js', import.meta.url).href)};
    console.log((await checkIsolated(${JSON.stringify(honest.schema)}, '"aaa"')).ok);
    console.log((await checkIsolated(${JSON.stringify(hanging.schema)}, ${JSON.stringify(hanging.document)})).code);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 10_000,
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
  });
  expect(printed).toBe('true\nRESULT_TOO_COSTLY\n');
});

describe('memory', () => {
  const used = (): number => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
  const schema = (index: number): string =>
    JSON.stringify({
      title: `Model ${index}`,
      type: 'object',
      properties: {
        [`name${index}`]: { type: 'string', minLength: 1 },
        state: { enum: ['open', 'closed'] },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
        owner: { anyOf: [{ $ref: '#/$defs/Owner' }, { type: 'null' }] },
      },
      required: [`name${index}`],
      additionalProperties: false,
      $defs: { Owner: { properties: { id: { type: 'integer' } }, required: ['id'] } },
    });

  test('100,000 schemas, each another one, leave less than 40 MB behind', async () => {
    const by = judge();
    for (let index = 0; index < 200; index += 1) await by.compile(schema(-index));
    const before = used();
    for (let index = 0; index < 100_000; index += 1) await by.compile(schema(index));
    expect(used() - before).toBeLessThan(40e6);
    expect(await (await by.compile(schema(1))).check('{"name1":"x"}')).toMatchObject({ ok: true });
  }, 120_000);

  test('so do schemas that weigh as much as any of their size can', async () => {
    const by = judge();
    const dense = (index: number) => `{"title":"${index}","anyOf":[${Array(3_980).fill('{}').join(',')}]}`;
    const before = used();
    for (let index = 0; index < 200; index += 1) await by.compile(dense(index));
    expect(used() - before).toBeLessThan(40e6);
    expect(await (await by.compile(dense(1))).check('1')).toMatchObject({ ok: true });
  }, 60_000);
});
