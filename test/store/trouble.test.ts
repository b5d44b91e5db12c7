import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { follow } from '../../src/domain/follow.js';
import type { Entry, TaskKey } from '../../src/domain/task.js';
import { openStore, type Store } from '../../src/store/index.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ended, opening, said, taskOf } from './samples.js';
import { silent } from './silent.js';

const key = { principal: 'local', taskId: 'task' };

async function open(directory: string, durability: 'normal' | 'full' = 'normal'): Promise<Store> {
  const store = await openStore({ directory, durability, logger: silent });
  onTestFinished(() => store.close());
  return store;
}

async function readAll(log: Store['log'], task: TaskKey): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const more = await log.read(task, entries.length);
    if (more.length === 0) return entries;
    entries.push(...more);
  }
}

/** A disk of its own, of one megabyte; undefined where this process may not mount one. */
async function smallDisk(): Promise<string | undefined> {
  const directory = await temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory], { stdio: 'ignore' });
  });
  return directory;
}

test('a full disk is told in a sentence, followers are not left waiting, and space makes it well again', async ({
  skip,
}) => {
  const directory = await smallDisk();
  if (directory === undefined) return skip('this process may not mount a small disk');
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  const follower = (async () => {
    for await (const _ of follow(store.log, key, { signal: new AbortController().signal }));
  })();
  follower.catch(() => {});

  let written = 0;
  const fill = async (text: string) => {
    for (; written < 1_000; written += 1) await store.log.append(key, [said(written + 1, text)]);
  };
  const full = { code: 'STORE_UNAVAILABLE', message: 'The store cannot be written: the disk is full.' };
  await expect(fill('x'.repeat(20_000))).rejects.toMatchObject(full);
  expect(written).toBeGreaterThan(5);
  await expect(follower).rejects.toMatchObject(full);
  // Something small may still find its place.
  await expect(fill('x')).rejects.toMatchObject(full);
  expect(await store.check()).toEqual({ ok: false, reason: full.message });
  // What was acknowledged is there, and can be read.
  expect((await store.log.get(key))?.length).toBe(written + 1);
  expect((await store.log.read(key, written)).map((entry) => entry.at)).toEqual([written]);

  execFileSync('mount', ['-o', 'remount,size=16m', directory]);
  expect(await store.check()).toEqual({ ok: true });
  await store.log.append(key, [ended(written + 1)]);
  expect((await store.log.get(key))?.state).toBe('completed');
});

test('a disk that others have filled stays red until there is room again, and a start on it says that it is full', async ({
  skip,
}) => {
  const directory = await smallDisk();
  if (directory === undefined) return skip('this process may not mount a small disk');
  execFileSync('mount', ['-o', 'remount,size=3m', directory]);
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  // What is written ahead leaves its room behind: enough here for something small, and for nothing more.
  const other = new Libsql(join(directory, 'store.db'));
  other.pragma('wal_checkpoint(truncate)');
  await store.log.append(key, [said(1, 'x'.repeat(40_000))]);
  other.pragma('wal_checkpoint(restart)');
  other.close();
  const filler = join(directory, 'filler');
  const fill = () =>
    expect(() =>
      execFileSync('sh', ['-c', 'exec cat /dev/zero > "$0"', filler], { stdio: 'ignore' }),
    ).toThrow();
  fill();
  const full = { code: 'STORE_UNAVAILABLE', message: 'The store cannot be written: the disk is full.' };
  await expect(store.log.append(key, [said(2, 'x'.repeat(500_000))])).rejects.toMatchObject(full);
  for (let times = 0; times < 3; times += 1)
    expect(await store.check()).toEqual({ ok: false, reason: full.message });

  rmSync(filler);
  expect(await store.check()).toEqual({ ok: true });
  await store.log.append(key, [ended(2)]);
  await store.close();
  // A copy, since this process may hold on to what connections to the first share.
  const copy = join(directory, 'copy');
  mkdirSync(copy);
  copyFileSync(join(directory, 'store.db'), join(copy, 'store.db'));
  fill();
  await expect(open(copy)).rejects.toMatchObject(full);
});

test('a store locked by another program is waited for, red meanwhile, and loses nothing', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  const other = new Libsql(join(directory, 'store.db'));
  other.exec('begin immediate');
  // It is durable, and nobody has to wait for the other program but those who read what only the database has.
  await store.log.append(key, [said(1, 'meanwhile')]);
  const listed = store.log.list({ principal: 'local', limit: 1 });
  expect(await store.check()).toEqual({ ok: false, reason: 'The store is locked by another program.' });
  const ending = store.log.append(key, [ended(2)]);
  expect((await store.log.get(key))?.length).toBe(2);
  other.exec('rollback');
  other.close();
  await ending;
  expect((await listed).total).toBe(1);
  expect((await store.log.get(key))?.state).toBe('completed');
  expect(await store.check()).toEqual({ ok: true });
});

test('loses nothing of a task that leaves memory while one turn is written in several pieces', async () => {
  const { log } = await open(await temporaryDirectory(), 'full');
  const make = async (name: string) => {
    const task = { ...key, taskId: name };
    await log.create(taskOf(task), [opening(0)]);
    return task;
  };
  const many = (name: string, count: number) =>
    Promise.all(Array.from({ length: count }, (_, index) => make(`${name} ${index}`)));
  const small = await many('small', 8);
  const large = (await many('large', 24)).map((task) => log.append(task, [said(1, 'x'.repeat(500_000))]));
  const others = many('other', 100);
  const first = small.map((task) => log.append(task, [said(1, 'a')]));
  await large[0];
  const second = small.map((task) => log.append(task, [said(2, 'b')]));
  await Promise.all([...large, others, ...first, ...second]);
  for (const task of small) await log.append(task, [ended(3)]);
  for (const task of small) {
    expect((await readAll(log, task)).map(({ at }) => at)).toEqual([0, 1, 2, 3]);
  }
});

test('nothing is lost of a task that many ask for while another program locks the store', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  const { log } = store;
  let made = 0;
  const make = async () => {
    made += 1;
    const task = { principal: 'local', taskId: `${made}`.padStart(6, '0') };
    await log.create(taskOf(task), [opening(0)]);
    return task;
  };
  const many = () => Promise.all(Array.from({ length: 200 }, make));
  for (let round = 0; round < 10; round += 1) {
    const other = new Libsql(join(directory, 'store.db'));
    other.exec('begin immediate');
    const task = await make();
    // Out of memory, and not in the database yet: whoever asks for it waits, each in his own step.
    await many();
    const asked: Promise<void>[] = [];
    for (let count = 0; count < 12; count += 1) {
      asked.push(log.grown(task, 1, new AbortController().signal));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const appended = log.append(task, [said(1, 'while it is locked')]).then(many);
    await new Promise((resolve) => setTimeout(resolve, 10 + 2 * round));
    other.exec('rollback');
    other.close();
    await appended;
    await Promise.all(asked);
    for (const at of [2, 3]) await log.append(task, [said(at, 'later')]);
    await log.append(task, [ended(4)]);
    await store.check();
    const entries = await readAll(log, task);
    expect(entries.map(({ at }) => at)).toEqual([0, 1, 2, 3, 4]);
  }
});

test('a program that locks the store for a while holds up nobody who writes, wherever in a journal that is', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  let at = 0;
  const write = (length: number) => {
    at += 1;
    return store.log.append(key, [said(at, 'x'.repeat(length))]);
  };
  // So far that the next few go on in another file.
  for (let count = 0; count < 7; count += 1) await write(1_000_000);
  await store.log.list({ principal: 'local', limit: 1 });
  const other = new Libsql(join(directory, 'store.db'));
  other.exec('begin immediate');
  for (let count = 0; count < 5; count += 1) {
    await write(1_000_000);
    // Longer than it gathers: it is tried meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  const again = { ...key, taskId: 'again' };
  await store.log.create(taskOf(again), [opening(0)]);
  await expect(store.log.create(taskOf(again), [opening(0)])).rejects.toMatchObject({ code: 'INTERNAL' });
  other.exec('rollback');
  other.close();
  expect((await store.log.list({ principal: 'local', limit: 9 })).total).toBe(2);
  expect((await readAll(store.log, key)).length).toBe(at + 1);
  expect(await store.check()).toEqual({ ok: true });
});

test('a store is opened though another program holds a lock on it for a moment', async () => {
  const directory = await temporaryDirectory();
  await (await openStore({ directory, durability: 'normal', logger: silent })).close();
  const other = new Libsql(join(directory, 'store.db'));
  other.exec('begin immediate');
  const opened = open(directory);
  await new Promise((resolve) => setTimeout(resolve, 200));
  other.exec('rollback');
  other.close();
  const store = await opened;
  expect(await store.check()).toEqual({ ok: true });
});

test('what cannot be locked is told in a sentence', async () => {
  const directory = await temporaryDirectory();
  mkdirSync(join(directory, 'lock'));
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `The data directory ${directory} cannot be locked.`,
  });
});

test('a store that stays locked is refused in a sentence', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  const other = new Libsql(join(directory, 'store.db'));
  onTestFinished(() => {
    other.exec('rollback');
  });
  other.exec('begin immediate');
  await store.log.append(key, [said(1, 'the last')]);
  const locked = { code: 'STORE_UNAVAILABLE', message: 'The store is locked by another program.' };
  await expect(store.log.list({ principal: 'local', limit: 1 })).rejects.toMatchObject(locked);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await expect(store.log.append(key, [ended(2)])).rejects.toMatchObject(locked);
});

test('a file that is no database, and a directory that cannot be made, are told in a sentence', async () => {
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, 'store.db'), 'this is not a database, whatever its name says'.repeat(100));
  await expect(open(directory)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: 'The store is damaged: it is not a database that can be read.',
  });
  await expect(open(join(directory, 'store.db', 'below'))).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
  });
});

test('a directory that the kernel makes nowhere is refused, and not tried for ever', async ({ skip }) => {
  if (process.platform !== 'linux') return skip('only Linux has such a place, /proc');
  await expect(open('/proc/kedi/data')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining('cannot be made or used'),
  });
});

test('the store of a newer version is left alone', async () => {
  const directory = await temporaryDirectory();
  await (await openStore({ directory, durability: 'normal', logger: silent })).close();
  const database = new Libsql(join(directory, 'store.db'));
  database.exec("insert into kysely_migration values ('999-later', '2030-01-01')");
  database.close();
  const refused = await open(directory).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(String(refused)).toContain('written by a newer version of this program');
});

test('a refused start does not keep the data directory', async () => {
  const directory = await temporaryDirectory();
  writeFileSync(join(directory, 'store.db'), 'not a database'.repeat(1_000));
  await expect(open(directory)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  writeFileSync(join(directory, 'store.db'), '');
  await open(directory);
});

test('what is stored is for its owner only', async () => {
  const directory = join(await temporaryDirectory(), 'data');
  const store = await open(directory);
  await store.log.create(taskOf(key), [opening(0)]);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(directory).filter((file) => file.startsWith('store.db'))) {
    expect([name, statSync(join(directory, name)).mode & 0o777]).toEqual([name, 0o600]);
  }
});

test('a workspace that no context has, left by a crash, goes at the next start', async () => {
  const directory = await temporaryDirectory();
  mkdirSync(join(directory, 'work', 'orphan', 'deep'), { recursive: true });
  const store = await openStore({ directory, durability: 'normal', logger: silent });
  const kept = (await store.sessions.open({ principal: 'local', contextId: 'c' }, 'demo')).workspace();
  await store.close();
  expect(existsSync(join(directory, 'work', 'orphan'))).toBe(false);
  await open(directory);
  expect(existsSync(kept)).toBe(true);
});

test('a workspace that cannot be made is told in a sentence', async () => {
  const directory = await temporaryDirectory();
  const store = await open(directory);
  const session = await store.sessions.open({ principal: 'local', contextId: 'c' }, 'demo');
  chmodSync(join(directory, 'work'), 0o700);
  execFileSync('rmdir', [join(directory, 'work')]);
  writeFileSync(join(directory, 'work'), 'a file in its place');
  expect(() => session.workspace()).toThrow('The workspace of this context cannot be made.');
});
