import { setTimeout as delay } from 'node:timers/promises';
import { watchGroup } from './watchdog.js';

/** The process groups that this server has started and that may still have members. */
const groups = new Set<number>();

/** How long a killed group may take to be gone; only a process stuck in the kernel takes longer. */
const killMs = 2_000;

process.on('exit', () => {
  for (const group of groups) signalGroup(group, 'SIGKILL');
});

/** Notes that the process group `group` is ours, so that it does not outlive this server, however that ends. */
export function adoptGroup(group: number): void {
  groups.add(group);
  watchGroup(group, 'started');
}

/** Ends every member of a process group: TERM, a grace, KILL. Resolves when none is left; at once where none was. */
export async function endGroup(group: number, { graceMs }: { readonly graceMs: number }): Promise<void> {
  if (signalGroup(group, 'SIGTERM') && !(await isGone(group, graceMs))) {
    signalGroup(group, 'SIGKILL');
    await isGone(group, killMs);
  }
  groups.delete(group);
  watchGroup(group, 'ended');
}

/** Whether the group came to have no member within that time. Nobody tells when a group is empty, so we ask. */
async function isGone(group: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  for (let wait = 2; hasMembers(group); wait = Math.min(2 * wait, 50)) {
    if (Date.now() >= deadline) return false;
    await delay(wait);
  }
  return true;
}

const hasMembers = (group: number): boolean => signalGroup(group, 0);

/** False: there is no such group any more. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: a member changed its user, so it is not ours to end, and waiting for it would be for ever.
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) {
      return false;
    }
    throw error;
  }
}
