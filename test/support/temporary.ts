import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** When what a test holds is freed: `onTestFinished`, or `afterAll` for what a whole file shares. */
export type Until = (free: () => Promise<void>) => void;

/** A directory that goes with the test that asked for it. */
export async function temporaryDirectory(until: Until = onTestFinished): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kedi-a2a-test-'));
  until(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
