import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import { compileStatements } from './statements.js';
import type { Tables } from './tables.js';

/** How Kysely speaks to SQLite, but for the driver. */
export const sqlite = {
  createQueryCompiler: () => new SqliteQueryCompiler(),
  createAdapter: () => new SqliteAdapter(),
  createIntrospector: (database: Kysely<unknown>) => new SqliteIntrospector(database),
};

/** The store's statements as SQLite has them, and as they stand in a journal. */
export const sqliteStatements = compileStatements(
  new Kysely<Tables>({ dialect: { ...sqlite, createDriver: () => new DummyDriver() } }),
);
