import Libsql from 'libsql';

/** A connection to a SQLite file; each of its statements is prepared once. Throws libsql's errors. */
export interface Connection {
  readonly database: Libsql.Database;
  prepare(sql: string): Libsql.Statement;
  run(sql: string, values: readonly unknown[]): Libsql.RunResult;
  all(sql: string, values: readonly unknown[]): readonly unknown[];
  close(): void;
}

/** A connection that answers at once when somebody else holds the lock: whoever waits must not hold up the process. */
export const connect = (file: string): Libsql.Database => new Libsql(file, { timeout: 0 });

/**
 * Opens a file in WAL, where one connection writes while others read. `synchronous` full: what it commits survives the
 * loss of power; normal: only what was synced since.
 */
export function openConnection(file: string, synchronous: 'normal' | 'full'): Connection {
  const database = connect(file);
  try {
    // Of a new file: a typed result with its schema would have a page of 4 KiB, the default, almost for itself.
    database.exec('pragma page_size = 16384');
    database.exec('pragma journal_mode = wal');
    database.exec(`pragma synchronous = ${synchronous}`);
    // What a burst of writes leaves of the WAL is given back.
    database.exec(`pragma journal_size_limit = ${64 * 1024 * 1024}`);
  } catch (error) {
    database.close();
    throw error;
  }
  const statements = new Map<string, Libsql.Statement>();
  const prepare = (sql: string): Libsql.Statement => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const made = database.prepare(sql);
    // Only lists make statements without end: one for each number of states asked for, and of deletions at once.
    if (statements.size >= 200) statements.clear();
    statements.set(sql, made);
    return made;
  };
  return {
    database,
    prepare,
    run: (sql, values) => prepare(sql).run(checked(values)),
    all: (sql, values) => prepare(sql).all(checked(values)),
    close() {
      statements.clear();
      // Statements live until the collector comes, and the connection with them: the WAL would stay behind.
      try {
        database.exec('pragma wal_checkpoint(truncate)');
      } catch {
        // On a full or locked disk the WAL stays, and the next start takes it over.
      }
      database.close();
    },
  };
}

/** A copy, since libsql takes only its own; and it ends the process for a value of another type: an error is better. */
function checked(values: readonly unknown[]): unknown[] {
  for (const value of values) {
    if (typeof value !== 'string' && typeof value !== 'number' && value !== null) {
      throw new TypeError(`A ${typeof value} cannot be stored.`);
    }
  }
  return [...values];
}
