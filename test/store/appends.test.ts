import { expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { createAppends } from '../../src/store/appends.js';
import type { Unit } from '../../src/store/commits.js';
import { createLives } from '../../src/store/live.js';
import { ended, opening, said, taskOf } from './samples.js';

/** The writing half of a log, whose transactions the test carries out itself. */
function stage({ shared }: { readonly shared: boolean }) {
  const units: Unit[] = [];
  const lives = createLives();
  const log = createAppends({
    lives,
    withLive: async (key, use) => use(lives.get(key)),
    statements: new Proxy({} as never, { get: () => ({ sql: '' }) }),
    commits: {
      add: (unit) => void units.push(unit),
      write: async () => {},
      trouble: () => undefined,
      close: async () => {},
    },
    shared,
    home: '',
    observer: {},
  });
  const commit = (unit: Unit | undefined): void => {
    unit?.steps();
    unit?.committed();
  };
  return { units, lives, log, commit };
}

const key = { principal: 'local', taskId: 'task' };

test('what comes too late for an end that somebody else wrote fails alone, and nobody who follows', async () => {
  const { units, lives, log, commit } = stage({ shared: true });
  const created = log.create(taskOf(key), [opening(0)]);
  commit(units.shift());
  await created;
  const live = lives.get(key);
  const told: unknown[] = [];
  live?.waiters.add({ length: 2, wake: () => told.push('woken'), fail: (error) => told.push(error) });

  const late = log.append(key, [said(1, 'late')]);
  if (live !== undefined) lives.renew(live, { ...live.record, state: 'completed', length: 2 });
  const unit = units.shift();
  expect(() => unit?.steps()).toThrow('has ended');
  unit?.failed(new KediError('INTERNAL', 'The task has ended.'));
  await expect(late).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(new Set(told)).toEqual(new Set(['woken']));
});

test('what could not be written takes nothing with it of what was given later, and nothing comes after an end', async () => {
  const { units, lives, log, commit } = stage({ shared: false });
  const created = log.create(taskOf(key), [opening(0)]);
  commit(units.shift());
  await created;

  const lost = log.append(key, [said(1, 'lost')]);
  const first = units.shift();
  first?.steps();
  const last = log.append(key, [ended(2)]);
  first?.failed(new KediError('STORE_UNAVAILABLE', 'The store is away.'));
  await expect(lost).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await expect(log.append(key, [said(3, 'too late')])).rejects.toThrow('has ended');
  commit(units.shift());
  await last;
  expect(lives.get(key)?.record.state).toBe('completed');
});
