import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { KediError } from '../domain/errors.js';
import type { Tables } from './tables.js';

/**
 * Steps of the schema, by names that sort; a released one never changes, a new one is added at the end. Each is said
 * in terms that SQLite and PostgreSQL share.
 */
const migrations: Readonly<Record<string, Migration>> = {
  '001-tasks': {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable('tasks')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('context_id', 'text', (column) => column.notNull())
        .addColumn('agent_kind', 'text', (column) => column.notNull())
        .addColumn('structured', 'integer', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('updated_at', 'bigint', (column) => column.notNull())
        .addColumn('home', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('tasks_key', ['principal', 'id'])
        .execute();
      await database.schema
        .createIndex('tasks_by_change')
        .on('tasks')
        .columns(['principal', 'updated_at', 'id', 'state'])
        .execute();
      await database.schema
        .createIndex('tasks_by_context')
        .on('tasks')
        .columns(['principal', 'context_id', 'updated_at', 'id', 'created_at'])
        .execute();

      await database.schema
        .createTable('log')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('task_id', 'text', (column) => column.notNull())
        .addColumn('first', 'integer', (column) => column.notNull())
        .addColumn('count', 'integer', (column) => column.notNull())
        .addColumn('entries', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('log_key', ['principal', 'task_id', 'first'])
        .execute();

      await database.schema
        .createTable('contexts')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('context_id', 'text', (column) => column.notNull())
        .addColumn('workspace', 'text', (column) => column.notNull())
        .addColumn('used_at', 'bigint', (column) => column.notNull())
        .addPrimaryKeyConstraint('contexts_key', ['principal', 'context_id'])
        .execute();
      await database.schema
        .createIndex('contexts_by_use')
        .on('contexts')
        .columns(['used_at', 'principal', 'context_id'])
        .execute();

      await database.schema
        .createTable('sessions')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('context_id', 'text', (column) => column.notNull())
        .addColumn('agent_kind', 'text', (column) => column.notNull())
        .addColumn('session', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('sessions_key', ['principal', 'context_id', 'agent_kind'])
        .execute();

      await database.schema
        .createTable('facts')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('value', 'text', (column) => column.notNull())
        .execute();
    },
  },
  '002-webhooks': {
    async up(database: Kysely<unknown>) {
      await database.schema
        .createTable('webhooks')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('task_id', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('url', 'text', (column) => column.notNull())
        .addColumn('token', 'text', (column) => column.notNull())
        .addColumn('scheme', 'text', (column) => column.notNull())
        .addColumn('credentials', 'text', (column) => column.notNull())
        .addColumn('told', 'integer', (column) => column.notNull())
        .addColumn('over', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('webhooks_key', ['principal', 'task_id', 'id'])
        .execute();
    },
  },
  // A version before this one would not see the journal, nor read rows that were joined: it must not start.
  '003-journal': { async up() {} },
};

/** Brings the schema up to date. One that a newer program wrote, or a step that fails: KediError STORE_UNAVAILABLE. */
export async function migrate(kysely: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } });
  const newer = (await applied(kysely)).find((name) => !(name in migrations));
  if (newer !== undefined) {
    throw new KediError(
      'STORE_UNAVAILABLE',
      `The store was written by a newer version of this program (its migration "${newer}" is unknown here).`,
    );
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new KediError('STORE_UNAVAILABLE', `The store could not be brought up to date: ${reason}`, {
      cause: error,
    });
  }
}

async function applied(kysely: Kysely<Tables>): Promise<readonly string[]> {
  const tables = await kysely.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(kysely);
  return rows.map((row) => row.name);
}
