import { follow } from '../domain/follow.js';
import type { TaskLog } from '../domain/ports.js';
import { type Entry, isTerminal, type TaskRecord } from '../domain/task.js';
import type { Beginning } from './follow.js';

/** A line in its place in the task's log; `replayed`: it was there when the reader came. */
export interface NumberedLine {
  readonly line: number;
  readonly replayed: boolean;
  readonly entry: LineEntry;
}

type LineEntry = Extract<Entry, { type: 'line' }>;

/** Which lines a reader wants: those of one channel, and of those that were there before it the newest `limit`. */
export interface LineQuery {
  readonly from: Beginning;
  readonly channel: 'stdout' | 'stderr' | undefined;
  readonly limit: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * The lines of a task as the agent wrote them, those that are there and then each as it becomes durable; undefined when
 * the task has ended and the reader has had all that it asks for.
 */
export async function openRaw(
  log: TaskLog,
  record: TaskRecord,
  { from, channel, limit = Number.POSITIVE_INFINITY, signal }: LineQuery,
): Promise<AsyncGenerator<readonly NumberedLine[], void, void> | undefined> {
  const after = typeof from === 'object' ? from.after : -1;
  const wanted = ({ entry, line, replayed }: NumberedLine): boolean =>
    line > after && (channel === undefined || entry.channel === channel) && !(from === 'now' && replayed);

  const bounded = from === 'first' && limit < Number.POSITIVE_INFINITY;
  const ended = isTerminal(record.state);
  const most = bounded ? Number.POSITIVE_INFINITY : 1;
  const present = bounded || ended ? await count(log, record, { wanted, most, signal }) : 0;
  if (ended && present === 0) return undefined;
  const skipped = bounded ? Math.max(0, present - limit) : 0;
  return chosen(log, record, { wanted, skipped, signal });
}

type Wanted = (line: NumberedLine) => boolean;

/**
 * How many of the present lines are wanted, up to `most`: a bound on what is replayed counts from the end, so the
 * beginning is read twice rather than kept in memory.
 */
async function count(
  log: TaskLog,
  record: TaskRecord,
  { wanted, most, signal }: { readonly wanted: Wanted; readonly most: number; readonly signal: AbortSignal },
): Promise<number> {
  let found = 0;
  for await (const { lines, read } of numbered(log, record, signal)) {
    found += lines.filter((line) => line.replayed && wanted(line)).length;
    if (read >= record.length || found >= most) break;
  }
  return found;
}

async function* chosen(
  log: TaskLog,
  record: TaskRecord,
  {
    wanted,
    skipped,
    signal,
  }: { readonly wanted: Wanted; readonly skipped: number; readonly signal: AbortSignal },
): AsyncGenerator<readonly NumberedLine[], void, void> {
  let toSkip = skipped;
  for await (const { lines } of numbered(log, record, signal)) {
    const found = lines.filter(wanted);
    const rest = found.slice(toSkip);
    toSkip -= found.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

async function* numbered(
  log: TaskLog,
  record: TaskRecord,
  signal: AbortSignal,
): AsyncGenerator<{ readonly lines: readonly NumberedLine[]; readonly read: number }, void, void> {
  let line = 0;
  let read = 0;
  for await (const entries of follow(log, record, { signal })) {
    const lines: NumberedLine[] = [];
    for (const entry of entries) {
      if (entry.type === 'line') lines.push({ line: line++, replayed: read < record.length, entry });
      read += 1;
    }
    yield { lines, read };
  }
}
