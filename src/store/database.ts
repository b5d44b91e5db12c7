import type { Kysely } from 'kysely';
import { KediError } from '../domain/errors.js';
import type { TaskKey } from '../domain/task.js';
import type { Tables } from './tables.js';

/** All that the tables hold. libsql aborts the process on a boolean, so there is none. */
export type Value = string | number;

/** A statement made once; its values follow in the order of its placeholders. */
export interface Statement<Row> {
  readonly sql: string;
  /** Only for the compiler: what a row looks like. */
  readonly row?: Row;
}

/** One statement of a transaction, with its values. */
export interface Step {
  readonly statement: Statement<unknown>;
  readonly values: readonly Value[];
  /** The name of what it writes to, by which `query` finds it again. */
  readonly about?: string;
  /** The task that it makes, which must not be there. */
  readonly creates?: TaskKey;
  /** The log that has grown by it, for whoever listens. */
  readonly grows?: Growth;
}

/** A task's log has this length now. */
export interface Growth extends TaskKey {
  readonly length: number;
}

/**
 * What a kind of database offers to the store; everything above this line is the same for all. Queries off the hot
 * path are Kysely's; those of every turn are compiled by it once, and prepared once by the database.
 */
export interface Database {
  readonly kysely: Kysely<Tables>;
  /** Others write to it as well: what memory knows of a task may be old. */
  readonly shared: boolean;
  /** To be called once, when all tables are there and before the first transaction. Rejects with a KediError. */
  begin?(): Promise<void>;
  /** All steps in one transaction, in order; durable when it resolves. Not to be called while one is under way. */
  transact(steps: readonly Step[]): Promise<void>;
  /** Sees all that was transacted before, at least of what `about` names. Rejects with a KediError. */
  query<Row>(statement: Statement<Row>, values: readonly Value[], about?: string): Promise<readonly Row[]>;
  /** Where it is shared: hears from now on what anyone writes to logs; `missed`: and may not have heard all before. */
  listen?(heard: (growth: Growth | 'missed') => void): void;
  /** What keeps it from showing all that was transacted, if anything does. */
  trouble?(): KediError | undefined;
  /** What an error of this database means for its caller. */
  judge(error: unknown): Trouble;
  close(): Promise<void>;
}

/** What an error of a database means, and what its caller is told. */
export type Trouble =
  /** A key exists already: only the step that hit it is at fault. */
  | { readonly kind: 'conflict'; readonly error: Conflict }
  /** Somebody holds a lock: it is worth trying again. */
  | { readonly kind: 'busy'; readonly error: KediError }
  | { readonly kind: 'unavailable'; readonly error: KediError };

/** What was to be stored is there already: somebody else was first. */
export class Conflict extends KediError {
  constructor(cause: unknown) {
    super('INTERNAL', 'What was to be stored is there already.', { cause });
  }
}

/** For queries of Kysely's: throws what an error means instead of the error; one that says it by itself stays. */
export const refusal =
  ({ judge }: Pick<Database, 'judge'>) =>
  (error: unknown): never => {
    throw error instanceof KediError ? error : judge(error).error;
  };
