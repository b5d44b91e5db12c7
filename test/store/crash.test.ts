import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { Entry } from '../../src/domain/task.js';
import { openStore, type Store } from '../../src/store/index.js';
import { temporaryDirectory } from '../support/temporary.js';
import { silent } from './silent.js';

/** A process that writes to the store of a directory, until it is killed. */
async function startWriter(directory: string, durability: 'normal' | 'full') {
  const script = fileURLToPath(new URL('./writer.mjs', import.meta.url));
  const child = spawn(process.execPath, [script, directory, durability], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => told.push(line));
  const closed = once(lines, 'close');
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await Promise.race([once(lines, 'line'), closed]);
  expect(told[0], 'the writer must start; it needs dist/, made by npm run build').toBe('open');
  return {
    /** What it was told is durable: of each task, by its number, the time of its last entry. */
    async kill(): Promise<ReadonlyMap<number, number>> {
      child.kill('SIGKILL');
      await closed;
      const last = new Map<number, number>();
      for (const line of told.slice(1)) {
        const [number, at] = line.split(' ').map(Number);
        if (number !== undefined && at !== undefined) last.set(number, at);
      }
      return last;
    },
  };
}

async function readAll(store: Store, taskId: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (;;) {
    const more = await store.log.read({ principal: 'local', taskId }, entries.length);
    if (more.length === 0) return entries;
    entries.push(...more);
  }
}

for (const durability of ['normal', 'full'] as const) {
  test(`kill -9 loses nothing that was acknowledged, and leaves nothing half there (${durability})`, async () => {
    const directory = await temporaryDirectory();
    let acknowledged = 0;
    for (const runs of [300, 150, 40]) {
      const writer = await startWriter(directory, durability);
      await new Promise((resolve) => setTimeout(resolve, runs));
      const durable = await writer.kill();

      const store = await openStore({ directory, durability, logger: silent });
      for (const [number, last] of durable) {
        const entries = await readAll(store, `task ${number}`);
        expect(entries.map((entry) => entry.at)).toEqual(Array.from(entries, (_, index) => index));
        expect(entries.at(-1)?.at).toBeGreaterThanOrEqual(last);
        // The ending is one append: its artifacts are there with the state, or not at all.
        expect(entries.length <= 21 || entries.length === 25).toBe(true);
        acknowledged += 1;
      }
      const { records } = await store.log.list({ principal: 'local', limit: 10_000 });
      const left = await store.log.unfinished(['submitted', 'working']);
      expect(left.map((record) => record.taskId)).toEqual(
        records.filter((record) => record.state !== 'completed').map((record) => record.taskId),
      );
      expect(left.length).toBeLessThanOrEqual(1);
      // The next writer begins with the same ids.
      for (const record of left) await store.log.append(record, [{ type: 'state', at: 99, state: 'failed' }]);
      await store.close();
      await emptied(directory, durability);
    }
    expect(acknowledged).toBeGreaterThan(0);
  });
}

/** Removes all tasks as their age would. */
async function emptied(directory: string, durability: 'normal' | 'full'): Promise<void> {
  const store = await openStore({
    directory,
    durability,
    logger: silent,
    retention: { ageMs: 0 },
    now: () => Number.MAX_SAFE_INTEGER,
  });
  await store.sweep();
  expect((await store.log.list({ principal: 'local', limit: 1 })).total).toBe(0);
  await store.close();
}

test('a second server on a data directory is refused in one sentence, until the first is gone, even by kill -9', async () => {
  const directory = await temporaryDirectory();
  const writer = await startWriter(directory, 'normal');
  const open = () => openStore({ directory, durability: 'normal', logger: silent });
  await expect(open()).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: `Another server is using the data directory ${directory}.`,
  });
  await writer.kill();
  const store = await open();
  await expect(open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await store.close();
  await (await open()).close();
});
