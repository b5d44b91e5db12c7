import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { KediError } from '../domain/errors.js';
import type { Logger, Observer, Sessions, TaskLog, Webhooks } from '../domain/ports.js';
import { createCommits } from './commits.js';
import type { Database } from './database.js';
import { lockDirectory } from './lock.js';
import { migrate } from './migrations.js';
import { openPostgres } from './postgres.js';
import { createSweeper, defaultRetention, type Retention, sweepOrphans } from './retention.js';
import { createSessions } from './sessions.js';
import { openSqlite } from './sqlite.js';
import { compileStatements } from './statements.js';
import { createTaskLog } from './task-log.js';
import { createWebhooks } from './webhooks.js';

export type { Retention } from './retention.js';

export interface StoreOptions {
  /** The data directory, made if need be; no other server may have it. */
  readonly directory: string;
  /** normal: what was acknowledged survives `kill -9`; full: and the loss of power. */
  readonly durability: 'normal' | 'full';
  /** A PostgreSQL database, which several servers may share, each with a data directory of its own; else a SQLite file there. */
  readonly database?: { readonly url: string } | undefined;
  readonly logger: Logger;
  readonly retention?: Partial<Retention>;
  readonly observer?: Observer;
  readonly now?: () => number;
}

export interface Store {
  readonly log: TaskLog;
  readonly sessions: Sessions;
  readonly webhooks: Webhooks;
  /** Whether it can be written and read now, by doing both. */
  check(): Promise<Readiness>;
  /** Removes what is beyond its retention, at once; it also happens by itself. */
  sweep(): Promise<void>;
  /** Waits for what was given, then frees the data directory; whatever comes later is refused. */
  close(): Promise<void>;
}

export type Readiness = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Opens the store of a data directory and brings it up to date. In use, damaged, full: KediError STORE_UNAVAILABLE. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { directory, logger, observer = {}, now = Date.now } = options;
  const workspaces = join(directory, 'work');
  makeDirectory(workspaces);
  const lock = lockDirectory(directory);
  let database: Database | undefined;
  let home = '';
  try {
    database = await openDatabase(options);
    await migrate(database.kysely);
    await database.begin?.();
    await sweepOrphans({ database, directory: workspaces });
    if (database.shared) home = homeOf(directory);
  } catch (error) {
    await database?.close();
    lock.release();
    throw error instanceof KediError ? error : unavailable(error);
  }

  const statements = compileStatements(database.kysely);
  const commits = createCommits({ database, observer });
  const shared = { database, statements, commits, logger, now };
  const { leaving, ...log } = createTaskLog({ ...shared, home, observer });
  const sessions = createSessions({ ...shared, directory: workspaces });
  const sweeper = createSweeper({
    ...shared,
    directory: workspaces,
    retention: { ...defaultRetention, ...options.retention },
    leaving,
  });

  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    try {
      await sweeper.stop();
      await commits.close();
      await database.close();
    } finally {
      lock.release();
    }
  };

  return {
    log,
    sessions,
    webhooks: createWebhooks({ database, commits, home }),
    sweep: sweeper.sweep,
    async check() {
      // On a full disk a small row may still find its place where a task does not: after trouble it asks for room.
      const room = commits.trouble() === undefined ? '' : ' '.repeat(roomBytes);
      const checkedAt = `${new Date(now()).toISOString()}${room}`;
      const written = commits.write([{ statement: statements.setFact, values: ['checked_at', checkedAt] }]);
      return await Promise.race([
        // What was written must be there as well.
        written
          .then(() => database.query(statements.selectFact, ['checked_at']))
          .then(
            (): Readiness => ({ ok: true }),
            (error: Error): Readiness => ({ ok: false, reason: error.message }),
          ),
        sleep(checkMs, undefined, { ref: false }).then(
          (): Readiness => ({
            ok: false,
            reason: commits.trouble()?.message ?? 'The store does not answer.',
          }),
        ),
      ]);
    },
    close: () => (closing ??= close()),
  };
}

/** How long `check` waits for its answer. */
const checkMs = 1_000;

/** How much must find its place before a store that could not be written counts as well again. */
const roomBytes = 128 * 1024;

const openDatabase = ({ database, directory, durability, logger }: StoreOptions): Promise<Database> =>
  database === undefined
    ? openSqlite({ directory, durability, logger })
    : openPostgres({ url: database.url });

/** The name under which this data directory's server runs tasks, among the servers that share a database. */
function homeOf(directory: string): string {
  const file = join(directory, 'home');
  const known = existsSync(file) ? readFileSync(file, 'utf8') : '';
  // A full disk may have left it empty, and two servers of no name would end each other's tasks.
  if (known !== '') return known;
  const name = v7();
  writeFileSync(file, name, { mode: 0o600 });
  return name;
}

function makeDirectory(path: string): void {
  try {
    makeEach(resolve(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KediError('STORE_UNAVAILABLE', `The data directory cannot be made or used: ${reason}`, {
      cause: error,
    });
  }
}

/** One after the other: Node's own `recursive` never returns where the kernel makes none and says ENOENT, as in /proc. */
function makeEach(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  if (dirname(path) !== path) makeEach(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another may have made it in the meantime.
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}

const unavailable = (error: unknown): KediError =>
  new KediError('STORE_UNAVAILABLE', 'The store cannot be opened.', { cause: error });
