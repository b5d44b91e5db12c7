import type { Line } from './agent.js';
import type { FailureCode } from './errors.js';
import type { JsonText } from './json.js';
import type { Artifact, Message } from './message.js';

/** States of A2A 1.0, `TASK_STATE_…` in lower case with hyphens. */
export type TaskState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected';

/** Whether nothing more will ever be appended to a task in this state. */
export const isTerminal = (state: TaskState): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected';

/** Whether a task in this state waits for its client. */
export const isInterrupted = (state: TaskState): boolean =>
  state === 'input-required' || state === 'auth-required';

/** Everything in the store belongs to a principal; a stranger's id is an unknown id. */
export interface TaskKey {
  readonly principal: string;
  readonly taskId: string;
}

/** A key as one text, unlike that of any other. */
export const nameOf = (principal: string, id: string): string => `${principal.length}:${principal}${id}`;

/** Names a context; a client may choose the name, so it is unique within its principal's alone. */
export interface ContextKey {
  readonly principal: string;
  readonly contextId: string;
}

/** What a structured request asked for, kept with the task (Kedi structured output v1). */
export interface StructuredRequest {
  readonly schema: JsonText;
  readonly resultEncoding: 'json-utf8' | 'protobuf-value';
}

/**
 * One event of a task's log. Times are milliseconds since the epoch. The A2A task and its stream, the chat's frames
 * and the raw stream are all folds of these, in order, and of nothing else.
 */
export type Entry =
  /** A client's message; the first one opens the task (state `submitted`), and carries what was asked for. */
  | {
      readonly type: 'message';
      readonly at: number;
      readonly message: Message;
      readonly structured?: StructuredRequest;
      readonly metadata?: JsonText;
      readonly acceptedOutputModes: readonly string[];
    }
  /** The agent begins to run (state `working`); attempts count from 1, `why` tells the agent what was wrong before. */
  | { readonly type: 'run'; readonly at: number; readonly attempt: number; readonly why?: string }
  /** A line of the agent's, byte for byte, with what was understood of it. */
  | ({ readonly type: 'line'; readonly at: number } & Line)
  /** An artifact of the task, whole: the typed result after its check, or a text answer that no delta carried. */
  | { readonly type: 'artifact'; readonly at: number; readonly artifact: Artifact }
  /** Something the server has to say about the run, for the chat (a session begun anew, stderr withheld). */
  | { readonly type: 'notice'; readonly at: number; readonly status: string; readonly text: string }
  /** The run is over: waiting for the client, or for ever. `text` is in plain words; it becomes `status.message`. */
  | {
      readonly type: 'state';
      readonly at: number;
      readonly state: Exclude<TaskState, 'submitted' | 'working'>;
      readonly text?: string;
      readonly code?: FailureCode;
      readonly pointer?: string;
    };

/**
 * The state an entry puts its task in; undefined: it leaves the state alone. A follow-up makes its task wait for its
 * turn again, so it is `submitted` until it runs, and takes no second follow-up meanwhile.
 */
export const stateAfter = (entry: Entry): TaskState | undefined => {
  switch (entry.type) {
    case 'message':
      return 'submitted';
    case 'run':
      return 'working';
    case 'state':
      return entry.state;
    case 'line':
    case 'artifact':
    case 'notice':
      return undefined;
  }
};

/** What the store keeps beside a log so that lists and recovery need not read it. */
export interface TaskRecord extends TaskKey {
  readonly contextId: string;
  readonly agentKind: string;
  readonly structured: boolean;
  readonly state: TaskState;
  readonly createdAt: number;
  /** When the state last changed. */
  readonly updatedAt: number;
  /** How many entries the log has. */
  readonly length: number;
}
