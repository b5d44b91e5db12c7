import { expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { createAppends } from '../../src/store/appends.js';
import type { Unit } from '../../src/store/commits.js';
import { createLives } from '../../src/store/live.js';
import { ended, opening, said, taskOf } from './samples.js';

test('what could not be written takes nothing with it of what was given later, and nothing comes after an end', async () => {
  const units: Unit[] = [];
  const lives = createLives();
  const log = createAppends({
    lives,
    load: async (key) => lives.get(key),
    statements: new Proxy({} as never, { get: () => ({ sql: '' }) }),
    commits: {
      add: (unit) => void units.push(unit),
      write: async () => {},
      trouble: () => undefined,
      close: async () => {},
    },
    shared: false,
    home: '',
    observer: {},
  });
  const key = { principal: 'local', taskId: 'task' };
  const commit = (unit: Unit | undefined): void => {
    unit?.steps();
    unit?.committed();
  };

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
