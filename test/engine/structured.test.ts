import { describe, expect, test } from 'vitest';
import type { Agent, Line, Outcome, Turn } from '../../src/domain/agent.js';
import type { SchemaJudge } from '../../src/domain/schema.js';
import type { StructuredRequest } from '../../src/domain/task.js';
import type { Order } from '../../src/engine/index.js';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../../src/protocol/structured-output.js';
import { jsonText, storedJson } from '../../src/schema/document.js';
import { createJudge } from '../../src/schema/index.js';
import { done, line, order, pause, type Stage, say, shape, stage, untilAborted } from './stage.js';

const schema = jsonText({
  type: 'object',
  properties: { id: { type: 'integer' }, price: { type: 'number' } },
  required: ['id'],
});

const exact = '{"id":9007199254740993,"price":78.0}';

/** A stage with a judge of schemas, and typed orders for it. */
async function typedStage(
  agent: ((turn: Turn) => AsyncGenerator<Line, Outcome, void>) | Agent,
  options: { readonly attempts?: number; readonly resultBytes?: number } = {},
): Promise<
  Stage & { readonly typed: (prompt: string, changes?: Partial<StructuredRequest>) => Promise<Order> }
> {
  const judge: SchemaJudge = createJudge();
  const { resultBytes, ...rest } = options;
  const staged = await stage({
    agent,
    judge,
    ...rest,
    bounds: resultBytes === undefined ? {} : { resultBytes },
  });
  return {
    ...staged,
    async typed(prompt, changes = {}) {
      const asked: StructuredRequest = { schema, resultEncoding: 'json-utf8', ...changes };
      return order(prompt, {
        structured: { ...asked, output: await judge.compile(asked.schema) },
        acceptedOutputModes: ['application/json'],
      });
    },
  };
}

describe('a typed request', () => {
  test('is completed by one artifact of the exact bytes, there with the state and not before', async () => {
    const { engine, typed, settled, task, store } = await typedStage(async function* (turn) {
      expect(turn.output?.text).toBe(schema);
      yield say('thinking');
      return { kind: 'json', document: ` ${exact}\n` };
    });
    const record = await engine.submit(await typed('x'));
    expect(record.structured).toBe(true);
    const seen: number[] = [];
    for (;;) {
      const entries = await store.log.read(record, 0);
      seen.push(entries.length);
      if (entries.some(({ type }) => type === 'artifact')) {
        expect(entries.at(-1)).toMatchObject({ state: 'completed' });
        break;
      }
      await store.log.grown(record, entries.length, AbortSignal.timeout(5_000));
    }
    expect(shape(await settled(record))).toEqual(['message', 'run', 'line', 'artifact', 'completed']);
    const { artifacts } = await task(record);
    expect(artifacts).toHaveLength(1);
    const [part] = artifacts[0]?.parts ?? [];
    expect(artifacts[0]?.extensions).toEqual([KEDI_STRUCTURED_OUTPUT_URI]);
    expect(part?.kind === 'raw' && Buffer.from(part.bytes).toString()).toBe(exact);
  });

  test('is refused a document that is not JSON, does not match, is too large, or would lose a number', async () => {
    const { engine, typed, settled } = await typedStage(
      async function* ({ prompt }) {
        yield line({
          type: 'artifact',
          artifactId: 'chart',
          parts: [{ kind: 'text', text: 'x' }],
          append: false,
          lastChunk: true,
        });
        return { kind: 'json', document: prompt, ...(prompt.includes('parsed') && { parsed: true }) };
      },
      { resultBytes: 100 },
    );
    for (const [document, code, pointer] of [
      ['{"id":1} and more', 'RESULT_MALFORMED', undefined],
      ['{"id":"one"}', 'RESULT_INVALID', '/id'],
      [`{"id":1,"text":"${'x'.repeat(100)}"}`, 'RESULT_TOO_LARGE', undefined],
      ['{"id":9007199254740992,"parsed":1}', 'RESULT_LOSSY', '/id'],
    ] as const) {
      const entries = await settled(await engine.submit(await typed(document)));
      expect(shape(entries)).toEqual(['message', 'run', 'line', `failed ${code}`]);
      const last = entries.at(-1);
      if (pointer !== undefined) expect(last).toMatchObject({ pointer });
      expect(JSON.stringify(entries.slice(2))).not.toContain('chart');
    }
    const legacy = await typed(exact, { resultEncoding: 'protobuf-value' });
    expect(shape(await settled(await engine.submit(legacy))).at(-1)).toBe('failed RESULT_LOSSY');
    const parsed = await engine.submit(await typed('{"id":12,"parsed":1.5}'));
    expect(shape(await settled(parsed)).at(-1)).toBe('completed');
  });

  test('is not completed by prose, however much of it', async () => {
    const { engine, typed, settled } = await typedStage(async function* ({ prompt }) {
      yield say('{"id":1}');
      return prompt === 'text' ? { kind: 'text', text: '{"id":1}' } : done;
    });
    for (const prompt of ['text', 'done']) {
      const entries = await settled(await engine.submit(await typed(prompt)));
      expect(shape(entries)).toEqual(['message', 'run', 'line', 'failed RESULT_MISSING']);
    }
  });

  test('shows the artifacts of its agent with the result, whole, and not before', async () => {
    const { engine, typed, settled, task } = await typedStage(async function* () {
      for (const text of ['a', 'b']) {
        yield line(
          { type: 'delta', text: 'x' },
          {
            type: 'artifact',
            artifactId: 'chart',
            name: 'Chart',
            parts: [{ kind: 'text', text }],
            append: text === 'b',
            lastChunk: text === 'b',
          },
        );
      }
      return { kind: 'json', document: exact };
    });
    const record = await engine.submit(await typed('x'));
    const entries = await settled(record);
    expect(shape(entries).slice(-3)).toEqual(['artifact', 'artifact', 'completed']);
    expect(
      entries.flatMap((entry) => (entry.type === 'line' ? (entry.events ?? []) : [])).map(({ type }) => type),
    ).toEqual(['delta', 'delta']);
    const [chart, result] = (await task(record)).artifacts;
    expect(chart).toMatchObject({
      artifactId: 'chart',
      name: 'Chart',
      parts: [{ text: 'a' }, { text: 'b' }],
    });
    expect(result?.name).toBe('kedi-structured-output');
  });

  test('runs again while attempts are left, told what was refused and why', async () => {
    const turns: Pick<Turn, 'refused' | 'session'>[] = [];
    const { engine, typed, settled } = await typedStage(
      async function* ({ refused, session }) {
        turns.push({ refused, session });
        yield line({ type: 'session', id: `s${turns.length}` });
        if (turns.length === 1) return { kind: 'json', document: '{"id":"x"}' };
        if (turns.length === 2) return done;
        return { kind: 'json', document: exact };
      },
      { attempts: 3 },
    );
    const entries = await settled(await engine.submit(await typed('x')));
    expect(shape(entries)).toEqual([
      'message',
      'run',
      'line',
      'run',
      'line',
      'run',
      'line',
      'artifact',
      'completed',
    ]);
    expect(turns.map(({ session }) => session)).toEqual([undefined, 's1', 's2']);
    expect(turns[1]?.refused?.document).toBe('{"id":"x"}');
    expect(turns[1]?.refused?.reason).toContain('/id');
    expect(turns[2]?.refused).toEqual({
      document: '',
      reason: 'The agent ended without the document that was asked for.',
    });
    const runs = entries.filter((entry) => entry.type === 'run');
    expect(runs.map(({ attempt, why }) => [attempt, why])).toEqual([
      [1, undefined],
      [2, turns[1]?.refused?.reason],
      [3, turns[2]?.refused?.reason],
    ]);
  });

  test('fails with the last refusal when its attempts are used up, and never runs again after a failure', async () => {
    let runs = 0;
    const { engine, typed, settled } = await typedStage(
      // biome-ignore lint/correctness/useYield: an agent that says nothing on its way
      async function* ({ prompt }) {
        runs += 1;
        if (prompt === 'fail') throw new Error('x');
        return { kind: 'json', document: `{"id":"${runs}"}` };
      },
      { attempts: 2 },
    );
    expect(shape(await settled(await engine.submit(await typed('x'))))).toEqual([
      'message',
      'run',
      'run',
      'failed RESULT_INVALID',
    ]);
    await settled(await engine.submit(await typed('fail')));
    expect(runs).toBe(3);
  });

  test('keeps its schema through a question and a restart; another one is refused and it goes on waiting', async () => {
    const agent = async function* ({ prompt, output }: Turn): AsyncGenerator<Line, Outcome, void> {
      yield say('x');
      if (prompt === 'ask') return { kind: 'question', text: 'Which?' };
      return { kind: 'json', document: output === undefined ? '"no schema"' : prompt };
    };
    const { engine, typed, settled, store, task } = await typedStage(agent);
    const record = await engine.submit(await typed('ask'));
    await settled(record);
    const other = await typed('x', { schema: storedJson('{"type":"string"}') });
    await expect(engine.answer(record, other)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    const encoding = await typed('x', { resultEncoding: 'protobuf-value' });
    await expect(engine.answer(record, encoding)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect((await store.log.get(record))?.state).toBe('input-required');

    await engine.answer(record, order('"not an object"'));
    expect(shape(await settled(record)).at(-1)).toBe('failed RESULT_INVALID');

    const again = await engine.submit(await typed('ask'));
    await settled(again);
    await engine.answer(again, await typed(exact));
    const [part] = (await task(again)).artifacts[0]?.parts ?? [];
    expect(part?.kind === 'raw' && Buffer.from(part.bytes).toString()).toBe(exact);

    const text = await engine.submit(order('ask'));
    await settled(text);
    await expect(engine.answer(text, await typed('x'))).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  test('does not blame the agent where the server itself fails on its answer', async () => {
    const { engine, typed, settled, logged } = await typedStage(
      // biome-ignore lint/correctness/useYield: an agent that says nothing on its way
      async function* () {
        return { kind: 'json', document: exact };
      },
    );
    const { structured, ...rest } = await typed('x');
    if (structured === undefined) throw new Error('a typed order was expected');
    const output = { text: schema, check: () => Promise.reject(new Error('the worker is gone')) };
    const record = await engine.submit({ ...rest, structured: { ...structured, output } });
    expect((await settled(record)).at(-1)).toMatchObject({ state: 'failed', code: 'INTERNAL' });
    expect(logged).toContainEqual({
      message: 'a turn failed inside the server',
      fields: { taskId: record.taskId, reason: 'Error: the worker is gone' },
    });
  });

  test('that is canceled while it works leaves no artifact', async () => {
    const { engine, typed, settled } = await typedStage(async function* ({ signal }) {
      yield line({ type: 'artifact', artifactId: 'a', parts: [], append: false, lastChunk: true });
      await untilAborted(signal);
      return done;
    });
    const record = await engine.submit(await typed('x'));
    await pause(20);
    await engine.cancel(record);
    expect(shape(await settled(record))).toEqual(['message', 'run', 'line', 'canceled CANCELED']);
  });
});
