import type { Observer, TaskLog } from '../domain/ports.js';
import { isTerminal, nameOf, type TaskKey, type TaskRecord } from '../domain/task.js';
import { createAppends, type WithLive } from './appends.js';
import type { Commits } from './commits.js';
import { listContexts } from './contexts.js';
import { type Database, type Growth, refusal } from './database.js';
import { listTasks, listUnfinished } from './list.js';
import { type Batch, createLives, type Live } from './live.js';
import { decoded, rowsOfRead, slice } from './rows.js';
import { type Statements, type TaskRow, taskRecord } from './statements.js';

/** The log, and what only the store's own parts may do with it. */
export interface StoredLog extends TaskLog {
  readonly leaving: Leaving;
}

/** For tasks that are being removed: from `begin` on whoever asks for one waits, until `end` says that the database knows. */
export interface Leaving {
  /** False: the task runs, is written to or is being loaded, and has to stay. */
  begin(key: TaskKey): boolean;
  end(key: TaskKey): void;
}

interface Parts {
  readonly database: Database;
  readonly statements: Statements;
  readonly commits: Commits;
  readonly home: string;
  readonly observer: Observer;
}

/** The logs of all tasks over a database; `domain/ports.ts` says what it promises. */
export function createTaskLog({ database, statements, commits, home, observer }: Parts): StoredLog {
  const { shared } = database;
  const lives = createLives();
  const leaving = new Map<string, { readonly over: Promise<void>; readonly end: () => void }>();

  const select = async (key: TaskKey): Promise<TaskRecord | undefined> => {
    const { principal, taskId } = key;
    if (!readable(key)) return undefined;
    const name = nameOf(principal, taskId);
    // It is not always removed: it may have been answered since it was found, and run.
    await leaving.get(name)?.over;
    const [row] = await database.query<TaskRow>(statements.selectTask, [principal, taskId], name);
    return row === undefined ? undefined : taskRecord(row);
  };

  const loading = new Map<string, Promise<TaskRecord | undefined>>();
  /** Once for all who ask: nobody can write to the task before one of them has it in memory. */
  const selectOnce = (key: TaskKey): Promise<TaskRecord | undefined> => {
    const name = nameOf(key.principal, key.taskId);
    const known = loading.get(name);
    if (known !== undefined) return known;
    const selected = select(key).finally(() => loading.delete(name));
    loading.set(name, selected);
    return selected;
  };
  const withLive: WithLive = async (key, use) => {
    const known = lives.get(key);
    if (known !== undefined) return use(known);
    const record = await selectOnce(key);
    return use(lives.get(key) ?? (record === undefined ? undefined : lives.add(record)));
  };

  /** The rows from the one with entry `from` on, `rows` of them at most. */
  const rowsOf = async (
    key: TaskKey,
    { from, rows }: { readonly from: number; readonly rows: number },
  ): Promise<readonly Batch[]> => {
    if (!readable(key)) return [];
    const { principal, taskId } = key;
    const values = [principal, taskId, principal, taskId, from, rows];
    return (await database.query(statements.selectRows, values, nameOf(principal, taskId))).map(decoded);
  };

  /** Takes over what others have written to a task that is in memory. */
  const renew = async (key: TaskKey): Promise<void> => {
    const record = await select(key);
    const live = lives.get(key);
    if (live === undefined) return;
    if (record === undefined && live.record.length > 0) lives.remove(key);
    else if (record !== undefined && record.length > live.record.length) lives.renew(live, record);
  };
  const hear = (growth: Growth | 'missed'): void => {
    const behind =
      growth === 'missed'
        ? lives.followed().map(({ record }) => record)
        : [growth].filter(({ length }) => length > (lives.get(growth)?.record.length ?? length));
    // What cannot be read now is heard of again when the connection is back.
    for (const key of behind) renew(key).catch(() => {});
  };
  database.listen?.(hear);

  const refuse = refusal(database);

  return {
    shared,
    ...createAppends({ lives, withLive, statements, commits, shared, home, observer }),

    async get(key) {
      const live = shared ? undefined : lives.get(key);
      if (live === undefined) return await select(key);
      return live.record.length === 0 ? undefined : live.record;
    },

    async opening(key) {
      const first = lives.get(key)?.tail[0];
      if (first?.first === 0) return first.entries[0];
      const [row] = await rowsOf(key, { from: 0, rows: 1 });
      return row?.entries[0];
    },

    async read(key, from) {
      const live = lives.get(key);
      const start = live?.tail[0]?.first;
      if (live !== undefined && start !== undefined && from >= start && from < live.record.length) {
        return slice(live.tail, from);
      }
      if (live !== undefined && !shared && from >= live.record.length) return [];
      return slice(await rowsOf(key, { from, rows: rowsOfRead }), from);
    },

    async grown(key, length, signal) {
      signal.throwIfAborted();
      const more = (live: Live | undefined): Promise<void> | undefined => {
        if (live === undefined || live.record.length > length || isTerminal(live.record.state)) return;
        const woken = wait(live, { length, signal });
        // Others may have written between the loading and the waiting.
        if (shared) renew(key).catch((error: Error) => lives.fail(live, error));
        return woken;
      };
      const known = lives.get(key);
      await (known === undefined ? withLive(key, more) : more(known));
    },

    list: (query) => listTasks(database.kysely, query).catch(refuse),
    contexts: (query) => listContexts(database.kysely, query).catch(refuse),
    unfinished: (states) => listUnfinished(database.kysely, { states, home }).catch(refuse),
    leaving: {
      begin(key) {
        const live = lives.get(key);
        const { units, state } = live ?? { units: 0, state: undefined };
        if (units > 0 || state === 'submitted' || state === 'working') return false;
        const name = nameOf(key.principal, key.taskId);
        // Whoever loads it may have read it already, and would write to it.
        if (loading.has(name)) return false;
        lives.remove(key);
        let end = (): void => {};
        const over = new Promise<void>((resolve) => {
          end = resolve;
        });
        leaving.set(name, { over, end });
        return true;
      },
      end({ principal, taskId }) {
        const name = nameOf(principal, taskId);
        leaving.get(name)?.end();
        leaving.delete(name);
      },
    },
  };
}

/** Resolves when the task is longer than `length`, has ended or is gone. */
const wait = (
  live: Live,
  { length, signal }: { readonly length: number; readonly signal: AbortSignal },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const settle = (settled: () => void): void => {
      live.waiters.delete(waiter);
      signal.removeEventListener('abort', abort);
      settled();
    };
    const waiter = {
      length,
      wake: () => settle(resolve),
      fail: (error: Error) => settle(() => reject(error)),
    };
    const abort = (): void => settle(() => reject(signal.reason));
    live.waiters.add(waiter);
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
  });

/** No stored key has a NUL, and a database may cut a text there: such a key is of nothing. */
const readable = ({ principal, taskId }: TaskKey): boolean =>
  !taskId.includes('\0') && !principal.includes('\0');
