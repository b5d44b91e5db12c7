/** The tables, the same in every database: text, and integers that a double holds; no booleans, no text with NUL. */
export interface Tables {
  tasks: TasksTable;
  log: LogTable;
  contexts: ContextsTable;
  sessions: SessionsTable;
  facts: FactsTable;
  webhooks: WebhooksTable;
}

/** A task without its log; its length is the end of its last row there. */
export interface TasksTable {
  readonly principal: string;
  readonly id: string;
  readonly context_id: string;
  readonly agent_kind: string;
  /** 1: it asked for a typed result. */
  readonly structured: number;
  readonly state: string;
  readonly created_at: number;
  readonly updated_at: number;
  /** The data directory whose server runs it: after a crash each server recovers its own. */
  readonly home: string;
}

/** Entries of one task that became durable together: `count` of them from index `first` on. */
export interface LogTable {
  readonly principal: string;
  readonly task_id: string;
  readonly first: number;
  readonly count: number;
  readonly entries: string;
}

/** A context that has a workspace or a session: the workspace's directory, and when a turn last began in it. */
export interface ContextsTable {
  readonly principal: string;
  readonly context_id: string;
  readonly workspace: string;
  readonly used_at: number;
}

/** What a kind of agent calls a context. */
export interface SessionsTable {
  readonly principal: string;
  readonly context_id: string;
  readonly agent_kind: string;
  readonly session: string;
}

/** Where a client wants to be told of a task; empty text stands for what it did not give. */
export interface WebhooksTable {
  readonly principal: string;
  readonly task_id: string;
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly scheme: string;
  readonly credentials: string;
  /** How many entries of the log were told. */
  readonly told: number;
  /** 1: nothing more will be told. */
  readonly over: number;
}

/** What the store notes about itself. */
export interface FactsTable {
  readonly name: string;
  readonly value: string;
}
