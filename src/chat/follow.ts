import { follow } from '../domain/follow.js';
import type { TaskLog } from '../domain/ports.js';
import type { TaskRecord } from '../domain/task.js';
import type { Frame } from '../protocol/agent-output.js';
import type { Checkpoint, Checkpoints } from './checkpoints.js';
import { project } from './project.js';

/** Where a reader begins: at the first frame, with what comes from now on, or after the frame of that number. */
export type Beginning = 'first' | 'now' | { readonly after: number };

/** What a reader gets: the frames until the terminal one, or why there are none. */
export type Chat =
  | {
      readonly kind: 'frames';
      /** What is there for the reader to begin with, not always all. */
      readonly first: readonly Frame[];
      /** What follows; some may be empty. */
      readonly rest: AsyncGenerator<readonly Frame[], void, void>;
    }
  /** The reader has had the terminal frame. */
  | { readonly kind: 'over' }
  /** The reader claims to have had a frame that does not exist yet. */
  | { readonly kind: 'ahead' }
  /** The task was forgotten just now. */
  | { readonly kind: 'gone' };

/**
 * The conversation of a task as frames, first those that are there and then each as it becomes durable: one fold of one
 * pull of the log, so there is no seam between replay and live at which a frame could be lost or come twice, and a slow
 * reader holds no more than one read of the log. The frames end after the terminal one, when `signal` aborts, or when
 * the task is gone.
 */
export async function openChat(
  log: TaskLog,
  record: TaskRecord,
  {
    from,
    checkpoints,
    signal,
  }: { readonly from: Beginning; readonly checkpoints: Checkpoints; readonly signal: AbortSignal },
): Promise<Chat> {
  const seq = from === 'first' ? 0 : from === 'now' ? Number.POSITIVE_INFINITY : from.after + 1;
  const at: Reached = { ...checkpoints.before(record, { seq, read: record.length }) };
  const rest = frames(log, record, { at, checkpoints, signal });
  if (from === 'first') return { kind: 'frames', first: [], rest };

  let last: readonly Frame[] = [];
  while (at.read < record.length) {
    const some = await rest.next();
    if (some.done === true) return { kind: 'gone' };
    last = some.value;
    if (from === 'now' || at.projection.seq <= from.after + 1) continue;
    return { kind: 'frames', first: last.filter(({ seq }) => seq > from.after), rest };
  }
  const { seq: next, ended } = at.projection;
  if (from === 'now') return { kind: 'frames', first: ended ? last.slice(-1) : [], rest };
  if (ended) return { kind: 'over' };
  return from.after < next ? { kind: 'frames', first: [], rest } : { kind: 'ahead' };
}

/** Where a reader is. */
type Reached = { -readonly [Key in keyof Checkpoint]: Checkpoint[Key] };

/** A batch never reaches from what was there into what came later: a reader may want the one without the other. */
async function* frames(
  log: TaskLog,
  record: TaskRecord,
  {
    at,
    checkpoints,
    signal,
  }: { readonly at: Reached; readonly checkpoints: Checkpoints; readonly signal: AbortSignal },
): AsyncGenerator<readonly Frame[], void, void> {
  for await (const batch of follow(log, record, { from: at.read, signal })) {
    const present = Math.max(0, record.length - at.read);
    for (const entries of [batch.slice(0, present), batch.slice(present)]) {
      if (entries.length === 0) continue;
      const { after, frames } = project(at.projection, entries);
      at.projection = after;
      at.read += entries.length;
      checkpoints.note(record, { read: at.read, projection: after });
      yield frames;
    }
  }
}
