import { follow } from '../domain/follow.js';
import type { TaskLog } from '../domain/ports.js';
import type { TaskRecord } from '../domain/task.js';
import type { Frame } from '../protocol/agent-output.js';
import { project, unread } from './project.js';

/** Where a reader begins: at the first frame, with what comes from now on, or after the frame of that number. */
export type Beginning = 'first' | 'now' | { readonly after: number };

/** What a reader gets: the frames until the terminal one, or why there are none. */
export type Chat =
  | { readonly kind: 'frames'; readonly frames: AsyncGenerator<readonly Frame[], void, void> }
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
  { from, signal }: { readonly from: Beginning; readonly signal: AbortSignal },
): Promise<Chat> {
  const batches = projected(log, record, signal);
  if (from === 'first') return { kind: 'frames', frames: framesOf(batches, []) };

  const cursor = from === 'now' ? Number.POSITIVE_INFINITY : from.after;
  let at: Projected = { frames: [], read: 0, seq: 0, ended: false };
  while (at.read < record.length) {
    const next = await batches.next();
    if (next.done === true) return { kind: 'gone' };
    at = next.value;
    if (at.seq - 1 > cursor) {
      const rest = at.frames.filter(({ seq }) => seq > cursor);
      return { kind: 'frames', frames: framesOf(batches, rest) };
    }
  }
  if (from === 'now')
    return { kind: 'frames', frames: framesOf(batches, at.ended ? at.frames.slice(-1) : []) };
  if (at.ended) return { kind: 'over' };
  return cursor < at.seq ? { kind: 'frames', frames: framesOf(batches, []) } : { kind: 'ahead' };
}

interface Projected {
  readonly frames: readonly Frame[];
  /** How many entries of the log are behind this. */
  readonly read: number;
  /** The number of the next frame. */
  readonly seq: number;
  readonly ended: boolean;
}

/** A batch never reaches from what was there into what came later: a reader may want the one without the other. */
async function* projected(
  log: TaskLog,
  record: TaskRecord,
  signal: AbortSignal,
): AsyncGenerator<Projected, void, void> {
  let projection = unread;
  let read = 0;
  for await (const batch of follow(log, record, { signal })) {
    const present = Math.max(0, record.length - read);
    for (const entries of [batch.slice(0, present), batch.slice(present)]) {
      const { after, frames } = project(projection, entries);
      projection = after;
      read += entries.length;
      if (entries.length > 0) yield { frames, read, seq: after.seq, ended: after.ended };
    }
  }
}

async function* framesOf(
  batches: AsyncGenerator<Projected, void, void>,
  first: readonly Frame[],
): AsyncGenerator<readonly Frame[], void, void> {
  if (first.length > 0) yield first;
  for await (const { frames } of batches) if (frames.length > 0) yield frames;
}
