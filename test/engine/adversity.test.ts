import { describe, expect, test } from 'vitest';
import type { Line } from '../../src/domain/agent.js';
import { KediError } from '../../src/domain/errors.js';
import type { JsonText } from '../../src/domain/json.js';
import { createQueue } from '../../src/engine/queue.js';
import { Stop } from '../../src/engine/stop.js';
import { done, line, messageOf, order, pause, say, shape, stage } from './stage.js';

const nothing: Line = { raw: Buffer.alloc(0), channel: 'stdout', events: undefined };

describe('an agent that misbehaves', () => {
  test.each<[string, unknown]>([
    ['an object without a text', Object.create(null)],
    ['undefined', undefined],
    ['an error whose message is no text', Object.assign(new Error(), { message: Symbol('x') })],
  ])('may throw %s: its task fails, and the next of its context runs', async (_, thrown) => {
    const { engine, settled } = await stage({
      async *agent({ prompt }) {
        yield say('x');
        if (prompt === 'throw') throw thrown;
        return done;
      },
    });
    const record = await engine.submit(order('throw'));
    expect(shape(await settled(record))).toEqual(['message', 'run', 'line', 'failed AGENT_FAILED']);
    expect(shape(await settled(await engine.submit(order('next')))).at(-1)).toBe('completed');
    expect(engine.counts()).toEqual({ running: 0, pending: 0 });
  });

  test.each([undefined, (text: string) => text.replace('secret', '***')])(
    'may answer with what cannot be stored: its task fails, and so does nothing else (redacted: %s)',
    async (redact) => {
      const { engine, settled } = await stage({
        ...(redact !== undefined && { redact }),
        async *agent({ prompt }) {
          if (prompt === 'line') yield { ...nothing, events: [{ type: 'delta', text: wrong }] };
          await pause(1);
          return prompt === 'question' ? { kind: 'question', text: wrong } : done;
        },
      });
      for (const prompt of ['line', 'question']) {
        const record = await engine.submit(order(prompt));
        while (engine.counts().running > 0) await pause(5);
        const entries = await settled(record);
        expect(entries.at(-1)).toMatchObject({ type: 'state', state: 'failed' });
      }
      expect(engine.counts()).toEqual({ running: 0, pending: 0 });
    },
  );

  test('is stopped for what it says without words, in its answer, and in artifacts that are held back', async () => {
    const output = { text: schema, check: async () => ({ ok: true, json: schema }) as const };
    const structured = { schema, resultEncoding: 'json-utf8', output } as const;
    const { engine, settled } = await stage({
      bounds: { logBytes: 10_000 },
      async *agent({ prompt }) {
        while (prompt === 'lines') yield nothing;
        const part = { kind: 'text', text: 'x'.repeat(6_000) } as const;
        for (const artifactId of prompt === 'artifacts' ? ['a', 'b'] : []) {
          yield line({ type: 'artifact', artifactId, parts: [part], append: false, lastChunk: true });
          await pause(1);
        }
        if (prompt === 'artifacts') return { kind: 'json', document: '{}' };
        return { kind: 'text', text: 'x'.repeat(20_000) };
      },
    });
    for (const prompt of ['lines', 'text', 'artifacts']) {
      const typed = prompt === 'artifacts' ? { structured } : {};
      const entries = await settled(await engine.submit(order(prompt, typed)));
      expect(entries.at(-1)).toMatchObject({ state: 'failed', code: 'OUTPUT_TOO_LARGE' });
      expect(entries.length).toBeLessThan(1_000);
    }
  });

  test('cannot keep everyone else from their turn with what is not recorded', async () => {
    const { engine, settled } = await stage({
      bounds: { turnMs: 50, stopMs: 50, logBytes: 10_000 },
      stderr: 'drop',
      async *agent({ prompt, signal }) {
        const end = Date.now() + 3_000;
        const more = (): boolean => Date.now() < end;
        while (prompt === 'stderr' && more() && !signal.aborted) yield { ...nothing, channel: 'stderr' };
        try {
          while (more()) yield say('x'.repeat(1_000));
        } finally {
          while (more()) yield say('x');
        }
        return done;
      },
    });
    for (const prompt of ['stderr', 'much']) {
      const started = Date.now();
      await settled(await engine.submit(order(prompt, { contextId: prompt })));
      expect(Date.now() - started).toBeLessThan(2_000);
    }
  });

  test('cleans up whenever it comes back, even after it was left behind', async () => {
    let cleaned = false;
    const { engine } = await stage({
      bounds: { stopMs: 20 },
      async *agent() {
        try {
          await pause(150);
          yield say('late');
        } finally {
          cleaned = true;
        }
        return done;
      },
    });
    const record = await engine.submit(order('x'));
    await pause(20);
    await engine.cancel(record);
    expect(cleaned).toBe(false);
    await pause(300);
    expect(cleaned).toBe(true);
  });

  test.each([
    ['keep', 'It ended:\na secret of its own'],
    ['drop', 'It ended.'],
  ] as const)('is told with what it wrote on stderr only where that is shown (%s)', async (stderr, told) => {
    const { engine, settled } = await stage({
      stderr,
      async *agent() {
        yield* [];
        const details = { quiet: 'It ended.' };
        throw new KediError('AGENT_FAILED', 'It ended:\na secret of its own', details);
      },
    });
    const entries = await settled(await engine.submit(order('x')));
    expect(entries.at(-1)).toMatchObject({ code: 'AGENT_FAILED', text: told });
  });

  test('has its last words recorded with its failure, also where the store is away for a while', async () => {
    let away = false;
    const { engine, settled } = await stage({
      log: (log) => ({
        ...log,
        append: (key, entries, only) =>
          away
            ? Promise.reject(new KediError('STORE_UNAVAILABLE', 'The store is away.'))
            : log.append(key, entries, only),
      }),
      async *agent() {
        yield say('early');
        await pause(20);
        away = true;
        setTimeout(() => {
          away = false;
        }, 50);
        yield say('important');
        throw new Error('x');
      },
    });
    const record = await engine.submit(order('x'));
    const entries = await settled(record);
    expect(shape(entries)).toEqual(['message', 'run', 'line', 'line', 'failed AGENT_FAILED']);
  });
});

test('the words of a client are none of what an agent may write', async () => {
  const { engine, settled } = await stage({
    bounds: { logBytes: 10_000 },
    async *agent({ prompt }) {
      yield say('\u0001'.repeat(2_000));
      return prompt === 'end' ? done : { kind: 'question', text: 'Again?' };
    },
  });
  const record = await engine.submit(order('x'.repeat(30_000)));
  await settled(record);
  await engine.answer(record, order('end', { message: messageOf([{ kind: 'text', text: 'end' }]) }));
  expect(shape(await settled(record)).at(-1)).toBe('completed');
});

test('a turn whose end is still to be written gives its slot to another context, and not to its own', async () => {
  const queue = createQueue({ concurrency: 1, pending: 10, changed: () => {} });
  const [one, next, other] = ['a', 'a', 'b'].map((context) => queue.enter(context));
  await one?.turn(new Stop());
  expect([next?.isWaiting(), other?.isWaiting()]).toEqual([true, true]);
  one?.rest();
  expect([next?.isWaiting(), other?.isWaiting()]).toEqual([true, false]);
  other?.leave();
  expect(next?.isWaiting()).toBe(true);
  one?.leave();
  expect(next?.isWaiting()).toBe(false);
  next?.leave();
  expect(queue.counts()).toEqual({ running: 0, pending: 0 });
});

test('a turn that is given up while it waits never takes a slot', async () => {
  const queue = createQueue({ concurrency: 1, pending: 10, changed: () => {} });
  const [one, two, three] = ['a', 'b', 'c'].map((context) => queue.enter(context));
  const stop = new Stop();
  await one?.turn(stop);
  two?.rest();
  one?.leave();
  await three?.turn(stop);
  expect(queue.counts()).toEqual({ running: 1, pending: 0 });
  two?.leave();
  three?.leave();
  expect(queue.counts()).toEqual({ running: 0, pending: 0 });
});

const schema = '{}' as JsonText;

/** What no type allows, and a module can give nevertheless. */
const wrong = 5n as unknown as string;
