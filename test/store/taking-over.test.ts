import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import Libsql from 'libsql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openStore, type Store } from '../../src/store/index.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ended, opening, said, taskOf } from './samples.js';
import { silent } from './silent.js';

vi.mock('node:worker_threads', async (original) => {
  const module = await original<typeof import('node:worker_threads')>();
  class Watched extends module.Worker {
    constructor(...[, options]: ConstructorParameters<typeof Worker>) {
      super(new URL('./watched-worker.mjs', import.meta.url), options);
    }
  }
  return { ...module, Worker: Watched };
});

const key = { principal: 'local', taskId: 'task' };

async function open(directory: string): Promise<Store> {
  const store = await openStore({ directory, durability: 'normal', logger: silent });
  onTestFinished(() => store.close());
  return store;
}

const journals = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('journal-'));

test('a file of the journal is removed when what was taken over from it is synced, and not before', async () => {
  const parent = await temporaryDirectory();
  const directory = join(parent, 'data');
  const killed = join(parent, 'killed');
  const removed = (from: string) => readFileSync(`${from}.watched`, 'utf8').trim().split('\n');
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  // Each fills a file, and two are enough for a sync.
  for (const at of [1, 2]) {
    await store.log.append(key, [said(at, 'x'.repeat(9 * 1024 * 1024))]);
    await store.log.list({ principal: 'local', limit: 1 });
  }
  expect(removed(directory)).toEqual(['synced']);
  await store.log.append(key, [ended(3)]);
  cpSync(directory, killed, { recursive: true });
  await store.close();
  expect(removed(directory)).toEqual(['synced', 'synced', 'synced']);

  expect(journals(killed)).toHaveLength(2);
  expect(await (await open(killed)).log.get(key)).toMatchObject({ state: 'completed', length: 4 });
  expect(removed(killed)).toEqual(['synced', 'synced']);
});

test('what fails halfway through taking over is undone, and taken over when it can be', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  const first = { ...key, taskId: 'first' };
  await store.log.create(taskOf(first), [opening(0)]);
  expect((await store.log.list({ principal: 'local', limit: 9 })).total).toBe(1);
  const other = new Libsql(join(directory, 'store.db'));
  onTestFinished(() => {
    other.close();
  });
  other.exec('alter table log rename to elsewhere');
  await store.log.create(taskOf(key), [opening(0), ended(1)]);
  await expect(store.log.list({ principal: 'local', limit: 9 })).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('no such table'),
  });
  expect(other.prepare('select id from tasks').all()).toEqual([{ id: 'first' }]);

  other.exec('alter table elsewhere rename to log');
  expect(await store.check()).toEqual({ ok: true });
  expect((await store.log.list({ principal: 'local', limit: 9 })).total).toBe(2);
  expect((await store.log.read(key, 0)).map(({ at }) => at)).toEqual([0, 1]);
});
