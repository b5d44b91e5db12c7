import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore, type Store } from '../../src/store/index.js';
import { type Subject, type SubjectOptions, storeContract } from './contract.js';
import { ended, opening, taskOf } from './samples.js';
import { silent } from './silent.js';

async function subject({ appended, ...options }: SubjectOptions): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'kedi-store-'));
  const open = (): Promise<Store> =>
    openStore({
      ...options,
      directory,
      durability: 'normal',
      logger: silent,
      ...(appended !== undefined && { observer: { appended } }),
    });
  let store = await open();
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async end() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

storeContract('a SQLite store', subject);

test('a SQLite store can be read by nobody but its own user, whatever the directory', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'kedi-store-'));
  const store = await openStore({ directory, durability: 'normal', logger: silent });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  await store.log.create(taskOf({ principal: 'local', taskId: 'task' }), [opening(1)]);
  const files = readdirSync(directory).filter((name) => name.startsWith('store.db'));
  expect(files).toContain('store.db-wal');
  for (const name of files) expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
});

test('a SQLite store shows nothing before it is durable', async () => {
  const made = await subject({});
  onTestFinished(made.end);
  const { log } = made.store;
  const key = { principal: 'local', taskId: 'task' };
  const created = log.create(taskOf(key), [opening(1)]);
  expect(await log.get(key)).toBeUndefined();
  expect(await log.read(key, 0)).toEqual([]);
  await created;
  expect((await log.get(key))?.length).toBe(1);
  const appended = log.append(key, [ended(5)]);
  expect((await log.get(key))?.state).toBe('submitted');
  expect(await log.read(key, 1)).toEqual([]);
  await appended;
  expect((await log.get(key))?.state).toBe('completed');
});
