import { expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import type { TaskLog } from '../../src/domain/ports.js';
import { order, say, shape, stage, untilAborted } from './stage.js';

const unavailable = new KediError('STORE_UNAVAILABLE', 'The store cannot be written: the disk is full.');

test('a cancel is refused while the end of the task cannot be written, which is written as soon as it can be', async () => {
  let full = false;
  let tries = 0;
  const { engine, settled, store } = await stage({
    log: (stored): TaskLog => ({
      ...stored,
      async append(...given) {
        if (!full) return await stored.append(...given);
        tries += 1;
        throw unavailable;
      },
    }),
    async *agent({ signal }) {
      yield say('x');
      return await untilAborted(signal);
    },
  });
  const record = await engine.submit(order('wait'));
  await store.log.grown(record, 2, new AbortController().signal);
  full = true;
  // Who comes before it has been tried, and who comes later.
  const first = [engine.cancel(record), engine.cancel(record)];
  for (const refused of await Promise.allSettled(first)) {
    expect(refused).toEqual({ status: 'rejected', reason: unavailable });
  }
  const tried = tries;
  await expect(engine.cancel(record)).rejects.toBe(unavailable);
  expect(tries).toBe(tried);
  expect(await store.log.get(record)).toMatchObject({ state: 'working' });

  full = false;
  expect(shape(await settled(record))).toEqual(['message', 'run', 'line', 'canceled CANCELED']);
  await expect(engine.cancel(record)).rejects.toMatchObject({ code: 'TASK_NOT_CANCELABLE' });
  expect(engine.counts()).toEqual({ running: 0, pending: 0 });
});
