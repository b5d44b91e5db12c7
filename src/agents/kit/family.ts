import { setTimeout as delay } from 'node:timers/promises';
import { v7 as uuid } from 'uuid';
import { livingMembers, marked } from './proc.js';
import { tellWatchdog } from './watchdog.js';

/** A program that we started in a process group of its own, and all that it has started since. */
export interface Family {
  /** Process id of the program, and number of its group. */
  readonly leader: number;
  /** Value of `markVariable` in its environment, which its children inherit, those that left the group too. */
  readonly mark: string;
}

/** Tells a program and its children whose they are. */
export const markVariable = 'KEDI_RUN_ID';

/** Begins every mark of this server's. */
const server = uuid();
let marks = 0;

/** A value of `markVariable` for one run, not used before by any server. */
export const newMark = (): string => `${server}.${++marks}`;

/** The families that may still have members. */
const families = new Set<Family>();

process.on('exit', () => {
  for (const family of families) signalFamily(family, 'SIGKILL');
});

/** Notes that a family is ours, so that it does not outlive this server, however that ends. */
export function adoptFamily(family: Family): void {
  families.add(family);
  tellWatchdog(server, `started ${family.leader}`);
}

/** How long killed processes may take to be gone; only one that is stuck in the kernel takes longer. */
const killMs = 2_000;

/** Ends every member of a family: TERM, a grace, KILL. Resolves when none is left, at once where none was. */
export async function endFamily(family: Family, { graceMs }: { readonly graceMs: number }): Promise<void> {
  if (signalFamily(family, 'SIGTERM') && !(await isGone(family, graceMs))) {
    signalFamily(family, 'SIGKILL');
    await isGone(family, killMs);
  }
  families.delete(family);
  tellWatchdog(server, `ended ${family.leader}`);
}

/** Whether the family came to have no member within that time. Nobody tells when that is so, hence we ask. */
async function isGone(family: Family, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  for (let wait = 2; isAlive(family); wait = Math.min(2 * wait, 50)) {
    if (Date.now() >= deadline) return false;
    await delay(wait);
  }
  return true;
}

function isAlive({ leader, mark }: Family): boolean {
  // The dead whom nobody has buried still count as members of their group, so /proc is asked, where there is one.
  if (signal(-leader, 0) && livingMembers(leader) !== 0) return true;
  return marked({ leader, variable: markVariable, mark }).length > 0;
}

/** Sends a signal to the group and to those that left it; false: there is nobody any more. */
function signalFamily({ leader, mark }: Family, name: NodeJS.Signals): boolean {
  const toGroup = signal(-leader, name);
  const toStrays = marked({ leader, variable: markVariable, mark }).map((pid) => signal(pid, name));
  return toGroup || toStrays.includes(true);
}

/** False: there is no such process or group, or it changed its user and is not ours to end. */
function signal(target: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, name);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ESRCH' || error.code === 'EPERM')) {
      return false;
    }
    throw error;
  }
}
