import { KediError } from '../domain/errors.js';
import type { Observer, TaskLog } from '../domain/ports.js';
import { type Entry, isTerminal, stateAfter, type TaskKey, type TaskRecord } from '../domain/task.js';
import type { Commits, Unit } from './commits.js';
import { listContexts } from './contexts.js';
import type { Database, Step, Value } from './database.js';
import { listTasks, listUnfinished } from './list.js';
import { type Batch, createLives, type Live, type Pending, taskName } from './live.js';
import { cut, decoded, rowsOfRead, slice } from './rows.js';
import { type Statements, type TaskRow, taskRecord } from './statements.js';

/** The log, and what only the store's own parts may do with it. */
export interface StoredLog extends TaskLog {
  /** These tasks are gone from the database: nobody shall wait for them. */
  forget(keys: readonly TaskKey[]): void;
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
  const lives = createLives();
  const opening = new Map<string, Promise<void>>();

  const select = async (key: TaskKey): Promise<TaskRecord | undefined> => {
    const [row] = await database.query<TaskRow>(statements.selectTask, [key.principal, key.taskId]);
    return row === undefined ? undefined : taskRecord(row);
  };

  const load = async (key: TaskKey): Promise<Live | undefined> => {
    const known = lives.get(key);
    if (known !== undefined) return known;
    const record = await select(key);
    // Meanwhile another call may have loaded it, and two of one task would tell different tales.
    return lives.get(key) ?? (record === undefined ? undefined : lives.add(record));
  };

  const write = (live: Live, entries: readonly Entry[], create: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const pending = live.pending ?? { entries: [], settle: [] };
      for (const entry of entries) {
        pending.entries.push(entry);
        live.state = stateAfter(entry) ?? live.state;
      }
      pending.settle.push({ resolve, reject });
      if (live.pending === pending) return;
      live.pending = pending;
      commits.add(unitOf(live, pending, create));
    });

  const add = async (live: Live | undefined, key: TaskKey, entries: readonly Entry[]): Promise<void> => {
    if (live === undefined) throw new KediError('INTERNAL', `There is no task ${key.taskId} to append to.`);
    if (isTerminal(live.state)) {
      throw new KediError('INTERNAL', `The task ${key.taskId} has ended: nothing can be appended.`);
    }
    if (entries.length > 0) await write(live, entries, false);
  };

  const unitOf = (live: Live, pending: Pending, create: boolean): Unit => {
    let record = live.record;
    let batches: readonly Batch[] = [];
    return {
      steps() {
        live.pending = undefined;
        const rows = cut(pending.entries, live.record.length);
        batches = rows.map(({ first, entries, bytes }) => ({ first, entries, bytes }));
        record = extended(live.record, pending.entries);
        const { principal, taskId } = record;
        const steps: Step[] = rows.map(({ first, entries, text }) => ({
          statement: statements.insertRow,
          values: [principal, taskId, first, entries.length, text],
        }));
        if (create) steps.unshift({ statement: statements.insertTask, values: columnsOf(record, home) });
        else if (record.updatedAt !== live.record.updatedAt || record.state !== live.record.state) {
          steps.push({
            statement: statements.updateTask,
            values: [record.state, record.updatedAt, principal, taskId],
          });
        }
        return steps;
      },
      committed() {
        live.record = record;
        lives.remember(live, batches);
        observer.appended?.({
          entries: pending.entries.length,
          bytes: batches.reduce((sum, batch) => sum + batch.bytes, 0),
        });
        for (const { resolve } of pending.settle) resolve();
        const ended = isTerminal(record.state);
        for (const waiter of live.waiters) if (ended || record.length > waiter.length) waiter.wake();
      },
      failed(error) {
        if (live.pending === pending) live.pending = undefined;
        live.state = live.record.state;
        if (create) lives.remove(live.record);
        for (const { reject } of pending.settle) reject(error);
        // Whoever follows would wait for what may never come.
        for (const waiter of live.waiters) waiter.fail(error);
      },
    };
  };

  const refuse = (error: unknown): never => {
    throw error instanceof KediError ? error : database.judge(error).error;
  };

  /** The rows from the one with entry `from` on, `rows` of them at most. */
  const rowsOf = async (
    { principal, taskId }: TaskKey,
    { from, rows }: { readonly from: number; readonly rows: number },
  ): Promise<readonly Batch[]> => {
    const found = await database.query(statements.selectRows, [
      principal,
      taskId,
      principal,
      taskId,
      from,
      rows,
    ]);
    return found.map(decoded);
  };

  return {
    async create(record, entries) {
      if (lives.get(record) !== undefined) throw exists(record.taskId);
      await write(lives.add({ ...record, length: 0 }), entries, true);
    },

    append(key, entries) {
      const name = taskName(key);
      const before = opening.get(name);
      const live = lives.get(key);
      if (live !== undefined && before === undefined) return add(live, key, entries);
      // Loading takes turns, and what is appended meanwhile must not overtake what was appended before.
      const added = (before ?? Promise.resolve())
        .then(() => load(key))
        .then((loaded) => ({ durable: add(loaded, key, entries) }));
      const opened = added.then(
        () => {},
        () => {},
      );
      opening.set(name, opened);
      opened.then(() => {
        if (opening.get(name) === opened) opening.delete(name);
      });
      return added.then(({ durable }) => durable);
    },

    async get(key) {
      const live = database.shared ? undefined : lives.get(key);
      if (live === undefined) return readable(key) ? await select(key) : undefined;
      return live.record.length === 0 ? undefined : live.record;
    },

    async opening(key) {
      const first = lives.get(key)?.tail[0];
      if (first?.first === 0) return first.entries[0];
      const [row] = readable(key) ? await rowsOf(key, { from: 0, rows: 1 }) : [];
      return row?.entries[0];
    },

    async read(key, from) {
      const live = lives.get(key);
      const start = live?.tail[0]?.first;
      if (live !== undefined && start !== undefined && from >= start && from < live.record.length) {
        return slice(live.tail, from);
      }
      if (live !== undefined && !database.shared && from >= live.record.length) return [];
      if (!readable(key)) return [];
      return slice(await rowsOf(key, { from, rows: rowsOfRead }), from);
    },

    async grown(key, length, signal) {
      signal.throwIfAborted();
      const live = await load(key);
      if (live === undefined || live.record.length > length || isTerminal(live.record.state)) return;
      await new Promise<void>((resolve, reject) => {
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
    },

    list: (query) => listTasks(database.kysely, query).catch(refuse),
    contexts: (query) => listContexts(database.kysely, query).catch(refuse),
    unfinished: (states) => listUnfinished(database.kysely, { states, home }).catch(refuse),
    forget(keys) {
      for (const key of keys) {
        const live = lives.get(key);
        // One that runs has been left where it is.
        if (live?.pending === undefined && live?.state !== 'submitted' && live?.state !== 'working') {
          lives.remove(key);
        }
      }
    },
  };
}

const exists = (taskId: string): KediError => new KediError('INTERNAL', `The task ${taskId} exists already.`);

/** No stored key has a NUL, and a database may cut a text there: such a key is of nothing. */
const readable = ({ principal, taskId }: TaskKey): boolean =>
  !taskId.includes('\0') && !principal.includes('\0');

/** The record after these entries: its state, since when, and its length. */
function extended(record: TaskRecord, entries: readonly Entry[]): TaskRecord {
  let { state, updatedAt } = record;
  for (const entry of entries) {
    const next = stateAfter(entry);
    if (next === undefined || next === state) continue;
    state = next;
    updatedAt = entry.at;
  }
  return { ...record, state, updatedAt, length: record.length + entries.length };
}

const columnsOf = (record: TaskRecord, home: string): readonly Value[] => [
  record.principal,
  record.taskId,
  record.contextId,
  record.agentKind,
  record.structured ? 1 : 0,
  record.state,
  record.createdAt,
  record.updatedAt,
  home,
];
