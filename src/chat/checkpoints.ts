import { nameOf, type TaskKey } from '../domain/task.js';
import { type Projection, unread } from './project.js';

/** A place in a task's log: how many entries are behind it, and what they came to. */
export interface Checkpoint {
  readonly read: number;
  readonly projection: Projection;
}

/**
 * Places that readers have passed lately. Who comes back with a cursor goes on from the last one before it, instead of
 * from the beginning of a log that may be long; what is forgotten is read again, and comes to the same.
 */
export interface Checkpoints {
  /** The furthest place known before the frame `seq`, with at most `read` entries behind it. */
  before(key: TaskKey, place: { readonly seq: number; readonly read: number }): Checkpoint;
  note(key: TaskKey, checkpoint: Checkpoint): void;
}

/** How many tasks are remembered, how many places of each, and how many entries lie between two at least. */
const bounds = { tasks: 256, places: 64, entries: 1_000 } as const;

/** A place whose held document is longer is not kept. */
const longestHeld = 4_096;

const beginning: Checkpoint = { read: 0, projection: unread };

export function createCheckpoints(): Checkpoints {
  // In the order of their last use, the oldest first; the places of each in the order of the log.
  const tasks = new Map<string, Checkpoint[]>();

  return {
    before(key, { seq, read }) {
      const places = tasks.get(nameOf(key.principal, key.taskId)) ?? [];
      return places.findLast((place) => place.projection.seq <= seq && place.read <= read) ?? beginning;
    },
    note(key, checkpoint) {
      const { ended, held } = checkpoint.projection;
      if (ended || (held.content?.length ?? 0) > longestHeld) return;
      const name = nameOf(key.principal, key.taskId);
      const places = tasks.get(name) ?? [];
      if (checkpoint.read < (places.at(-1)?.read ?? 0) + bounds.entries) return;
      places.push(checkpoint);
      tasks.delete(name);
      tasks.set(name, places.length > bounds.places ? places.filter((_, index) => index % 2 === 1) : places);
      const [oldest] = tasks.keys();
      if (tasks.size > bounds.tasks && oldest !== undefined) tasks.delete(oldest);
    },
  };
}
