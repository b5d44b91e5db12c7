import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../domain/ports.js';
import { nameOf, type TaskKey, type TaskState } from '../domain/task.js';
import type { Commits } from './commits.js';
import type { Database } from './database.js';
import type { Statements } from './statements.js';
import type { Leaving } from './task-log.js';

/** What is kept, and for how long. */
export interface Retention {
  /** How many tasks; those that changed longest ago go first, and never one that runs. */
  readonly tasks: number;
  /** Since a task's last change. */
  readonly ageMs: number;
  /** Since the last turn in a context, for its session and workspace; never while one of its tasks is unfinished. */
  readonly idleSessionMs: number;
}

export const defaultRetention: Retention = {
  tasks: 100_000,
  ageMs: 30 * 24 * 60 * 60 * 1_000,
  idleSessionMs: 24 * 60 * 60 * 1_000,
};

/** How many tasks or contexts one transaction removes, so that no other waits long for it. */
const batch = 200;

const intervalMs = 60_000;

const running: readonly TaskState[] = ['submitted', 'working'];
const unfinished: readonly TaskState[] = [...running, 'input-required', 'auth-required'];

interface Parts {
  readonly database: Database;
  readonly statements: Statements;
  readonly commits: Commits;
  /** Where the workspaces are. */
  readonly directory: string;
  readonly retention: Retention;
  readonly logger: Logger;
  readonly now: () => number;
  readonly leaving: Leaving;
}

export interface Sweeper {
  /** Removes tasks with their logs, and sessions with their workspaces, that are beyond what is kept. */
  sweep(): Promise<void>;
  /** Ends the sweeping, and resolves when nothing of it is under way. */
  stop(): Promise<void>;
}

/** Sweeps now and then until it is stopped. */
export function createSweeper(parts: Parts): Sweeper {
  const stopped = new AbortController();
  let under = Promise.resolve();
  const sweep = (): Promise<void> => {
    // One at a time: two would find the same rows.
    const next = under.then(async () => {
      await sweepTasks(parts, stopped.signal);
      await sweepContexts(parts, stopped.signal);
    });
    under = next.catch((error: unknown) => {
      parts.logger.warn('what is too old could not be removed from the store', { reason: String(error) });
    });
    return next;
  };
  const timer = setInterval(() => void sweep().catch(() => {}), intervalMs);
  timer.unref();
  return {
    sweep,
    async stop() {
      clearInterval(timer);
      stopped.abort();
      await under;
    },
  };
}

async function sweepTasks(parts: Parts, signal: AbortSignal): Promise<void> {
  const { database, retention, now } = parts;
  const { total } = await database.kysely
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const surplus = total - retention.tasks;
  if (surplus > 0) await removeTasks(parts, { limit: surplus, signal });
  await removeTasks(parts, { before: now() - retention.ageMs, limit: total, signal });
}

/** Removes so many of the tasks that changed longest ago and do not run; `before`: only those that changed before. */
async function removeTasks(
  parts: Parts,
  {
    before,
    limit,
    signal,
  }: { readonly before?: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<void> {
  for (let left = limit; left > 0 && !signal.aborted; ) {
    // Whoever looks for the oldest looks at all: so many are found at once, and removed bit by bit.
    let query = parts.database.kysely
      .selectFrom('tasks')
      .select(['principal', 'id'])
      .where('state', 'not in', running)
      .orderBy('updated_at')
      .limit(Math.min(left, 10_000));
    if (before !== undefined) query = query.where('updated_at', '<', before);
    const found = await query.execute();
    if (found.length === 0) return;
    for (let start = 0; start < found.length && !signal.aborted; start += batch) {
      const rows = found.slice(start, start + batch);
      await remove(
        parts,
        rows.map(({ principal, id }) => ({ principal, taskId: id })),
      );
    }
    left -= found.length;
  }
}

/** Those of the tasks that nobody runs or writes to when the transaction begins. */
async function remove({ statements, commits, leaving }: Parts, keys: readonly TaskKey[]): Promise<void> {
  let gone: readonly TaskKey[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      commits.add({
        steps() {
          gone = keys.filter(leaving.begin);
          return gone.flatMap(({ principal, taskId }) => {
            const about = nameOf(principal, taskId);
            return [
              { statement: statements.deleteTask, values: [principal, taskId], about },
              { statement: statements.deleteLog, values: [principal, taskId], about },
              { statement: statements.deleteWebhooks, values: [principal, taskId], about },
            ];
          });
        },
        committed: resolve,
        failed: reject,
      });
    });
  } finally {
    for (const key of gone) leaving.end(key);
  }
}

async function sweepContexts(parts: Parts, signal: AbortSignal): Promise<void> {
  const { database, statements, commits, directory, retention, now } = parts;
  const before = now() - retention.idleSessionMs;
  while (!signal.aborted) {
    const rows = await database.kysely
      .selectFrom('contexts')
      .select(['principal', 'context_id', 'workspace'])
      .where('used_at', '<', before)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('tasks')
              .select('tasks.id')
              .whereRef('tasks.principal', '=', 'contexts.principal')
              .whereRef('tasks.context_id', '=', 'contexts.context_id')
              .where('tasks.state', 'in', unfinished),
          ),
        ),
      )
      .orderBy('used_at')
      .limit(batch)
      .execute();
    await commits.write(
      rows.flatMap(({ principal, context_id }) => {
        const about = nameOf(principal, context_id);
        return [
          { statement: statements.deleteContext, values: [principal, context_id, before], about },
          { statement: statements.deleteSessions, values: [principal, context_id], about },
        ];
      }),
    );
    for (const { principal, context_id, workspace } of rows) {
      // A turn may have begun in it meanwhile: then it is still written down.
      const [kept] = await database.query(statements.selectContext, ['', principal, context_id]);
      if (kept === undefined) await rm(join(directory, workspace), { recursive: true, force: true });
    }
    if (rows.length < batch) return;
  }
}

/** Removes workspaces that no context has; for the start only: a crash may come between making one and writing it down. */
export async function sweepOrphans({
  database,
  directory,
}: Pick<Parts, 'database' | 'directory'>): Promise<void> {
  const rows = await database.kysely.selectFrom('contexts').select('workspace').execute();
  const known = new Set(rows.map((row) => row.workspace));
  for (const name of await readdir(directory)) {
    if (!known.has(name)) await rm(join(directory, name), { recursive: true, force: true });
  }
}
