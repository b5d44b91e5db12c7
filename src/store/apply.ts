import type { Logger } from '../domain/ports.js';
import { createThread } from './thread.js';

/** Where the thread finds the journal, and the SQLite file into which it is taken over. */
export interface Place {
  readonly directory: string;
  readonly database: string;
}

/** What the thread is asked: to take over all that a crash has left, a journal up to `end`, or that and to remove it. */
export type Job =
  | { readonly kind: 'recover' }
  | { readonly kind: 'advance' | 'close'; readonly id: string; readonly end: number };

/** How far it has come; how many steps were refused since it began; what of a journal could not be taken over. */
export type Answer =
  | { readonly applied: number; readonly refused: number; readonly left?: Left }
  | { readonly error: { readonly message: string; readonly code: string } };

/** How many bytes, and the files that were set aside with them. */
export interface Left {
  readonly bytes: number;
  readonly aside: readonly string[];
}

/** Takes what is in the journal over into the database, in a thread of its own, a little later or when somebody waits. */
export interface Applier {
  /** For the start: takes over what a crash has left; gives the place where a new journal begins. */
  recover(): Promise<number>;
  /** The journal of this id ends here now. */
  advance(id: string, end: number): void;
  /** How far it has come. */
  applied(): number;
  /** Resolves when the database has all up to this place; rejects with the error that it has now, `code` with it. */
  reach(place: number): Promise<void>;
  /** Undefined while all is well. */
  trouble(): Trouble | undefined;
  /** Takes over the rest if it can: what it cannot is for the next start. */
  close(): Promise<void>;
}

/** Why the last attempt failed, and when the first of those failed that have since. */
export interface Trouble {
  readonly error: unknown;
  readonly since: number;
}

/** So long what is written gathers while nobody waits for it, for one transaction; and so long trouble is left alone. */
const pauses = { gather: 20, trouble: 1_000 } as const;

export function createApplier({ logger, ...place }: Place & { readonly logger: Logger }): Applier {
  const thread = createThread(place);
  let applied = 0;
  let refused = 0;
  let id = '';
  let end = 0;
  let trouble: Trouble | undefined;
  let under: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closing = false;

  const ask = async (job: Job): Promise<void> => {
    try {
      const answer = await thread.ask(job);
      applied = answer.applied;
      trouble = undefined;
      const steps = answer.refused - refused;
      refused = answer.refused;
      if (steps > 0) logger.error('what was to be stored was there already', { steps });
      const { bytes, aside } = answer.left ?? { bytes: 0, aside: [] };
      if (bytes > 0) {
        const files = aside.length === 0 ? undefined : aside.join(', ');
        logger.warn('the last of what was written was not written whole, and is left out', { bytes, files });
      }
    } catch (error) {
      trouble = { error, since: trouble?.since ?? Date.now() };
      throw error;
    }
  };
  const attempt = async (): Promise<void> => {
    if (closing) throw new Error('it is closed');
    clearTimeout(timer);
    timer = undefined;
    under ??= ask({ kind: 'advance', id, end }).finally(() => {
      under = undefined;
      schedule();
    });
    await under;
  };
  const schedule = (): void => {
    if (closing || applied === end || timer !== undefined || under !== undefined) return;
    const pause = trouble === undefined ? pauses.gather : pauses.trouble;
    timer = setTimeout(() => attempt().catch(() => {}), pause);
    // What is not taken over before the process ends is in the journal.
    timer.unref();
  };

  return {
    async recover() {
      await ask({ kind: 'recover' });
      end = applied;
      return applied;
    },
    advance(journal, place) {
      id = journal;
      end = place;
      schedule();
    },
    applied: () => applied,
    async reach(place) {
      while (applied < place) await attempt();
    },
    trouble: () => trouble,
    async close() {
      closing = true;
      clearTimeout(timer);
      await under?.catch(() => {});
      await ask({ kind: 'close', id, end }).catch((error: unknown) => {
        logger.warn('what was written last is left for the next start', { reason: String(error) });
      });
      await thread.end();
    },
  };
}
