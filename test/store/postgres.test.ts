import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { follow } from '../../src/domain/follow.js';
import type { Entry } from '../../src/domain/task.js';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.js';
import { storeContract } from './contract.js';
import { startPostgres } from './postgres-server.js';
import { ended, opening, said, taskOf } from './samples.js';
import { silent } from './silent.js';

const server = await startPostgres();
if (typeof server === 'string') {
  test.skip(`a store in PostgreSQL: ${server}`, () => {});
} else {
  afterAll(() => server.stop());

  const openOn = async (url: string, options: Partial<StoreOptions> = {}) => {
    const directory = mkdtempSync(join(tmpdir(), 'kedi-store-'));
    const open = (): Promise<Store> =>
      openStore({ directory, database: { url }, durability: 'normal', logger: silent, ...options });
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
  };

  storeContract('a PostgreSQL store', async ({ appended, ...options }) =>
    openOn(await server.database(), {
      ...options,
      ...(appended !== undefined && { observer: { appended } }),
    }),
  );

  describe('two servers on one PostgreSQL store', () => {
    const key = { principal: 'local', taskId: 'task' };
    const two = async () => {
      const url = await server.database();
      const [one, other] = await Promise.all([openOn(url), openOn(url)]);
      onTestFinished(async () => {
        await one.end();
        await other.end();
      });
      return [one.store, other.store] as const;
    };

    test('follow each other live, without a gap', async () => {
      const [one, other] = await two();
      await one.log.create(taskOf(key), [opening(0)]);
      const followed = Promise.all(
        [0, 3, 7].map(async (from) => {
          const heard: number[] = [];
          for await (const entries of follow(other.log, key, { from, signal: AbortSignal.timeout(10_000) })) {
            heard.push(...entries.map((entry) => entry.at));
          }
          return heard;
        }),
      );
      for (let at = 1; at < 200; at += 1) {
        await one.log.append(key, [said(at, 'x')]);
        if (at === 100) await new Promise((resolve) => setTimeout(resolve, 50));
      }
      await one.log.append(key, [ended(200)]);
      const all = Array.from({ length: 201 }, (_, at) => at);
      expect(await followed).toEqual([all, all.slice(3), all.slice(7)]);
      expect((await other.log.get(key))?.state).toBe('completed');
    });

    test('never both write the same place of a log: who is late goes on after the other', async () => {
      const [one, other] = await two();
      await one.log.create(taskOf(key), [opening(0)]);
      await other.log.append(key, [said(1, 'other')]);
      await one.log.append(key, [said(2, 'one')]);
      expect((await other.log.read(key, 0)).map((entry) => entry.at)).toEqual([0, 1, 2]);
      const all = Array.from({ length: 50 }, (_, index) => index + 3);
      const followed = [one, other].map(async ({ log }) => {
        const heard: number[] = [];
        for await (const entries of follow(log, key, { from: 3, signal: AbortSignal.timeout(10_000) })) {
          heard.push(...entries.map((entry) => entry.at));
        }
        return heard;
      });
      await Promise.all(all.map((at) => (at % 2 === 0 ? one : other).log.append(key, [said(at, 'x')])));
      await other.log.append(key, [ended(53)]);
      const [written = [], again] = await Promise.all(followed);
      expect(again).toEqual(written);
      expect(written.at(-1)).toBe(53);
      for (const rest of [0, 1]) {
        expect(written.slice(0, -1).filter((at) => at % 2 === rest)).toEqual(
          all.filter((at) => at % 2 === rest),
        );
      }
    });

    test('never write beyond an end that the other wrote, and whoever follows sees that end', async () => {
      const [one, other] = await two();
      for (let round = 0; round < 20; round += 1) {
        const of = { principal: 'local', taskId: `task ${round}` };
        await one.log.create(taskOf(of), [opening(0)]);
        const followed = [one, other].map(async ({ log }) => {
          const heard: Entry[] = [];
          const signal = AbortSignal.timeout(10_000);
          for await (const entries of follow(log, of, { signal })) heard.push(...entries);
          return heard;
        });
        const ends = await Promise.allSettled([
          one.log.append(of, [said(1, 'x'), ended(2)]),
          other.log.append(of, [ended(3)]),
        ]);
        expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        const [here = [], there] = await Promise.all(followed);
        expect(there).toEqual(here);
        expect(here.filter(({ type }) => type === 'state')).toEqual([here.at(-1)]);
      }
    });

    test('take one answer to a question, and whoever took it has the task', async () => {
      const [one, other] = await two();
      const question = { type: 'state', at: 1, state: 'input-required', text: '?' } as const;
      await one.log.create(taskOf(key), [opening(0), question]);
      const answers = await Promise.allSettled(
        [one, other].map(({ log }) => log.append(key, [opening(2)], { after: 2 })),
      );
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const holders = await Promise.all([one, other].map(({ log }) => log.unfinished(['submitted'])));
      expect(holders.map((records) => records.length)).toEqual(
        answers.map(({ status }) => (status === 'fulfilled' ? 1 : 0)),
      );
    });

    test('each recover only what they ran themselves', async () => {
      const [one, other] = await two();
      await one.log.create(taskOf({ taskId: 'of one' }), [opening(0)]);
      await other.log.create(taskOf({ taskId: 'of other' }), [opening(0)]);
      expect((await one.log.unfinished(['submitted'])).map(({ taskId }) => taskId)).toEqual(['of one']);
      expect((await other.log.unfinished(['submitted'])).map(({ taskId }) => taskId)).toEqual(['of other']);
    });
  });

  test('a connection that breaks within a transaction fails that one, and neither the store nor the process', async () => {
    const url = await server.database();
    const { store, end } = await openOn(url);
    const locker = new pg.Client({ connectionString: url });
    const breaker = new pg.Client({ connectionString: url });
    await Promise.all([locker.connect(), breaker.connect()]);
    try {
      const key = { principal: 'local', taskId: 'task' };
      await store.log.create(taskOf(key), [opening(0)]);
      await locker.query('begin');
      await locker.query('lock table log, webhooks in access exclusive mode');
      const appended = store.log.append(key, [said(1, 'lost')]).catch((error: unknown) => error);
      const listed = store.log.list({ principal: 'local', limit: 1 }).catch((error: unknown) => error);
      const hooks = store.webhooks.list(key).catch((error: unknown) => error);
      const breakThem = `
        select pid, pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      let settled = false;
      const all = Promise.all([appended, listed, hooks]).finally(() => {
        settled = true;
      });
      while (!settled) await breaker.query(breakThem);
      for (const failed of await all) expect(failed).toMatchObject({ code: 'STORE_UNAVAILABLE' });
      await locker.query('rollback');
      await store.log.append(key, [said(2, 'kept')]);
      expect((await store.log.read(key, 0)).map((entry) => entry.at)).toEqual([0, 2]);
    } finally {
      await Promise.all([locker.end(), breaker.end()]);
      await end();
    }
  });

  test('a connection that failed one user is not handed to the next, however soon that one comes', async () => {
    const url = await server.database();
    const { store, end } = await openOn(url);
    const locker = new pg.Client({ connectionString: url });
    const breaker = new pg.Client({ connectionString: url });
    await Promise.all([locker.connect(), breaker.connect()]);
    const breakThem = `
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    const key = { principal: 'local', taskId: 'none' };
    const reads = {
      log: () => store.log.get(key),
      list: () => store.log.list({ principal: 'local', limit: 1 }),
    };
    try {
      for (const read of Object.values(reads)) {
        await locker.query('begin');
        await locker.query('lock table tasks in access exclusive mode');
        let after: Promise<unknown> | undefined;
        const failed = read().catch((error: unknown) => {
          after = store.webhooks.list(key);
          return error;
        });
        while (after === undefined) await breaker.query(breakThem);
        expect(await failed).toMatchObject({ code: 'STORE_UNAVAILABLE' });
        expect(await after).toEqual([]);
        await locker.query('rollback');
      }
    } finally {
      await Promise.all([locker.end(), breaker.end()]);
      await end();
    }
  });

  test('a PostgreSQL server that cannot be reached is told in a sentence without its password', async () => {
    const refused = await openOn('postgres://kedi:hunter2@127.0.0.1:1/none').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE', message: 'The store cannot be reached.' });
  });
}
