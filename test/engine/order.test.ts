import { describe, expect, test } from 'vitest';
import { createEngine } from '../../src/engine/index.js';
import { silent } from '../store/silent.js';
import { done, noJudge, order, pause, say, shape, stage, untilAborted } from './stage.js';

/** A gate that opens when the test says so. */
function gate() {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe('turns', () => {
  test('that never wait cost two rows of the log each, those that waited for a slot too', async () => {
    const rows: number[] = [];
    const { engine, settled } = await stage({
      bounds: { concurrency: 1 },
      store: { observer: { appended: ({ entries }) => rows.push(entries) } },
      async *agent() {
        yield say('x');
        return done;
      },
    });
    const orders = ['a', 'b', 'c'].map((contextId) => order('x', { contextId }));
    const records = await Promise.all(orders.map((one) => engine.submit(one)));
    for (const record of records) {
      expect(shape(await settled(record))).toEqual(['message', 'run', 'line', 'completed']);
    }
    expect(rows.sort()).toEqual([1, 1, 1, 3, 3, 3]);
  });

  test('free their context when their end is durable, and not before', async () => {
    const running: string[] = [];
    const { engine, settled, store } = await stage({
      bounds: { concurrency: 1 },
      async *agent({ prompt, taskId, contextId }) {
        const before = await store.log.list({ principal: 'local', contextId, limit: 10 });
        const others = before.records.filter((record) => record.taskId !== taskId);
        running.push(`${prompt} after ${others.map(({ state }) => state)}`);
        yield say('x');
        return done;
      },
    });
    const one = await engine.submit(order('one'));
    const two = await engine.submit(order('two'));
    await Promise.all([settled(one), settled(two)]);
    expect(running).toEqual(['one after ', 'two after completed']);
    expect(engine.counts()).toEqual({ running: 0, pending: 0 });
  });

  test('of one context run one after the other, in the order of their requests', async () => {
    const ran: string[] = [];
    const { engine, settled } = await stage({
      async *agent({ prompt }) {
        ran.push(`${prompt} begins`);
        await pause(10);
        yield say(prompt);
        ran.push(`${prompt} ends`);
        return done;
      },
    });
    const records = await Promise.all(['a', 'b', 'c'].map((prompt) => engine.submit(order(prompt))));
    expect(records.map((record) => record.state)).toEqual(['submitted', 'submitted', 'submitted']);
    for (const record of records) await settled(record);
    expect(ran).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('that wait for their context hold no slot, so that others pass them', async () => {
    const first = gate();
    const { engine, settled } = await stage({
      bounds: { concurrency: 2 },
      async *agent({ prompt }) {
        if (prompt === 'first') await first.opened;
        yield say(prompt);
        return done;
      },
    });
    const blocked = await engine.submit(order('first'));
    const waiting = await Promise.all(['x', 'y', 'z'].map((prompt) => engine.submit(order(prompt))));
    expect(engine.counts()).toEqual({ running: 1, pending: 3 });
    const other = await engine.submit(order('other', { contextId: 'free' }));
    expect(shape(await settled(other)).at(-1)).toBe('completed');
    first.open();
    for (const record of [blocked, ...waiting]) await settled(record);
    expect(engine.counts()).toEqual({ running: 0, pending: 0 });
  });

  test('of strangers in contexts of the same name do not wait for each other', async () => {
    const first = gate();
    const { engine, settled } = await stage({
      async *agent({ prompt }) {
        if (prompt === 'first') await first.opened;
        yield say(prompt);
        return done;
      },
    });
    const mine = await engine.submit(order('first'));
    const theirs = await engine.submit(order('second', { principal: 'stranger' }));
    await settled(theirs);
    first.open();
    await settled(mine);
  });

  test('beyond the slots wait, and beyond those who may wait are refused without a task', async () => {
    const all = gate();
    let running = 0;
    let most = 0;
    const counts: unknown[] = [];
    const { engine, settled, store } = await stage({
      bounds: { concurrency: 3, pending: 4 },
      observer: { queueChanged: (now) => counts.push(now) },
      async *agent({ prompt }) {
        running += 1;
        most = Math.max(most, running);
        await all.opened;
        running -= 1;
        yield say(prompt);
        return done;
      },
    });
    const sent = await Promise.allSettled(
      Array.from({ length: 9 }, (_, index) => engine.submit(order('x', { contextId: `c${index}` }))),
    );
    expect(sent.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(2);
    expect(sent.at(-1)).toMatchObject({ reason: { code: 'BUSY', retryAfterSeconds: 1 } });
    expect((await store.log.list({ principal: 'local', limit: 10 })).total).toBe(7);
    expect(counts.at(-1)).toEqual({ running: 3, pending: 4 });
    all.open();
    for (const one of sent) if (one.status === 'fulfilled') await settled(one.value);
    expect(most).toBe(3);
    await settled(await engine.submit(order('again')));
  });

  test('are told to an observer with how they end and how long they took', async () => {
    const seen: unknown[] = [];
    const { engine, settled } = await stage({
      observer: {
        turnStarted: (turn) => seen.push(turn),
        turnEnded: ({ seconds, ...turn }) => seen.push({ ...turn, slow: seconds >= 0.015 }),
      },
      async *agent({ prompt }) {
        await pause(20);
        if (prompt === 'x') yield say('x');
        return done;
      },
    });
    await settled(await engine.submit(order('x')));
    await settled(await engine.submit(order('nothing')));
    expect(seen).toEqual([
      { agentKind: 'test' },
      { agentKind: 'test', state: 'completed', code: undefined, slow: true },
      { agentKind: 'test' },
      { agentKind: 'test', state: 'failed', code: 'AGENT_EMPTY', slow: true },
    ]);
  });
});

describe('a task that is canceled', () => {
  test('while it runs ends when its agent has cleaned up, and keeps what was said', async () => {
    const seen: string[] = [];
    const { engine, settled } = await stage({
      async *agent({ signal }) {
        try {
          yield say('so far');
          await untilAborted(signal);
          return done;
        } finally {
          await pause(30);
          seen.push('cleaned up');
        }
      },
    });
    const record = await engine.submit(order('x'));
    await pause(20);
    await engine.cancel(record);
    expect(seen).toEqual(['cleaned up']);
    expect(shape(await settled(record))).toEqual(['message', 'run', 'line', 'canceled CANCELED']);
    await expect(engine.cancel(record)).rejects.toMatchObject({ code: 'TASK_NOT_CANCELABLE' });
    await expect(engine.cancel({ ...record, taskId: 'none' })).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
    await expect(engine.cancel({ ...record, principal: 'stranger' })).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
  });

  test('while it only yields is stopped between two lines, its finally run', async () => {
    let cleaned = false;
    const { engine, settled } = await stage({
      async *agent() {
        try {
          for (;;) {
            yield say('x');
            await pause(1);
          }
        } finally {
          cleaned = true;
        }
      },
    });
    const record = await engine.submit(order('x'));
    await pause(20);
    await engine.cancel(record);
    expect(cleaned).toBe(true);
    expect(shape(await settled(record)).at(-1)).toBe('canceled CANCELED');
  });

  test('ends even where its agent does not listen, after a bounded wait, and its slot is free', async () => {
    const { engine, settled, logged } = await stage({
      bounds: { concurrency: 1, stopMs: 50 },
      async *agent({ prompt }) {
        if (prompt === 'deaf') await new Promise(() => {});
        yield say('x');
        return done;
      },
    });
    const record = await engine.submit(order('deaf'));
    await pause(20);
    const started = performance.now();
    await engine.cancel(record);
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(shape(await settled(record))).toEqual(['message', 'run', 'canceled CANCELED']);
    expect(logged.map(({ message }) => message)).toContain('an agent did not stop when it was told to');
    await settled(await engine.submit(order('next', { contextId: 'other' })));
  });

  test('keeps what its agent says while it cleans up, but not for ever', async () => {
    const { engine, settled } = await stage({
      bounds: { stopMs: 60 },
      async *agent({ prompt, signal }) {
        try {
          await untilAborted(signal);
          return done;
        } finally {
          yield say('last words');
          while (prompt === 'endless') yield say('and more');
        }
      },
    });
    const brief = await engine.submit(order('brief'));
    const endless = await engine.submit(order('endless', { contextId: 'other' }));
    await pause(10);
    await engine.cancel(brief);
    expect(shape(await settled(brief))).toEqual(['message', 'run', 'line', 'canceled CANCELED']);
    await engine.cancel(endless);
    expect(shape(await settled(endless)).at(-1)).toBe('canceled CANCELED');
  });

  test('while it waits for its turn never runs', async () => {
    const first = gate();
    const ran: string[] = [];
    const { engine, settled } = await stage({
      async *agent({ prompt }) {
        ran.push(prompt);
        if (prompt === 'first') await first.opened;
        yield say(prompt);
        return done;
      },
    });
    const one = await engine.submit(order('first'));
    const two = await engine.submit(order('second'));
    const three = await engine.submit(order('third'));
    await engine.cancel(two);
    expect(shape(await settled(two))).toEqual(['message', 'canceled CANCELED']);
    first.open();
    await settled(one);
    await settled(three);
    expect(ran).toEqual(['first', 'third']);
  });

  test('while it waits for its client ends at once', async () => {
    const { engine, settled } = await stage({
      // biome-ignore lint/correctness/useYield: an agent that only asks
      async *agent() {
        return { kind: 'question', text: 'Which?' };
      },
    });
    const record = await engine.submit(order('x'));
    await settled(record);
    const [canceled, answered] = await Promise.allSettled([
      engine.cancel(record),
      engine.answer(record, order('that one')),
    ]);
    expect(canceled.status).toBe('fulfilled');
    expect(answered).toMatchObject({ reason: { code: 'UNSUPPORTED_OPERATION' } });
    expect(shape(await settled(record))).toEqual(['message', 'run', 'input-required', 'canceled CANCELED']);
  });

  test('in the moment it ends ends once', async () => {
    const { engine, settled } = await stage({
      async *agent({ prompt }) {
        yield say('x');
        await pause(Number(prompt));
        return prompt === '0' ? { kind: 'question', text: '?' } : done;
      },
    });
    for (let round = 0; round < 40; round += 1) {
      const record = await engine.submit(order(`${round % 3}`));
      await pause(round % 4);
      await engine.cancel(record).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'TASK_NOT_CANCELABLE' });
      });
      const states = shape(await settled(record)).filter((kind) => /completed|canceled/.test(kind));
      expect(states).toHaveLength(1);
    }
  });
});

describe('an agent that takes too long', () => {
  test('is stopped at its deadline, and the task says how long that was', async () => {
    let cleaned = false;
    const { engine, settled } = await stage({
      bounds: { turnMs: 50 },
      async *agent({ signal }) {
        try {
          yield say('x');
          await untilAborted(signal);
          return done;
        } finally {
          cleaned = true;
        }
      },
    });
    const entries = await settled(await engine.submit(order('x')));
    expect(entries.at(-1)).toMatchObject({
      state: 'failed',
      code: 'TIMED_OUT',
      text: 'The agent did not finish within 0.05 seconds, and was stopped.',
    });
    expect(cleaned).toBe(true);
  });

  test('is not counted the time that it waited for its turn', async () => {
    const { engine, settled } = await stage({
      bounds: { turnMs: 300 },
      async *agent({ prompt }) {
        await pause(200);
        yield say(prompt);
        return done;
      },
    });
    const records = await Promise.all(['a', 'b', 'c'].map((prompt) => engine.submit(order(prompt))));
    for (const record of records) expect(shape(await settled(record)).at(-1)).toBe('completed');
  });
});

describe('a server that ends', () => {
  test('lets what runs finish within its grace, cancels what waits, and takes nothing new', async () => {
    const { engine, settled } = await stage({
      async *agent({ prompt }) {
        await pause(60);
        yield say(prompt);
        return done;
      },
    });
    const running = await engine.submit(order('running'));
    const waiting = await engine.submit(order('waiting'));
    const drained = engine.drain(5_000);
    await expect(engine.submit(order('new'))).rejects.toMatchObject({ code: 'BUSY' });
    await drained;
    expect(shape(await settled(running)).at(-1)).toBe('completed');
    expect(shape(await settled(waiting)).at(-1)).toBe('canceled CANCELED');
  });

  test('cancels what still runs after its grace, durably', async () => {
    const { engine, store } = await stage({
      async *agent({ signal }) {
        yield say('x');
        await untilAborted(signal);
        return done;
      },
    });
    const record = await engine.submit(order('x'));
    await engine.drain(30);
    expect((await store.log.get(record))?.state).toBe('canceled');
  });

  test('in the middle of a task leaves it to be found interrupted by the next', async () => {
    const { engine, store, settled } = await stage({
      async *agent({ prompt }) {
        yield say('x');
        return prompt === 'ask' ? { kind: 'question', text: '?' } : done;
      },
    });
    const finished = await engine.submit(order('x'));
    const asked = await engine.submit(order('ask'));
    await settled(finished);
    await settled(asked);
    // What a killed server leaves behind: tasks that nobody runs.
    const left = { ...finished, state: 'submitted' } as const;
    const entries = (await store.log.read(finished, 0)).slice(0, 2);
    for (let index = 0; index < 1_200; index += 1) {
      await store.log.create({ ...left, taskId: `left ${index}` }, entries.slice(0, 1 + (index % 2)));
    }
    const next = createEngine({
      log: store.log,
      sessions: store.sessions,
      agent: {
        async *run() {
          yield say('nobody asked');
          return done;
        },
      },
      agentKind: 'test',
      judge: noJudge,
      logger: silent,
    });
    expect(await next.recover()).toBe(1_200);
    const [last] = (await settled({ principal: 'local', taskId: 'left 7' })).slice(-1);
    expect(last).toMatchObject({ state: 'failed', code: 'INTERRUPTED' });
    expect((await store.log.get(finished))?.state).toBe('completed');
    expect((await store.log.get(asked))?.state).toBe('input-required');
    expect(await next.recover()).toBe(0);
  });
});
