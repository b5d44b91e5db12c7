import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Logger } from '../../src/domain/ports.js';
import type { Entry } from '../../src/domain/task.js';
import { openConnection } from '../../src/store/connection.js';
import { openStore, type Store } from '../../src/store/index.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ended, opening, plain, said, taskOf } from './samples.js';
import { silent } from './silent.js';

/** The threads that were started, so that one can be lost. */
const threads = vi.hoisted((): Worker[] => []);
vi.mock('node:worker_threads', async (original) => {
  const module = await original<typeof import('node:worker_threads')>();
  class Watched extends module.Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      threads.push(this);
    }
  }
  return { ...module, Worker: Watched };
});

const key = { principal: 'local', taskId: 'task' };

async function open(directory: string, logger: Logger = silent): Promise<Store> {
  const store = await openStore({ directory, durability: 'normal', logger });
  onTestFinished(() => store.close());
  return store;
}

async function readAll({ log }: Store, of = key): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const more = await log.read(of, entries.length);
    if (more.length === 0) return entries;
    entries.push(...more);
  }
}

const journals = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('journal-'));

/** The data directory of a server that was killed before anything of its journal was taken over. */
async function killed(entries: readonly Entry[]): Promise<string> {
  const directory = await temporaryDirectory();
  const copy = join(await temporaryDirectory(), 'copy');
  const store = await open(directory);
  const { log } = store;
  await log.create(taskOf(key), [opening(0)]);
  for (const entry of entries) await log.append(key, [entry]);
  // No turn of the event loop between the last write and the copy.
  cpSync(directory, copy, { recursive: true });
  await store.close();
  expect(journals(directory)).toEqual([]);
  expect(journals(copy)).toHaveLength(1);
  return copy;
}

test('what was durable when the server was killed is there after the next start, and its journal is gone', async () => {
  const entries = [said(1, '78.0'), said(2, '9007199254740993'), ended(3)];
  const directory = await killed(entries);
  const store = await open(directory);
  expect(journals(directory)).toEqual([]);
  expect(plain(await readAll(store))).toEqual(plain([opening(0), ...entries]));
  expect(await store.log.get(key)).toMatchObject({ state: 'completed', updatedAt: 3, length: 4 });
  // And again, when nothing is left to be taken over.
  await store.close();
  expect(await readAll(await open(directory))).toHaveLength(4);
});

test('the journal of another store is refused, and stays as it is', async () => {
  const refused = {
    code: 'STORE_UNAVAILABLE',
    message: 'The store cannot be used: the journal in the data directory goes on from another store.db.',
  };
  const directory = await killed([ended(1)]);
  const [journal = ''] = journals(directory);
  // Of one that has never been written to, and of one that has come as far.
  for (const other of [undefined, await killed([said(1, 'x'), ended(2)])]) {
    const beside = await temporaryDirectory();
    if (other !== undefined) cpSync(other, beside, { recursive: true });
    for (const name of journals(beside)) rmSync(join(beside, name));
    cpSync(join(directory, journal), join(beside, journal));
    for (let times = 0; times < 2; times += 1) {
      await expect(open(beside)).rejects.toMatchObject(refused);
      expect(journals(beside)).toEqual([journal]);
    }
  }
  expect(await readAll(await open(directory))).toHaveLength(2);
});

test('a journal makes up for all that SQLite had not synced when the power went', async () => {
  const directory = await temporaryDirectory();
  const store = await openStore({ directory, durability: 'full', logger: silent });
  await store.log.create(taskOf(key), [opening(0)]);
  // The tables, and whose the journal is, which nothing makes up for.
  const synced = statSync(join(directory, 'store.db-wal')).size;
  await store.log.append(key, [ended(1)]);
  await store.log.list({ principal: 'local', limit: 1 });
  expect(statSync(join(directory, 'store.db-wal')).size).toBeGreaterThan(synced);
  const copy = join(await temporaryDirectory(), 'copy');
  cpSync(directory, copy, { recursive: true });
  await store.close();
  rmSync(join(copy, 'store.db-shm'));
  truncateSync(join(copy, 'store.db-wal'), synced);
  expect(await readAll(await open(copy))).toHaveLength(2);
});

test('what is written past the journal is synced', async () => {
  const { openSqlite } = await import('../../src/store/sqlite.js');
  const directory = await temporaryDirectory();
  const database = await openSqlite({ directory, durability: 'full', logger: silent });
  expect(await database.query({ sql: 'pragma synchronous' }, [])).toEqual([{ synchronous: 2 }]);
  await database.close();
});

test('what is whole of a journal is there, and what was not written to its end is said to be left out', async () => {
  const directory = await killed([said(1, 'whole'), ended(2)]);
  const [name = ''] = journals(directory);
  truncateSync(join(directory, name), statSync(join(directory, name)).size - 1);
  const warnings: unknown[] = [];
  const store = await open(directory, { ...silent, warn: (...said) => warnings.push(said) });
  expect((await readAll(store)).map(({ at }) => at)).toEqual([0, 1]);
  expect(warnings).toEqual([
    ['the last of what was written was not written whole, and is left out', { bytes: expect.any(Number) }],
  ]);
  expect(journals(directory)).toEqual([]);
  await store.log.append(key, [ended(3)]);
  await store.close();
  expect((await readAll(await open(directory))).map(({ at }) => at)).toEqual([0, 1, 3]);
});

test('a journal that is damaged is set aside, and what is whole before that place is there', async () => {
  const directory = await killed([said(1, 'whole'), ended(2)]);
  const [name = ''] = journals(directory);
  const bytes = readFileSync(join(directory, name));
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 5) ^ 1, bytes.length - 5);
  writeFileSync(join(directory, name), bytes);
  const warnings: unknown[] = [];
  const store = await open(directory, { ...silent, warn: (...said) => warnings.push(said) });
  expect((await readAll(store)).map(({ at }) => at)).toEqual([0, 1]);
  expect(warnings).toEqual([
    [
      'the last of what was written was not written whole, and is left out',
      { bytes: expect.any(Number), files: `${name}.damaged` },
    ],
  ]);
  expect(readFileSync(join(directory, `${name}.damaged`))).toEqual(bytes);
});

test('of a journal only what has not been taken over is kept while a server runs', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  for (let at = 1; at <= 100; at += 1) await store.log.append(key, [said(at, 'x'.repeat(500_000))]);
  await store.log.list({ principal: 'local', limit: 1 });
  expect(journals(directory).length).toBeLessThanOrEqual(3);
  expect((await readAll(store)).length).toBe(101);
});

test('what is in the database already does not keep the rest of a journal out of it', async () => {
  const directory = await killed([ended(1)]);
  const connection = openConnection(join(directory, 'store.db'), 'normal');
  connection.run("insert into log values ('local', 'task', 0, 1, '[]')", []);
  connection.close();
  const errors: unknown[] = [];
  const store = await open(directory, { ...silent, error: (...said) => errors.push(said) });
  expect(errors).toEqual([['what was to be stored was there already', { steps: 1 }]]);
  expect(await store.log.get(key)).toMatchObject({ state: 'completed' });
});

test('a thread that is lost is replaced, and nothing with it', async () => {
  threads.length = 0;
  const directory = await temporaryDirectory();
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  for (let at = 1; at < 50; at += 1) {
    await store.log.append(key, [said(at, `${at}`)]);
    if (at % 10 === 0) void threads.at(-1)?.terminate();
    if (at % 7 === 0) await store.log.list({ principal: 'local', limit: 1 }).catch(() => {});
  }
  expect(threads.length).toBeGreaterThan(2);
  await store.log.append(key, [ended(50)]);
  await store.close();
  const again = await open(directory);
  expect((await readAll(again)).map(({ at }) => at)).toEqual(Array.from({ length: 51 }, (_, at) => at));
});

test('a directory in place of the database is told in a sentence', async () => {
  const directory = await temporaryDirectory();
  mkdirSync(join(directory, 'store.db'));
  await expect(open(directory)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
});
