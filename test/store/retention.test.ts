import { expect, onTestFinished, test } from 'vitest';
import type { TaskLog } from '../../src/domain/ports.js';
import { createCommits } from '../../src/store/commits.js';
import type { Database } from '../../src/store/database.js';
import { migrate } from '../../src/store/migrations.js';
import { createSweeper, defaultRetention } from '../../src/store/retention.js';
import { openSqlite } from '../../src/store/sqlite.js';
import { compileStatements } from '../../src/store/statements.js';
import { createTaskLog } from '../../src/store/task-log.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ended, opening, said, taskOf } from './samples.js';
import { silent } from './silent.js';

const key = { principal: 'local', taskId: 'task' };

/** A place where whoever comes can be held up: `reached` resolves when somebody is there. */
function barrier() {
  let open = (): void => {};
  let reach = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return {
    open,
    reached,
    async pass() {
      reach();
      await opened;
    },
  };
}

/** A log over SQLite with a task that is not in memory, waits for its client and is so old that the next sweep removes it. */
async function oldTask() {
  const directory = await temporaryDirectory();
  const sqlite = await openSqlite({ directory, durability: 'normal', logger: silent });
  await migrate(sqlite.kysely);
  await sqlite.begin?.();
  const hold: Partial<Record<'removal' | 'transaction' | 'selected', ReturnType<typeof barrier>>> = {};
  const statements = compileStatements(sqlite.kysely);
  const database: Database = {
    ...sqlite,
    async transact(steps) {
      await hold.transaction?.pass();
      await sqlite.transact(steps);
    },
    async query(statement, ...given) {
      const rows = await sqlite.query(statement, ...given);
      if (statement === statements.selectTask) await hold.selected?.pass();
      return rows;
    },
  };
  const stored = createCommits({ database, observer: {} });
  let added = barrier();
  const commits: typeof stored = {
    ...stored,
    async add(unit) {
      await hold.removal?.pass();
      stored.add(unit);
      void added.pass();
    },
  };
  const memory = () => createTaskLog({ database, statements, commits: stored, home: '', observer: {} });
  await memory().create(taskOf(key), [opening(1), ended(2, 'input-required')]);
  const { leaving, ...log } = memory();
  const sweeper = createSweeper({
    database,
    statements,
    commits,
    directory,
    retention: { ...defaultRetention, ageMs: 0 },
    logger: silent,
    now: () => 1_000,
    leaving,
  });
  onTestFinished(async () => {
    for (const barrier of Object.values(hold)) barrier.open();
    await sweeper.stop();
    await stored.close();
    await sqlite.close();
  });
  return {
    log,
    hold,
    sweep: sweeper.sweep,
    /** Begins to sweep; resolves when the task's removal stands in line for its transaction. */
    async beginSweep() {
      added = barrier();
      const swept = sweeper.sweep();
      await added.reached;
      return { swept };
    },
    /** What the database has of the logs of tasks that it does not have. */
    orphans: () => sqlite.query({ sql: 'select * from log where task_id not in (select id from tasks)' }, []),
  };
}

const load = (log: TaskLog) => log.append(key, [said(3, 'x')]);

test('a task that is being removed is found by nobody, and nothing is appended to it', async () => {
  const { log, hold, beginSweep, orphans } = await oldTask();
  await load(log);
  hold.transaction = barrier();
  const { swept } = await beginSweep();
  await hold.transaction.reached;
  const got = log.get(key);
  const appended = log.append(key, [said(4, 'too late')]);
  appended.catch(() => {});
  hold.transaction.open();
  await swept;
  expect(await got).toBeUndefined();
  await expect(appended).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await orphans()).toEqual([]);
});

test('a task to which something is given before its removal begins stays', async () => {
  const { log, hold, beginSweep } = await oldTask();
  await load(log);
  hold.transaction = barrier();
  const other = log.create(taskOf({ taskId: 'other' }), [opening(1)]);
  await hold.transaction.reached;
  const { swept } = await beginSweep();
  const appended = log.append(key, [said(4, 'in time')]);
  hold.transaction.open();
  await Promise.all([other, appended, swept]);
  expect(await log.get(key)).toMatchObject({ state: 'input-required', length: 4 });
});

test('a task that is being loaded, to be written to, when its removal begins stays', async () => {
  const { log, hold, beginSweep, orphans } = await oldTask();
  hold.selected = barrier();
  const appended = log.append(key, [said(3, 'in time')]);
  await hold.selected.reached;
  const { swept } = await beginSweep();
  await swept;
  hold.selected.open();
  await appended;
  expect(await log.get(key)).toMatchObject({ state: 'input-required', length: 3 });
  expect(await orphans()).toEqual([]);
});

test('a task that could not be removed is found', async () => {
  const { log, hold, beginSweep } = await oldTask();
  hold.transaction = { ...barrier(), pass: () => Promise.reject(new Error('no room')) };
  const { swept } = await beginSweep();
  await expect(swept).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await log.get(key)).toMatchObject({ state: 'input-required', length: 2 });
});

test.each([
  ['', 0],
  [', also when memory has forgotten it', 100],
])(
  'a task that is answered after it was found too old goes on as if there were no sweep%s',
  async (_, others) => {
    const { log, hold, sweep } = await oldTask();
    hold.removal = barrier();
    const swept = sweep();
    await hold.removal.reached;
    await log.append(key, [opening(3)]);
    for (let count = 0; count < others; count += 1) {
      await log.create(taskOf({ taskId: `other ${count}` }), [opening(4)]);
    }
    hold.transaction = barrier();
    hold.removal.open();
    await hold.transaction.reached;
    const appended = log.append(key, [said(5, 'an answer')]);
    hold.transaction.open();
    await Promise.all([swept, appended]);
    expect(await log.get(key)).toMatchObject({ state: 'submitted', length: 4 });
  },
);
