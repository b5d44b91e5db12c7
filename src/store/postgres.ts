import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import type { Client, ClientBase, CustomTypesConfig, Pool } from 'pg';
import { KediError } from '../domain/errors.js';
import {
  Conflict,
  type Database,
  type Growth,
  type Statement,
  type Step,
  type Trouble,
  type Value,
} from './database.js';
import type { Tables } from './tables.js';

/**
 * A PostgreSQL database as the store's, which several servers may share. Cannot be reached, or the package `pg` is not
 * installed: KediError STORE_UNAVAILABLE.
 */
export async function openPostgres({ url }: { readonly url: string }): Promise<Database> {
  const { default: pg } = await import('pg').catch((cause: unknown) => {
    throw new KediError('STORE_UNAVAILABLE', 'A store in PostgreSQL needs the package "pg".', { cause });
  });
  const config = { connectionString: url, types: numbersFrom(pg.types), connectionTimeoutMillis: 5_000 };
  const pool = new pg.Pool({ ...config, max: 8 });
  // A connection that breaks fails what it was at, and is replaced by the pool; its error without a listener, in use or
  // not, would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: discarding(pool) }) });

  const names = new Map<string, string>();
  /** Prepared by each connection when it first runs it. */
  const run = (client: ClientBase, { sql }: Statement<unknown>, values: readonly Value[]) => {
    const name = names.get(sql) ?? `kedi_${names.size}`;
    names.set(sql, name);
    return client.query({ name, text: sql, values: [...values] });
  };

  const closed = new AbortController();
  let listening: Promise<void> = Promise.resolve();
  try {
    await pool.query('select 1');
  } catch (error) {
    await pool.end();
    throw judge(error).error;
  }

  return {
    kysely,
    shared: true,
    async transact(steps: readonly Step[]) {
      const client = await pool.connect();
      let broken = true;
      try {
        // All at once: none waits for the answer to the one before.
        const answers = await Promise.allSettled([
          client.query('begin'),
          ...steps.map(({ statement, values }) => run(client, statement, values)),
          ...steps.flatMap(({ grows }) =>
            grows === undefined ? [] : [run(client, notify, [writeGrowth(grows)])],
          ),
        ]);
        const failure = answers.find((answer) => answer.status === 'rejected');
        await client.query(failure === undefined ? 'commit' : 'rollback');
        broken = false;
        if (failure !== undefined) throw failure.reason;
      } finally {
        client.release(broken);
      }
    },
    async query<Row>(statement: Statement<Row>, values: readonly Value[]) {
      try {
        const client = await pool.connect();
        let failed = true;
        try {
          const { rows } = await run(client, statement, values);
          failed = false;
          return rows;
        } finally {
          client.release(failed);
        }
      } catch (error) {
        throw judge(error).error;
      }
    },
    listen(heard) {
      listening = keepListening(() => new pg.Client(config), { heard, signal: closed.signal });
    },
    judge,
    async close() {
      closed.abort();
      await listening;
      await kysely.destroy();
    },
  };
}

const channel = 'kedi_a2a_log';
const notify: Statement<unknown> = { sql: `select pg_notify('${channel}', $1)` };

const writeGrowth = ({ principal, taskId, length }: Growth): string =>
  JSON.stringify([principal, taskId, length]);

function readGrowth(payload: string): Growth {
  const [principal, taskId, length]: readonly [string, string, number] = JSON.parse(payload);
  return { principal, taskId, length };
}

/**
 * A pool for Kysely, which gives back a connection as if it were good, whatever it did. One that a query failed on may be
 * closing, though the pool cannot see that yet, and whoever took it next would fail as well.
 */
const discarding = (pool: Pool): PostgresPool => ({
  async connect() {
    const client = await pool.connect();
    let failed = false;
    const query = async (sql: string, values: unknown[]) => {
      try {
        return await client.query(sql, values);
      } catch (error) {
        failed = true;
        throw error;
      }
    };
    return {
      // The form for cursors is left out: the store has none.
      query: query as unknown as PostgresPoolClient['query'],
      release: (discard) => client.release(failed || discard === true),
    };
  },
  end: () => pool.end(),
});

/** Hears what others write, on a connection of its own that is made anew whenever it breaks. */
async function keepListening(
  connect: () => Client,
  { heard, signal }: { readonly heard: (growth: Growth | 'missed') => void; readonly signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const client = connect();
    let leave = (): void => {};
    const broken = new Promise<void>((resolve) => {
      leave = resolve;
    });
    client.on('error', leave).on('end', leave);
    signal.addEventListener('abort', leave);
    try {
      client.on('notification', ({ payload = '' }) => heard(readGrowth(payload)));
      await client.connect();
      await client.query(`listen ${channel}`);
      heard('missed');
      await broken;
    } catch {
      await sleep(1_000, undefined, { signal }).catch(() => {});
    } finally {
      signal.removeEventListener('abort', leave);
      await client.end().catch(() => {});
    }
  }
}

/** Whole numbers of 64 bits, as counts and times are, come as numbers: none of them is beyond a double. */
const numbersFrom = (types: CustomTypesConfig): CustomTypesConfig => ({
  getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format)),
});

const int8 = 20;

function judge(error: unknown): Trouble {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const fail = (kind: Exclude<Trouble['kind'], 'conflict'>, sentence: string): Trouble => ({
    kind,
    error: new KediError('STORE_UNAVAILABLE', sentence, { cause: error }),
  });
  if (code === '23505') return { kind: 'conflict', error: new Conflict(error) };
  if (/^(40001|40P01|55P03)$/.test(code)) return fail('busy', 'The store is locked by another program.');
  if (code.startsWith('53')) return fail('unavailable', 'The store cannot be written: its server is full.');
  if (code.startsWith('28') || code === '3D000') {
    return fail('unavailable', 'The store refuses the name, the password or the database it was given.');
  }
  if (/^(08|57)/.test(code) || /^[A-Z]+$/.test(code) || code === '') {
    return fail('unavailable', 'The store cannot be reached.');
  }
  return fail('unavailable', `The store cannot be used (SQLSTATE ${code}).`);
}
