import { readdirSync, readFileSync } from 'node:fs';

/**
 * The living processes, younger than `leader`, in whose environment `variable` has the value `mark`: a daemon that left
 * its group is found by what it inherited. Empty where the system has no /proc.
 */
export function marked({
  leader,
  variable,
  mark,
}: {
  readonly leader: number;
  readonly variable: string;
  readonly mark: string;
}): readonly number[] {
  const entry = `${variable}=${mark}\0`;
  // The environment of another user's process cannot be read, and that of a dead one is empty.
  return since(leader).filter((pid) => read(`${pid}/environ`)?.includes(entry) === true);
}

/** How many members of a process group are alive and not just unburied; undefined where the system has no /proc. */
export function livingMembers(group: number): number | undefined {
  if (read('self/stat') === undefined) return undefined;
  return since(group).filter((pid) => {
    // The program's name comes before, in brackets, and may hold anything.
    const [state, , itsGroup] = read(`${pid}/stat`)?.split(') ').at(-1)?.split(' ') ?? [];
    return Number(itsGroup) === group && state !== 'Z' && state !== 'X';
  }).length;
}

/**
 * Process ids given out since `first` was; they are given in order and begin again at their end, so most processes of
 * a busy machine need not be looked at.
 */
function since(first: number): readonly number[] {
  const last = Number(read('loadavg')?.trim().split(' ').at(-1));
  const pids = list().map(Number).filter(Number.isInteger);
  return pids.filter(
    last >= first ? (pid) => pid >= first && pid <= last : (pid) => pid >= first || pid <= last,
  );
}

function list(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return undefined;
  }
}
