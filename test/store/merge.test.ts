import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/domain/task.js';
import { openConnection } from '../../src/store/connection.js';
import { decodeEntries, encodeEntries } from '../../src/store/entries.js';
import { openStore } from '../../src/store/index.js';
import type { StoredStep } from '../../src/store/journal-record.js';
import { merge } from '../../src/store/merge.js';
import { sqliteStatements as statements } from '../../src/store/sqlite-statements.js';
import { temporaryDirectory } from '../support/temporary.js';
import { plain, said } from './samples.js';
import { silent } from './silent.js';

/** An empty database with the store's tables. */
async function tables() {
  const directory = await temporaryDirectory();
  await (await openStore({ directory, durability: 'normal', logger: silent })).close();
  const connection = openConnection(`${directory}/store.db`, 'normal');
  onTestFinished(() => connection.close());
  return connection;
}

type Act = readonly ['make' | 'say' | 'say much' | 'change' | 'remove', task: number];

const acts = fc.array(
  fc.tuple(
    fc.constantFrom<Act[0]>('make', 'say', 'say', 'say', 'say much', 'change', 'change', 'remove'),
    fc.nat(2),
  ),
  { maxLength: 40 },
);

/** What a log would write: only what is there is said to, changed and removed. */
function stepsOf(given: readonly Act[]): readonly StoredStep[] {
  const lengths = new Map<number, number>();
  const changed = new Set<number>();
  const steps: StoredStep[] = [];
  for (const [time, [act, task]] of given.entries()) {
    const [principal, id] = ['local', `task ${task}`];
    const length = lengths.get(task);
    if (act === 'make' && length === undefined) {
      lengths.set(task, 0);
      const values = [principal, id, 'context', 'demo', 0, 'submitted', time, time, 'here'];
      steps.push({ statement: statements.insertTask, values });
    }
    if (length === undefined) continue;
    if (act === 'say' || act === 'say much') {
      const entries = Array.from({ length: act === 'say' ? 2 : 1 }, (_, index) =>
        said(time + index, act === 'say' ? `é😀\n+${time}` : 'x'.repeat(20_000)),
      );
      const values = [principal, id, length, entries.length, encodeEntries(entries)];
      steps.push({ statement: statements.insertRow, values });
      lengths.set(task, length + entries.length);
    }
    if (act === 'change') {
      changed.add(task);
      steps.push({
        statement: statements.updateTask,
        values: [`state ${time}`, time, 'there', principal, id],
      });
    }
    if (act === 'remove') {
      // As retention does, which leaves what runs: it depends on how far the task is by then.
      const removal = "delete from tasks where id = ? and state <> 'submitted'";
      const rest = 'delete from log where task_id = ? and task_id not in (select id from tasks)';
      for (const sql of [removal, rest]) steps.push({ statement: { sql }, values: [id] });
      if (changed.delete(task)) lengths.delete(task);
    }
  }
  return steps;
}

test('merged steps leave the same tasks and the same logs', async () => {
  const { run, all } = await tables();
  const outcome = (steps: readonly StoredStep[]) => {
    run('begin', []);
    for (const { statement, values } of steps) run(statement.sql, values);
    const tasks = all('select * from tasks order by id', []);
    const rows = all('select * from log order by task_id, first', []) as readonly {
      readonly task_id: string;
      readonly first: number;
      readonly count: number;
      readonly entries: string;
    }[];
    run('rollback', []);
    const logs = new Map<string, Entry[]>();
    for (const { task_id, first, count, entries } of rows) {
      const log = logs.get(task_id) ?? [];
      logs.set(task_id, log);
      expect(first).toBe(log.length);
      const read = decodeEntries(entries);
      expect(read.length).toBe(count);
      log.push(...read);
    }
    return { tasks, logs: [...logs].map(([id, log]) => [id, plain(log)]) };
  };
  fc.assert(
    fc.property(acts, (given) => {
      const steps = stepsOf(given);
      const fewer = merge(steps);
      expect(fewer.length).toBeLessThanOrEqual(steps.length);
      expect(outcome(fewer)).toEqual(outcome(steps));
    }),
    { numRuns: 300 },
  );
});

test('a short task is one row and one task, however many turns it took; a long one is rows of bounded size', () => {
  const short = merge(
    stepsOf([
      ['make', 0],
      ['say', 0],
      ['change', 0],
      ['say', 0],
      ['change', 0],
    ]),
  );
  expect(short.map(({ statement }) => statement.sql)).toEqual([
    statements.insertTask.sql,
    statements.insertRow.sql,
  ]);
  const long = merge(stepsOf([['make', 0], ...Array.from({ length: 6 }, (): Act => ['say much', 0])]));
  const rows = long.filter(({ statement }) => statement.sql === statements.insertRow.sql);
  expect(rows.map(({ values }) => values[3])).toEqual([2, 2, 2]);
});
