import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Line, Turn } from '../../src/domain/agent.js';
import { KediError } from '../../src/domain/errors.js';
import type { JsonText } from '../../src/domain/json.js';
import { answerOf, done, line, messageOf, order, pause, say, shape, stage } from './stage.js';

describe('a text request', () => {
  test('is answered by what the agent says, each line in the log byte for byte', async () => {
    const { engine, settled, task } = await stage({
      async *agent() {
        yield say('Hello ');
        yield { raw: Uint8Array.of(255, 10), channel: 'stderr', events: undefined };
        yield say('world');
        return done;
      },
    });
    const record = await engine.submit(order('hi'));
    expect(record).toMatchObject({ principal: 'local', contextId: 'context', agentKind: 'test' });
    const entries = await settled(record);
    expect(shape(entries)).toEqual(['message', 'run', 'line', 'line', 'line', 'completed']);
    const stderr = entries[3];
    expect(stderr?.type === 'line' && [...stderr.raw, stderr.channel]).toEqual([255, 10, 'stderr']);
    expect(answerOf(await task(record))).toBe('Hello world');
  });

  test('is answered by the text of the outcome only where nothing was said', async () => {
    const { engine, task } = await stage({
      async *agent(turn) {
        if (turn.prompt === 'speak') yield say('said');
        return { kind: 'text', text: 'the outcome' };
      },
    });
    expect(answerOf(await task(await engine.submit(order('speak'))))).toBe('said');
    expect(answerOf(await task(await engine.submit(order('silent'))))).toBe('the outcome');
  });

  test('of an agent that only has a document is answered with its text', async () => {
    const { engine, task } = await stage({
      // biome-ignore lint/correctness/useYield: an agent that says nothing on its way
      async *agent() {
        return { kind: 'json', document: '{"a":78.0}' };
      },
    });
    expect(answerOf(await task(await engine.submit(order('hi'))))).toBe('{"a":78.0}');
  });

  test('fails where nothing is said, or nothing but blanks, or only by a subagent', async () => {
    const { engine, task } = await stage({
      async *agent(turn) {
        if (turn.prompt === 'blank') yield say(' \n');
        if (turn.prompt === 'subagent') yield line({ type: 'delta', text: 'aside', parent: 'tool' });
        return turn.prompt === 'text' ? { kind: 'text', text: ' ' } : done;
      },
    });
    for (const prompt of ['nothing', 'blank', 'subagent', 'text']) {
      const { status } = await task(await engine.submit(order(prompt)));
      expect(status.state).toBe('failed');
      expect(status.message?.metadata).toContain('AGENT_EMPTY');
    }
  });

  test('is completed by an artifact as well', async () => {
    const { engine, task } = await stage({
      async *agent() {
        yield line({
          type: 'artifact',
          artifactId: 'file',
          parts: [{ kind: 'raw', bytes: Uint8Array.of(1) }],
          append: false,
          lastChunk: true,
        });
        return done;
      },
    });
    const { status, artifacts } = await task(await engine.submit(order('draw')));
    expect(status.state).toBe('completed');
    expect(artifacts.map(({ artifactId }) => artifactId)).toEqual(['file']);
  });

  test('keeps what was said when it fails, with the code and the sentence of the agent', async () => {
    const { engine, task } = await stage({
      async *agent(turn) {
        yield say('so far');
        if (turn.prompt === 'rejected') return { kind: 'rejected', reason: 'Not this.' };
        throw turn.prompt === 'kedi'
          ? new KediError('AGENT_UNAVAILABLE', 'The model cannot be reached.', { pointer: '/a' })
          : new KediError('VERSION_NOT_SUPPORTED', 'The peer speaks another version.');
      },
    });
    const seen: unknown[] = [];
    for (const prompt of ['kedi', 'stray', 'rejected']) {
      const ended = await task(await engine.submit(order(prompt)));
      expect(answerOf(ended)).toBe('so far');
      const [part] = ended.status.message?.parts ?? [];
      seen.push([ended.status.state, part?.kind === 'text' && part.text]);
    }
    expect(seen).toEqual([
      ['failed', 'The model cannot be reached.'],
      ['failed', 'The peer speaks another version.'],
      ['rejected', 'Not this.'],
    ]);
  });

  test('fails without telling the client what an unexpected error holds; the log of the server has it', async () => {
    const { engine, settled, logged } = await stage({
      // biome-ignore lint/correctness/useYield: an agent that fails at once
      async *agent() {
        throw new TypeError('password hunter2 was wrong');
      },
      redact: (text) => text.replaceAll('hunter2', '***'),
    });
    const record = await engine.submit(order('hi'));
    const last = (await settled(record)).at(-1);
    expect(last).toMatchObject({ state: 'failed', code: 'AGENT_FAILED' });
    expect(JSON.stringify(last)).not.toContain('password');
    expect(logged).toContainEqual({
      message: 'an agent failed with an error of its own',
      fields: { taskId: record.taskId, reason: 'TypeError: password *** was wrong' },
    });
  });

  test('fails with its secrets masked, in the sentence and in the place', async () => {
    const { engine, settled } = await stage({
      // biome-ignore lint/correctness/useYield: an agent that fails at once
      async *agent() {
        throw new KediError('AGENT_FAILED', 'No hunter2 here.', { pointer: '/a/hunter2' });
      },
      redact: (text) => text.replaceAll('hunter2', '***'),
    });
    const last = (await settled(await engine.submit(order('hi')))).at(-1);
    expect(last).toMatchObject({ state: 'failed', text: 'No *** here.', pointer: '/a/***' });
  });

  test('that is refused fails at once, and no agent runs', async () => {
    let runs = 0;
    const { engine, settled } = await stage({
      async *agent() {
        runs += 1;
        yield say('x');
        return done;
      },
      bounds: { promptBytes: 10 },
    });
    const refusal = new KediError('SCHEMA_INVALID', 'It is no schema.', { pointer: '/type' });
    const refused = await settled(await engine.submit(order('hi', { refusal })));
    expect(refused.at(-1)).toMatchObject({
      code: 'SCHEMA_INVALID',
      pointer: '/type',
      text: 'It is no schema.',
    });
    const long = await settled(await engine.submit(order('éééééé')));
    expect(shape(long)).toEqual(['message', 'failed REQUEST_MALFORMED']);
    const fits = await settled(await engine.submit(order('ééééé')));
    expect(shape(fits).at(-1)).toBe('completed');
    expect(runs).toBe(1);
  });

  test('reaches the agent whole: prompt, parts, metadata, modes, workspace', async () => {
    const turns: Turn[] = [];
    const { engine, settled, directory } = await stage({
      async *agent(turn) {
        turns.push(turn);
        yield say(turn.workspace);
        return done;
      },
    });
    const metadata = '{"n":9007199254740993}' as JsonText;
    const message = messageOf([
      { kind: 'data', json: '{"price":78.0}' as JsonText },
      { kind: 'text', text: 'one' },
      { kind: 'raw', bytes: Uint8Array.of(1) },
      { kind: 'text', text: 'two' },
    ]);
    const record = await engine.submit(order('', { message, metadata, acceptedOutputModes: ['a/b'] }));
    await settled(record);
    const [turn] = turns;
    expect(turn).toMatchObject({
      taskId: record.taskId,
      contextId: 'context',
      messageId: message.messageId,
      prompt: 'one\n\ntwo\n\n{"price":78.0}',
      parts: message.parts,
      metadata,
      acceptedOutputModes: ['a/b'],
      output: undefined,
      refused: undefined,
      session: undefined,
    });
    expect(turn?.workspace.startsWith(join(directory, 'work', '/'))).toBe(true);
  });

  test('finds the session of the turn before, and the same workspace', async () => {
    const seen: unknown[] = [];
    const workspaces = new Set<string>();
    const { engine, settled } = await stage({
      async *agent(turn) {
        seen.push(turn.session);
        workspaces.add(turn.workspace);
        yield line({ type: 'session', id: `after ${turn.prompt}` }, { type: 'delta', text: 'x' });
        return done;
      },
    });
    await settled(await engine.submit(order('one')));
    await settled(await engine.submit(order('two')));
    await settled(await engine.submit(order('three', { contextId: 'other' })));
    expect(seen).toEqual([undefined, 'after one', undefined]);
    expect(workspaces.size).toBe(2);
  });

  test('can be answered directly, without a task', async () => {
    const { engine, store } = await stage({
      agent: {
        async *run() {
          yield say('task');
          return done;
        },
        async reply(turn) {
          if (turn.prompt === 'fail') throw new Error('secret');
          return turn.prompt === 'direct' ? [{ kind: 'text', text: 'reply' }] : undefined;
        },
      },
    });
    expect(await engine.reply?.(order('direct'))).toEqual([{ kind: 'text', text: 'reply' }]);
    expect(await engine.reply?.(order('task'))).toBeUndefined();
    await expect(engine.reply?.(order('fail'))).rejects.toMatchObject({ code: 'INTERNAL' });
    expect((await store.log.list({ principal: 'local', limit: 1 })).total).toBe(0);
    expect(engine.counts()).toEqual({ running: 0, pending: 0 });
  });
});

describe('what leaves the server', () => {
  test('has the values of secrets replaced: bytes, deltas, tool calls, sentences', async () => {
    const secret = 'sk-12345';
    const { engine, settled } = await stage({
      redact: (text) => text.replaceAll(secret, '***'),
      async *agent() {
        yield {
          raw: Buffer.from(`key ${secret} é`),
          channel: 'stdout',
          events: [
            { type: 'delta', text: `it is ${secret}` },
            { type: 'tool_call', id: 't', name: 'n', input: `{"key":"${secret}","n":1.0}` as JsonText },
          ],
        };
        yield {
          raw: Buffer.concat([Uint8Array.of(255), Buffer.from(secret)]),
          channel: 'stderr',
          events: [],
        };
        throw new KediError('AGENT_FAILED', `The key ${secret} was refused.`);
      },
    });
    const entries = await settled(await engine.submit(order('hi')));
    const texts = entries.map((entry) =>
      entry.type === 'line'
        ? Buffer.from(entry.raw).toString('latin1') + JSON.stringify(entry.events)
        : JSON.stringify(entry),
    );
    expect(texts.join('\n')).not.toContain(secret);
    expect(texts[2]).toContain('{\\"key\\":\\"***\\",\\"n\\":1.0}');
    expect(texts[3]).toBe('\xff***[]');
    expect(entries.at(-1)).toMatchObject({ text: 'The key *** was refused.' });
  });

  test('has nothing of stderr where that is withheld, and says so once', async () => {
    const { engine, settled } = await stage({
      stderr: 'drop',
      async *agent() {
        const stderr: Line = { raw: Buffer.from('private'), channel: 'stderr', events: undefined };
        yield stderr;
        yield say('x');
        yield stderr;
        return done;
      },
    });
    const entries = await settled(await engine.submit(order('hi')));
    expect(shape(entries)).toEqual(['message', 'run', 'notice', 'line', 'completed']);
  });
});

describe('an agent that writes', () => {
  test('without ever waiting leaves the event loop to others, and its lines are rows of many', async () => {
    const writes: number[] = [];
    const { engine, settled } = await stage({
      store: { observer: { appended: ({ entries }) => writes.push(entries) } },
      async *agent() {
        for (let index = 0; index < 5_000; index += 1) yield say('x');
        return done;
      },
    });
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 1);
    const entries = await settled(await engine.submit(order('hi')));
    clearInterval(ticking);
    expect(entries).toHaveLength(5_003);
    expect(turns).toBeGreaterThan(5);
    expect(writes.length).toBeLessThan(200);
  });

  test('more than the log takes is stopped, and what it wrote before is kept', async () => {
    let cleaned = false;
    const { engine, settled } = await stage({
      bounds: { logBytes: 100_000 },
      async *agent() {
        try {
          for (;;) yield { raw: Buffer.alloc(10_000), channel: 'stdout', events: [] };
        } finally {
          cleaned = true;
        }
      },
    });
    const entries = await settled(await engine.submit(order('hi')));
    expect(shape(entries).at(-1)).toBe('failed OUTPUT_TOO_LARGE');
    expect(entries.filter((entry) => entry.type === 'line')).toHaveLength(10);
    expect(cleaned).toBe(true);
  });

  test('is pulled only as fast as the log takes it', async () => {
    let ahead = 0;
    const { engine, settled, store } = await stage({
      async *agent(turn) {
        for (let written = 0; written < 400; written += 1) {
          yield { raw: Buffer.alloc(50_000), channel: 'stdout', events: [] };
          const record = await store.log.get({ principal: 'local', taskId: turn.taskId });
          ahead = Math.max(ahead, written + 3 - (record?.length ?? 0));
        }
        return { kind: 'text', text: 'x' };
      },
    });
    await settled(await engine.submit(order('hi')));
    expect(ahead).toBeLessThan(10);
  });

  test('begins only once its task is durable', async () => {
    const states: unknown[] = [];
    const { engine, settled, store } = await stage({
      async *agent(turn) {
        states.push((await store.log.get({ principal: 'local', taskId: turn.taskId }))?.state);
        yield say('x');
        await pause(5);
        return done;
      },
    });
    await settled(await engine.submit(order('hi')));
    expect(states).toEqual(['submitted']);
  });
});
