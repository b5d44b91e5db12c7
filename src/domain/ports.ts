import type { FailureCode } from './errors.js';
import type { ContextKey, Entry, TaskKey, TaskRecord, TaskState } from './task.js';

/** Which tasks of a principal to list, newest change first (A2A 1.0, ListTasks). */
export interface TaskQuery {
  readonly principal: string;
  readonly contextId?: string;
  readonly states?: readonly TaskState[];
  /** Only tasks whose state changed at or after this time. */
  readonly updatedSince?: number;
  readonly limit: number;
  /** `next` of the page before. A malformed one: KediError INVALID_PARAMS. */
  readonly page?: string;
}

/** One page of the tasks that were asked for. */
export interface TaskPage {
  readonly records: readonly TaskRecord[];
  /** How many match in all pages together. */
  readonly total: number;
  readonly next: string | undefined;
  /** The page that begins after this record, for who takes less of this one. */
  after(record: TaskRecord): string;
}

/** Which contexts (the chat calls them sessions) of a principal to list, the one with the newest change first. */
export interface ContextQuery {
  readonly principal: string;
  /** Only this one. */
  readonly contextId?: string;
  readonly limit: number;
  /** `next` of the page before. A malformed one: KediError INVALID_PARAMS. */
  readonly page?: string;
}

/** A context as its tasks show it; there is none without a task. */
export interface ContextRecord extends ContextKey {
  /** When its first task was opened. */
  readonly createdAt: number;
  /** When the state of one of its tasks last changed. */
  readonly updatedAt: number;
  /** How many tasks it has. */
  readonly tasks: number;
  /** The one opened last. */
  readonly latest: TaskRecord;
}

/** One page of the contexts that were asked for. */
export interface ContextPage {
  readonly contexts: readonly ContextRecord[];
  /** How many there are in all pages together. */
  readonly total: number;
  readonly next: string | undefined;
}

/**
 * The append-only logs of all tasks. What is written within one turn of the event loop becomes durable together, one
 * row a task at most; nothing can be read before it is durable.
 */
export interface TaskLog {
  /** Other servers write to it as well, and may end what runs here. */
  readonly shared: boolean;
  /** Opens a task with its first entries; resolves when durable. An id that exists: KediError INTERNAL. */
  create(record: Omit<TaskRecord, 'length'>, entries: readonly Entry[]): Promise<void>;
  /**
   * Adds entries; resolves when durable, in the order of the calls. The record's state and time follow from the
   * entries. Beyond a terminal state: KediError INTERNAL, nothing written. A full disk: KediError STORE_UNAVAILABLE.
   * `after`: only as the entry of this index; somebody else was first: KediError INTERNAL, nothing written.
   */
  append(key: TaskKey, entries: readonly Entry[], only?: { readonly after: number }): Promise<void>;
  get(key: TaskKey): Promise<TaskRecord | undefined>;
  /** The entry that opened the task, at the price of one row whatever the log holds; undefined for an unknown task. */
  opening(key: TaskKey): Promise<Entry | undefined>;
  /** Durable entries from index `from` on, a bounded number of them; an empty list at the present end. */
  read(key: TaskKey, from: number): Promise<readonly Entry[]>;
  /**
   * Resolves once the log has more than `length` durable entries, or its task has ended or is gone; rejects when aborted,
   * or when what was to become durable could not.
   */
  grown(key: TaskKey, length: number, signal: AbortSignal): Promise<void>;
  list(query: TaskQuery): Promise<TaskPage>;
  contexts(query: ContextQuery): Promise<ContextPage>;
  /** Tasks of all principals in one of these states, oldest first: for recovery after a crash. */
  unfinished(states: readonly TaskState[]): Promise<readonly TaskRecord[]>;
}

/** What is kept for a conversation: the agent's own name for it, and its workspace. */
export interface Sessions {
  /** What is known of the context, and notes that it is in use now. `isNew`: nothing can be known, and nobody looks. */
  open(key: ContextKey & { readonly isNew?: boolean }, agentKind: string): Promise<OpenSession>;
}

/** A context as an agent has it for one turn. */
export interface OpenSession {
  /** What this kind of agent called the conversation last time. */
  readonly session: string | undefined;
  /** Resolves when the agent's new name for the conversation is durable. */
  rename(session: string): Promise<void>;
  /**
   * Path of the context's own directory, mode 0700, made when first asked for: many agents never look at it. Cannot be
   * made: KediError STORE_UNAVAILABLE.
   */
  workspace(): string;
}

/** Where a client wants to be told of a task (A2A 1.0, 4.3.1), and how far that has come. */
export interface Webhook extends TaskKey {
  readonly id: string;
  readonly url: string;
  readonly token?: string;
  /** `Authorization` of every notification: scheme and credentials. */
  readonly authentication?: { readonly scheme: string; readonly credentials?: string };
  /** Everything in the first so many entries of the log has been told. */
  readonly told: number;
}

/** The webhooks of all tasks; they go with their tasks. */
export interface Webhooks {
  /** Keeps a webhook, in place of one of the same task and id; resolves when durable. */
  put(webhook: Webhook): Promise<void>;
  /** By id, those of one task. */
  list(key: TaskKey): Promise<readonly Webhook[]>;
  /** Whether there was one. */
  remove(key: TaskKey, id: string): Promise<boolean>;
  /** Notes how far a webhook was told; `over`: nothing more will be. */
  advance(webhook: Webhook, progress: { readonly told: number; readonly over: boolean }): Promise<void>;
  /** Those of this server's tasks to which something is still to be told, for its start. */
  unfinished(): Promise<readonly Webhook[]>;
}

/** Told by the engine and the store what they do, for metrics. Each call is cheap, and must not throw. */
export interface Observer {
  /** An agent begins to run. */
  turnStarted?(turn: { readonly agentKind: string }): void;
  /** A turn has ended with the state its task is in now; `seconds` since the agent began, 0 if it never did. */
  turnEnded?(turn: {
    readonly agentKind: string;
    readonly state: TaskState;
    readonly code: FailureCode | undefined;
    readonly seconds: number;
  }): void;
  /** Turns that run and turns that wait, whenever either changes. */
  queueChanged?(counts: { readonly running: number; readonly pending: number }): void;
  /** What a task was given in one turn of the event loop has become durable. */
  appended?(append: { readonly entries: number; readonly bytes: number }): void;
  /** A transaction of the store has ended, however it did. */
  committed?(commit: { readonly ok: boolean; readonly seconds: number }): void;
}

/** Told what takes how long, for traces. */
export interface Tracing {
  /** Begins a span below the one that is active. */
  start(name: string, attributes?: LogFields): Span;
}

/** A piece of work whose time is taken. */
export interface Span {
  /** Runs with this span active, for spans below it. */
  within<T>(run: () => T): T;
  /** `failure`: a code or a few words, where it did not go well. */
  end(failure?: string): void;
}

/** Structured logging; `fields` hold ids and figures, never prompts, documents or secrets. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** What a line of the log says beside its message; undefined is left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;
