import { closeSync, openSync } from 'node:fs';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { KediError } from '../domain/errors.js';
import { Conflict, type Database, type Statement, type Step, type Trouble, type Value } from './database.js';
import type { Tables } from './tables.js';

/**
 * A SQLite file as the store's database, in WAL. `durability` normal: a commit survives the process; full: it is synced
 * to the disk and survives the loss of power. Cannot be opened: KediError STORE_UNAVAILABLE.
 */
export function openSqlite(options: {
  readonly file: string;
  readonly durability: 'normal' | 'full';
}): Database {
  // Prompts and answers are in it; its WAL takes over its mode.
  closeSync(openSync(options.file, 'a', 0o600));
  const connection = connect(options.file);
  const statements = new Map<string, Libsql.Statement>();

  const prepare = (sql: string): Libsql.Statement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = connection.prepare(sql);
    // Only lists make statements without end: one for each number of states asked for, and of deletions at once.
    if (statements.size >= 200) statements.clear();
    statements.set(sql, made);
    return made;
  };
  const run = (sql: string, values: readonly unknown[]) => prepare(sql).run([...checked(values)]);
  const all = (sql: string, values: readonly unknown[]) => prepare(sql).all([...checked(values)]);

  const kysely = new Kysely<Tables>({
    dialect: new SqliteDialect({
      database: {
        prepare: (sql) => {
          const statement = prepare(sql);
          return {
            reader: statement.reader,
            all: (values) => all(sql, values),
            run: (values) => run(sql, values),
            iterate: (values) => all(sql, values)[Symbol.iterator](),
          };
        },
        close: () => {},
      },
    }),
  });

  try {
    connection.exec('pragma journal_mode = wal');
    connection.exec(`pragma synchronous = ${options.durability}`);
    // What a burst of writes leaves of the WAL is given back.
    connection.exec(`pragma journal_size_limit = ${64 * 1024 * 1024}`);
  } catch (error) {
    connection.close();
    throw judge(error).error;
  }

  return {
    kysely,
    shared: false,
    async transact(steps: readonly Step[]) {
      run('begin immediate', []);
      try {
        for (const { statement, values } of steps) run(statement.sql, values);
        run('commit', []);
      } catch (error) {
        if (connection.inTransaction) run('rollback', []);
        throw error;
      }
    },
    async query<Row>(statement: Statement<Row>, values: readonly Value[]) {
      try {
        const rows: readonly unknown[] = all(statement.sql, values);
        return rows as readonly Row[];
      } catch (error) {
        throw judge(error).error;
      }
    },
    judge,
    async close() {
      statements.clear();
      await kysely.destroy();
      // Statements live until the collector comes, and the connection with them: the WAL would stay behind.
      try {
        connection.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // On a full or locked disk the WAL stays, and the next start takes it over.
      }
      connection.close();
    },
  };
}

/** A connection that answers at once when somebody else holds the lock: whoever waits must not hold up the process. */
export function connect(file: string): Libsql.Database {
  try {
    return new Libsql(file, { timeout: 0 });
  } catch (error) {
    throw judge(error).error;
  }
}

/** libsql ends the process for a value of another type; an error is better. */
function checked(values: readonly unknown[]): readonly unknown[] {
  for (const value of values) {
    if (typeof value !== 'string' && typeof value !== 'number' && value !== null) {
      throw new TypeError(`A ${typeof value} cannot be stored.`);
    }
  }
  return values;
}

function judge(error: unknown): Trouble {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fail = (kind: Exclude<Trouble['kind'], 'conflict'>, sentence: string): Trouble => ({
    kind,
    error: new KediError('STORE_UNAVAILABLE', sentence, { cause: error }),
  });
  if (code.startsWith('SQLITE_CONSTRAINT')) return { kind: 'conflict', error: new Conflict(error) };
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return fail('busy', 'The store is locked by another program.');
  }
  // The latter where the disk has no room for the memory that a store's connections share.
  if (code.startsWith('SQLITE_FULL') || code === 'SQLITE_IOERR_SHMSIZE')
    return fail('unavailable', 'The store cannot be written: the disk is full.');
  if (code.startsWith('SQLITE_READONLY'))
    return fail('unavailable', 'The store cannot be written: it is read-only.');
  if (code.startsWith('SQLITE_CANTOPEN')) return fail('unavailable', 'The store cannot be opened.');
  if (code.startsWith('SQLITE_CORRUPT') || code.startsWith('SQLITE_NOTADB')) {
    return fail('unavailable', 'The store is damaged: it is not a database that can be read.');
  }
  const reason = error instanceof Error ? error.message : String(error);
  return fail('unavailable', `The store cannot be used: ${reason}`);
}
