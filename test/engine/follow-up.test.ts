import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/domain/message.js';
import { answerOf, done, order, say, shape, stage } from './stage.js';

const texts = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role, parts }) => {
    const [part] = parts;
    return `${role}: ${part?.kind === 'text' ? part.text : part?.kind}`;
  });

describe('a task that asks its client', () => {
  const asking = () =>
    stage({
      async *agent({ prompt }) {
        yield say(`(${prompt})`);
        if (prompt === 'log in') return { kind: 'question', text: 'Who are you?', auth: true };
        return prompt.startsWith('?') ? { kind: 'question', text: 'Which one?' } : done;
      },
    });

  test('waits, and goes on with the answer as the same task', async () => {
    const { engine, settled, task } = await asking();
    const record = await engine.submit(order('?'));
    expect((await task(record)).status.message?.parts).toEqual([{ kind: 'text', text: 'Which one?' }]);
    const again = await engine.answer(record, order('this'));
    expect(again).toMatchObject({ taskId: record.taskId, length: 5 });
    expect(shape(await settled(record))).toEqual([
      'message',
      'run',
      'line',
      'input-required',
      'message',
      'run',
      'line',
      'completed',
    ]);
    expect(answerOf(await task(record))).toBe('(?)\n\n(this)');
  });

  test('may ask for a login', async () => {
    const { engine, task } = await asking();
    expect((await task(await engine.submit(order('log in')))).status.state).toBe('auth-required');
  });

  test('can be answered in the moment its question is seen', async () => {
    const { engine, store, settled } = await asking();
    const record = await engine.submit(order('?'));
    for (let round = 0; round < 20; round += 1) {
      const { length } = (await store.log.get(record)) ?? { length: 0 };
      if ((await store.log.get(record))?.state !== 'input-required') {
        await store.log.grown(record, length, new AbortController().signal);
        round -= 1;
        continue;
      }
      await engine.answer(record, order(round === 19 ? 'last' : '? again'));
    }
    expect(shape(await settled(record)).at(-1)).toBe('completed');
  });

  test('takes one answer and no second beside it', async () => {
    const { engine, settled } = await asking();
    const record = await engine.submit(order('?'));
    await settled(record);
    const both = await Promise.allSettled([
      engine.answer(record, order('one')),
      engine.answer(record, order('two')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'UNSUPPORTED_OPERATION' },
    });
    expect(shape(await settled(record)).filter((kind) => kind === 'message')).toHaveLength(2);
  });

  test('is left waiting by an answer that cannot be taken', async () => {
    const { engine, settled, store } = await asking();
    const record = await engine.submit(order('?'));
    await settled(record);
    const invalid = { code: 'INVALID_PARAMS' };
    await expect(engine.answer(record, order('x', { contextId: 'other' }))).rejects.toMatchObject(invalid);
    await expect(engine.answer(record, order('x'.repeat(1_100_000)))).rejects.toMatchObject(invalid);
    const stranger = { ...record, principal: 'stranger' };
    await expect(engine.answer(stranger, order('x'))).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    expect(await store.log.get(record)).toMatchObject({ state: 'input-required', length: 4 });
  });

  test('takes no message while it is worked on, nor after its end', async () => {
    const { engine, settled } = await asking();
    const record = await engine.submit(order('x'));
    await expect(engine.answer(record, order('y'))).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
    await settled(record);
    await expect(engine.answer(record, order('y'))).rejects.toMatchObject({ code: 'UNSUPPORTED_OPERATION' });
  });

  test('may write no more in all its turns than a log may have', async () => {
    const { engine, settled } = await stage({
      bounds: { logBytes: 5_000 },
      async *agent({ prompt }) {
        yield say('x'.repeat(2_000));
        return prompt === 'end' ? done : { kind: 'question', text: 'Again?' };
      },
    });
    const record = await engine.submit(order('begin'));
    expect(shape(await settled(record)).at(-1)).toBe('input-required');
    await engine.answer(record, order('again'));
    expect(shape(await settled(record)).at(-1)).toBe('input-required');
    await engine.answer(record, order('end'));
    expect((await settled(record)).at(-1)).toMatchObject({ state: 'failed', code: 'OUTPUT_TOO_LARGE' });
  });

  test('goes on after a restart of the server', async () => {
    const first = await asking();
    const record = await first.engine.submit(order('?'));
    await first.settled(record);
    await first.engine.drain(1_000);
    await first.store.close();
    const second = await stage({
      directory: first.directory,
      async *agent({ prompt, history }) {
        yield say(`${prompt}; ${texts(await history()).join('; ')}`);
        return done;
      },
    });
    expect(await second.engine.recover()).toBe(0);
    await second.engine.answer(record, order('this'));
    expect(answerOf(await second.task(record))).toBe('(?)\n\nthis; user: ?; agent: (?); agent: Which one?');
  });
});

describe('the history of a turn', () => {
  test('is what was said in its context before, answers and questions included, oldest first', async () => {
    const heard: (readonly string[])[] = [];
    const { engine, settled } = await stage({
      async *agent({ prompt, history }) {
        heard.push(texts(await history()));
        if (prompt === 'fail') throw new Error('x');
        yield say(`answer to ${prompt}`);
        return prompt === 'ask' ? { kind: 'question', text: 'What?' } : done;
      },
    });
    await settled(await engine.submit(order('one')));
    await settled(await engine.submit(order('elsewhere', { contextId: 'other' })));
    await settled(await engine.submit(order('one', { principal: 'stranger' })));
    await settled(await engine.submit(order('fail')));
    const asked = await engine.submit(order('ask'));
    await settled(asked);
    await engine.answer(asked, order('that'));
    await settled(asked);
    await settled(await engine.submit(order('last')));

    const first = ['user: one', 'agent: answer to one', 'user: fail'];
    expect(heard).toEqual([
      [],
      [],
      [],
      first.slice(0, 2),
      first,
      [...first, 'user: ask', 'agent: answer to ask', 'agent: What?'],
      [...first, 'user: ask', 'agent: What?', 'user: that', 'agent: answer to ask\n\nanswer to that'],
    ]);
  });

  test('is bounded: of a long conversation the newest part', async () => {
    let heard: readonly Message[] = [];
    const { engine, settled } = await stage({
      async *agent({ prompt, history }) {
        if (prompt === 'recall') heard = await history();
        yield say('x'.repeat(100_000));
        return done;
      },
    });
    for (let index = 0; index < 15; index += 1) await settled(await engine.submit(order(`${index}`)));
    await settled(await engine.submit(order('recall')));
    expect(heard.length).toBeGreaterThan(10);
    expect(heard.length).toBeLessThan(25);
    expect(texts(heard).at(-2)).toBe('user: 14');
  });
});
