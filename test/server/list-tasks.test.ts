import { expect, onTestFinished, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import type { TaskLog } from '../../src/domain/ports.js';
import { readListTasks } from '../../src/protocol/a2a-read.js';
import { listTasks } from '../../src/server/list-tasks.js';
import { openStore } from '../../src/store/index.js';
import { ended, opening, taskOf } from '../store/samples.js';
import { silent } from '../store/silent.js';
import { temporaryDirectory } from '../support/temporary.js';

const request = readListTasks(undefined);

/** Three tasks, of which one is so old that it goes with the next sweep. */
async function threeTasks() {
  const store = await openStore({
    directory: await temporaryDirectory(),
    durability: 'normal',
    logger: silent,
    retention: { ageMs: 100 },
    now: () => 1_000,
  });
  onTestFinished(() => store.close());
  for (const [taskId, at] of [
    ['one', 990],
    ['old', 1],
    ['two', 980],
  ] as const) {
    await store.log.create(taskOf({ taskId }), [opening(1), ended(at)]);
  }
  return store;
}

test.each([
  ['their statuses', request],
  ['their artifacts', { ...request, includeArtifacts: true }],
])('a page of tasks, with %s, leaves out one that is removed while the page is made', async (_, asked) => {
  const { log, sweep } = await threeTasks();
  const removing: TaskLog = {
    ...log,
    async list(query) {
      const page = await log.list(query);
      await sweep();
      return page;
    },
  };
  const listed = async (from: TaskLog) =>
    (await listTasks(from, { request: asked, principal: 'local' })).tasks.map(({ id }) => id);
  expect(await listed(log)).toEqual(['one', 'two', 'old']);
  expect(await listed(removing)).toEqual(['one', 'two']);
});

test('a page of tasks is refused where one of them cannot be read', async () => {
  const { log } = await threeTasks();
  const unavailable = new KediError('STORE_UNAVAILABLE', 'The store cannot be reached.');
  const broken: TaskLog = {
    ...log,
    read: async (key, from) => {
      if (key.taskId === 'old') throw unavailable;
      return await log.read(key, from);
    },
  };
  await expect(listTasks(broken, { request, principal: 'local' })).rejects.toBe(unavailable);
});
