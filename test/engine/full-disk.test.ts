import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../support/temporary.js';
import { done, line, order, pause, shape, stage } from './stage.js';

test('a task whose output meets a full disk fails as soon as there is space, and its agent is stopped at once', async ({
  skip,
}) => {
  const directory = await temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return skip('this process may not mount a small disk');
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory], { stdio: 'ignore' });
  });
  let stopped = false;
  const { engine, settled } = await stage({
    directory,
    async *agent({ prompt }) {
      try {
        while (prompt === 'much') {
          yield { raw: Buffer.alloc(20_000), channel: 'stdout', events: [] };
          await pause(1);
        }
        yield line({ type: 'delta', text: 'x' });
        return done;
      } finally {
        stopped = true;
      }
    },
  });
  const record = await engine.submit(order('much'));
  const unwritable = { code: 'STORE_UNAVAILABLE', message: 'The store cannot be written: the disk is full.' };
  await expect(settled(record)).rejects.toMatchObject(unwritable);
  await pause(100);
  expect(stopped).toBe(true);

  execFileSync('mount', ['-o', 'remount,size=16m', directory]);
  expect((await settled(record)).at(-1)).toMatchObject({ state: 'failed', code: 'STORE_UNAVAILABLE' });
  const next = await engine.submit(order('little'));
  expect(shape(await settled(next)).at(-1)).toBe('completed');
  expect(engine.counts()).toEqual({ running: 0, pending: 0 });
});
