import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A tiny real program of test/fixtures/agents. */
export const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/agents/${name}`, import.meta.url));

/** Whether there is such a process and it runs: one that is dead and not yet buried by its parent does not. */
export function isAlive(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
    return !state.startsWith('Z');
  } catch {
    return false;
  }
}

/** Those of these processes that still run. */
export const stillAlive = (pids: readonly number[]): readonly number[] => pids.filter(isAlive);
