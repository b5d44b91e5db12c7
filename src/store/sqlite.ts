import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseConnection, Kysely, type SqliteDialectConfig, SqliteDriver } from 'kysely';
import { KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import { nameOf, type TaskKey } from '../domain/task.js';
import { createApplier } from './apply.js';
import { type Connection, openConnection } from './connection.js';
import { Conflict, type Database, type Statement, type Step, type Trouble, type Value } from './database.js';
import { createJournal, type Journal, syncDirectory } from './journal.js';
import { sqlite, sqliteStatements } from './sqlite-statements.js';
import type { Tables } from './tables.js';

/** So much may wait to be taken over: beyond it, whoever writes waits as well. */
const mostBehind = 64 * 1024 * 1024;

/** How long a lock that somebody else holds is waited for, and how often it is tried. */
const patience = { milliseconds: 5_000, pause: 25 } as const;

/**
 * SQLite as the store's database. What is transacted is written to a journal, and that makes it durable: one write for a
 * whole turn of the event loop. A thread takes it over into the tables, and a query waits until what it asks for is
 * there. `durability` normal: a transaction survives the process; full: it is synced to the disk and survives the loss of
 * power. Cannot be opened: KediError STORE_UNAVAILABLE.
 */
export async function openSqlite({
  directory,
  durability,
  logger,
}: {
  readonly directory: string;
  readonly durability: 'normal' | 'full';
  readonly logger: Logger;
}): Promise<Database> {
  const file = join(directory, 'store.db');
  const applier = createApplier({ directory, database: file, logger });
  let connection: Connection | undefined;
  let start: number;
  try {
    // Prompts and answers are in it; its WAL takes over its mode.
    closeSync(openSync(file, 'a', 0o600));
    // Here only migrations write, which the journal does not have.
    connection = openConnection(file, 'full');
    // Before any migration: its statements are for the tables that it was written for.
    start = await patiently(() => applier.recover());
  } catch (error) {
    connection?.close();
    await applier.close();
    throw judge(error).error;
  }
  const { prepare, run, all, close } = connection;
  let journal: Journal | undefined;
  const end = (): number => journal?.end() ?? start;

  /** Where the last transaction about a name ends, in order; of those that may not have been taken over. */
  const behind = new Map<string, number>();
  const reach = async (place: number): Promise<void> => {
    if (applier.applied() < place) await patiently(() => applier.reach(place));
  };
  /** Whether what is written now would only gather: not while somebody holds a lock for a moment. */
  const isStuck = (): boolean => {
    const { error, since } = applier.trouble() ?? {};
    if (since === undefined) return false;
    return judge(error).kind !== 'busy' || Date.now() - since > patience.milliseconds;
  };
  const written = ({ id }: Journal, steps: readonly Step[]): void => {
    for (const [name, place] of behind) {
      if (place > applier.applied()) break;
      behind.delete(name);
    }
    for (const { about } of steps) {
      if (about === undefined) continue;
      behind.delete(about);
      behind.set(about, end());
    }
    applier.advance(id, end());
  };

  const kysely = new Kysely<Tables>({
    dialect: {
      createDriver: () =>
        new PatientDriver(
          {
            database: {
              prepare: (sql) => ({
                reader: prepare(sql).reader,
                all: (values) => [...all(sql, values)],
                run: (values) => run(sql, values),
                iterate: (values) => all(sql, values)[Symbol.iterator](),
              }),
              close: () => {},
            },
          },
          () => reach(end()),
        ),
      ...sqlite,
    },
  });

  const isNew = watchIds(connection, behind);
  return {
    kysely,
    shared: false,
    async begin() {
      // Each run has a journal of its own, and the database knows of which: no other must be taken over into it.
      const id = randomBytes(8).toString('hex');
      try {
        // The one before must be gone for good by then.
        syncDirectory(directory);
        await patiently(async () => run(sqliteStatements.setFact.sql, ['journal_id', id]));
      } catch (error) {
        throw judge(error).error;
      }
      journal = createJournal({ directory, id, start, durability });
    },
    async transact(steps) {
      if (journal === undefined) throw new Error('there is no journal yet');
      for (const { creates } of steps) {
        if (creates !== undefined && !isNew(creates)) throw new Conflict('the task is there');
      }
      const most = isStuck() ? 0 : mostBehind;
      if (end() - applier.applied() > most) await applier.reach(end());
      await journal.append(steps);
      written(journal, steps);
    },
    async query<Row>(statement: Statement<Row>, values: readonly Value[], about?: string) {
      try {
        await reach(about === undefined ? end() : (behind.get(about) ?? 0));
        const rows: readonly unknown[] = all(statement.sql, values);
        return rows as readonly Row[];
      } catch (error) {
        throw judge(error).error;
      }
    },
    trouble() {
      const trouble = applier.trouble();
      return trouble === undefined ? undefined : judge(trouble.error).error;
    },
    judge,
    async close() {
      await kysely.destroy();
      journal?.close();
      await applier.close();
      close();
    },
  };
}

/** Tries again for a while where somebody else holds a lock. */
async function patiently<R>(attempt: () => Promise<R>): Promise<R> {
  for (const deadline = Date.now() + patience.milliseconds; ; ) {
    try {
      return await attempt();
    } catch (error) {
      if (judge(error).kind !== 'busy' || Date.now() > deadline) throw error;
      await sleep(patience.pause);
    }
  }
}

/** Of Kysely's queries too, none must miss what was transacted before it. */
class PatientDriver extends SqliteDriver {
  readonly #ready: () => Promise<void>;

  constructor(config: SqliteDialectConfig, ready: () => Promise<void>) {
    super(config);
    this.#ready = ready;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#ready();
    return await super.acquireConnection();
  }
}

/**
 * Tells whether there is no such task, and counts on its being made then. Ids grow, as a rule: one beyond all others is
 * new, and only another is looked for, in what is on its way to the database and in it.
 */
function watchIds({ all }: Connection, behind: ReadonlyMap<string, number>) {
  let greatest: string | undefined;
  return ({ principal, taskId }: TaskKey): boolean => {
    greatest ??= String(
      (all('select max(id) as id from tasks', []) as readonly { readonly id: string | null }[])[0]?.id ?? '',
    );
    if (taskId > greatest) {
      greatest = taskId;
      return true;
    }
    if (behind.has(nameOf(principal, taskId))) return false;
    return all('select id from tasks where principal = ? and id = ?', [principal, taskId]).length === 0;
  };
}

function judge(error: unknown): Trouble {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fail = (kind: Exclude<Trouble['kind'], 'conflict'>, sentence: string): Trouble => ({
    kind,
    error: new KediError('STORE_UNAVAILABLE', sentence, { cause: error }),
  });
  if (error instanceof Conflict) return { kind: 'conflict', error };
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return fail('busy', 'The store is locked by another program.');
  }
  // The third where the disk has no room for the memory that a store's connections share.
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code) || code === 'SQLITE_IOERR_SHMSIZE')
    return fail('unavailable', 'The store cannot be written: the disk is full.');
  if (/^(SQLITE_READONLY|EROFS|EACCES|EPERM)/.test(code))
    return fail('unavailable', 'The store cannot be written: it is read-only.');
  if (code.startsWith('SQLITE_CANTOPEN')) return fail('unavailable', 'The store cannot be opened.');
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return fail('unavailable', 'The store is damaged: it is not a database that can be read.');
  }
  // The operating system's own words name a file of the server.
  if (/^E[A-Z]+$/.test(code)) return fail('unavailable', `The store cannot be used (${code}).`);
  const reason = error instanceof Error ? error.message : String(error);
  return fail('unavailable', `The store cannot be used: ${reason}`);
}
