import { KediError } from '../domain/errors.js';
import type { Observer } from '../domain/ports.js';
import {
  type Entry,
  isTerminal,
  nameOf,
  stateAfter,
  type TaskKey,
  type TaskRecord,
  type TaskState,
} from '../domain/task.js';
import type { Commits, Unit } from './commits.js';
import { Conflict, type Step, type Value } from './database.js';
import type { Batch, Live, Lives, Pending } from './live.js';
import { cut } from './rows.js';
import type { Statements } from './statements.js';

/** The writing half of a log: what one turn of the event loop gives to a task becomes one unit of a transaction. */
export interface Appends {
  create(record: Omit<TaskRecord, 'length'>, entries: readonly Entry[]): Promise<void>;
  append(key: TaskKey, entries: readonly Entry[], only?: Only): Promise<void>;
}

/** Where entries must come, or nowhere. */
type Only = { readonly after: number };

/** Gives the task to `use` within the turn in which it is known to be in memory and up to date; undefined: there is none. */
export type WithLive = <R>(key: TaskKey, use: (live: Live | undefined) => R) => Promise<R>;

interface Given {
  readonly entries: readonly Entry[];
  readonly create: boolean;
  readonly only?: Only | undefined;
}

interface Parts {
  readonly lives: Lives;
  /** As the log has it: with the task in memory, read back from the database where it is not there. */
  readonly withLive: WithLive;
  readonly statements: Statements;
  readonly commits: Commits;
  /** Whether others write as well. */
  readonly shared: boolean;
  readonly home: string;
  readonly observer: Observer;
}

export function createAppends({
  lives,
  withLive,
  statements,
  commits,
  shared,
  home,
  observer,
}: Parts): Appends {
  const opening = new Map<string, Promise<void>>();

  const write = (live: Live, given: Given): Promise<void> =>
    new Promise((resolve, reject) => {
      const pending = live.pending ?? { entries: [], settle: [] };
      for (const entry of given.entries) {
        pending.entries.push(entry);
        live.state = stateAfter(entry) ?? live.state;
      }
      pending.settle.push({ resolve, reject });
      if (live.pending === pending) return;
      live.pending = pending;
      live.units += 1;
      commits.add(unitOf(live, pending, given));
    });

  const add = async (live: Live | undefined, key: TaskKey, given: Given): Promise<void> => {
    const { entries, only } = given;
    if (live === undefined) throw new KediError('INTERNAL', `There is no task ${key.taskId} to append to.`);
    if (isTerminal(live.state)) throw hasEnded(key);
    if (only !== undefined && (live.pending !== undefined || live.record.length !== only.after)) {
      throw new Conflict('somebody was first');
    }
    if (entries.length > 0) await write(live, given);
  };

  const unitOf = (live: Live, pending: Pending, { create, only }: Given): Unit => {
    let record = live.record;
    let batches: readonly Batch[] = [];
    return {
      steps() {
        live.pending = undefined;
        // Others may have written since it was given, and memory may have heard of it.
        if (isTerminal(live.record.state)) throw hasEnded(live.record);
        if (only !== undefined && live.record.length !== only.after) throw new Conflict('somebody was first');
        const { principal, taskId, length: first, state, updatedAt } = live.record;
        const rows = cut(pending.entries, first);
        batches = rows.map((row) => ({ first: row.first, entries: row.entries, bytes: row.bytes }));
        record = extended(live.record, pending.entries);
        const steps: Step[] = rows.map((row) => ({
          statement: statements.insertRow,
          values: [principal, taskId, row.first, row.entries.length, row.text],
          about: live.name,
          grows: { principal, taskId, length: row.first + row.entries.length },
        }));
        if (create) {
          const values = columnsOf(record, home);
          steps.unshift({ statement: statements.insertTask, values, creates: { principal, taskId } });
        } else if (record.state !== state || record.updatedAt !== updatedAt) {
          const values = [record.state, record.updatedAt, home, principal, taskId];
          steps.push({ statement: statements.updateTask, values });
        }
        return steps;
      },
      committed() {
        live.units -= 1;
        live.record = record;
        lives.remember(live, batches);
        const bytes = batches.reduce((sum, batch) => sum + batch.bytes, 0);
        observer.appended?.({ entries: pending.entries.length, bytes });
        for (const { resolve } of pending.settle) resolve();
      },
      failed(error) {
        live.units -= 1;
        if (live.pending === pending) live.pending = undefined;
        live.state = stateOver(live.record, live.pending?.entries ?? []);
        for (const { reject } of pending.settle) reject(error);
        // Whoever follows would wait for what may never come; but where others write, memory may only be behind.
        if (!(error instanceof Conflict) && !isTerminal(live.record.state)) lives.fail(live, error);
        if (create || shared) lives.remove(live.record);
      },
    };
  };

  return {
    async create(record, entries) {
      if (lives.get(record) !== undefined) {
        throw new KediError('INTERNAL', `The task ${record.taskId} exists already.`);
      }
      const { principal, taskId, contextId, agentKind, structured, state, createdAt, updatedAt } = record;
      const empty = {
        principal,
        taskId,
        contextId,
        agentKind,
        structured,
        state,
        createdAt,
        updatedAt,
        length: 0,
      };
      await write(lives.add(empty), { entries, create: true });
    },

    append: shared ? appendPatiently : append,
  };

  /** Where others write too, somebody may have been first at this place of the log: then it goes on after that. */
  async function appendPatiently(key: TaskKey, entries: readonly Entry[], only?: Only): Promise<void> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await append(key, entries, only);
      } catch (error) {
        if (!(error instanceof Conflict) || only !== undefined || tried === mostTries) throw error;
      }
    }
  }

  function append(key: TaskKey, entries: readonly Entry[], only?: Only): Promise<void> {
    const given = { entries, create: false, only };
    const name = nameOf(key.principal, key.taskId);
    const before = opening.get(name);
    const live = lives.get(key);
    if (live !== undefined && before === undefined) return add(live, key, given);
    // Loading takes turns, and what is appended meanwhile must not overtake what was appended before.
    const added = (before ?? Promise.resolve()).then(() =>
      withLive(key, (loaded) => ({ durable: add(loaded, key, given) })),
    );
    const opened = added.then(ignore, ignore);
    opening.set(name, opened);
    opened.then(() => {
      if (opening.get(name) === opened) opening.delete(name);
    });
    return added.then(({ durable }) => durable);
  }
}

const hasEnded = ({ taskId }: TaskKey): KediError =>
  new KediError('INTERNAL', `The task ${taskId} has ended: nothing can be appended.`);

/** Each time somebody else got in between, and has written more. */
const mostTries = 100;

const ignore = (): void => {};

/** The state after these entries. */
const stateOver = ({ state }: TaskRecord, entries: readonly Entry[]): TaskState =>
  entries.reduce((before, entry) => stateAfter(entry) ?? before, state);

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
