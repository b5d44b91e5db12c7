import type { JsonText } from './json.js';
import type { Message, Part } from './message.js';
import type { OutputSchema } from './schema.js';

/**
 * One line exactly as the agent wrote it, without its line ending; what a plain program writes to stdout (source `text`)
 * has no lines, and comes in pieces that joined are its output, line breaks included. `events` undefined: not
 * understood, the chat shows it raw; empty: understood and silent.
 */
export interface Line {
  readonly raw: Uint8Array;
  readonly channel: 'stdout' | 'stderr';
  readonly events: readonly OutputEvent[] | undefined;
}

/**
 * What a line means, in the vocabulary of agent-output/v1 plus what only the engine needs. `parent` is the id of the
 * tool call whose subagent speaks: such text never becomes part of the answer.
 */
export type OutputEvent =
  | {
      readonly type: 'delta';
      readonly text: string;
      readonly startsMessage?: boolean;
      readonly parent?: string;
    }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly input: JsonText;
      readonly parent?: string;
    }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly ok: boolean;
      readonly text: string;
      readonly parent?: string;
    }
  | { readonly type: 'status'; readonly status: string; readonly text: string; readonly parent?: string }
  /** A part of the line that is not conversation or not understood (thinking, an image): shown raw, never dropped. */
  | { readonly type: 'raw'; readonly text: string; readonly parent?: string }
  | {
      readonly type: 'usage';
      readonly model?: string;
      readonly finishReason?: FinishReason;
      readonly usage?: JsonText;
      readonly costUsd?: JsonText;
      readonly text?: string;
    }
  | {
      readonly type: 'artifact';
      readonly artifactId: string;
      readonly name?: string;
      readonly parts: readonly Part[];
      readonly append: boolean;
      readonly lastChunk: boolean;
    }
  /** What the agent calls this conversation, to be handed back as `Turn.session` the next time. */
  | { readonly type: 'session'; readonly id: string };

/** Why a model's answer ended; only `stop` says that it is whole. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'error' | 'other';

/** How a run of an agent ends, where it does not throw. */
export type Outcome =
  /** What was said and yielded is the answer. */
  | { readonly kind: 'done' }
  /** The answer, where no delta carried it. */
  | { readonly kind: 'text'; readonly text: string }
  /** A claim to be the document asked for, until checked. `parsed`: the harness had already parsed it. */
  | { readonly kind: 'json'; readonly document: string; readonly parsed?: true }
  | { readonly kind: 'question'; readonly text: string; readonly auth?: true }
  | { readonly kind: 'rejected'; readonly reason: string };

/** One run of an agent: what is asked, of whom, in which conversation. */
export interface Turn {
  readonly taskId: string;
  readonly contextId: string;
  readonly messageId: string;
  /** The text parts, then data parts as JSON, a blank line between. */
  readonly prompt: string;
  readonly parts: readonly Part[];
  /** What was said in this context before, oldest first, answers included; read from the logs when asked for. */
  history(): Promise<readonly Message[]>;
  /** `SendMessageRequest.metadata`. */
  readonly metadata: JsonText | undefined;
  readonly acceptedOutputModes: readonly string[];
  /** Undefined: a text request. */
  readonly output: OutputSchema | undefined;
  /** Set when this is a further attempt: the last document, and why it was refused. */
  readonly refused: { readonly document: string; readonly reason: string } | undefined;
  /** What this agent called the conversation last time. */
  readonly session: string | undefined;
  /** A directory of this context's own, mode 0700, that exists. */
  readonly workspace: string;
  /** Aborted on cancel, deadline and shutdown; the agent frees everything it started before it returns. */
  readonly signal: AbortSignal;
}

/** Yields what it writes while it works and returns one outcome; a throw is a failure, an abort is a cancellation. */
export interface Agent {
  run(turn: Turn): AsyncGenerator<Line, Outcome, void>;
  /** A direct message instead of a task; asked before a task is made, never for a structured request. */
  reply?(turn: Turn): Promise<readonly Part[] | undefined>;
  close?(): Promise<void>;
}

/** The formats of raw output that the chat can project (agent-output/v1, `params.sources`). */
export type OutputSource = 'stream-json' | 'codex-jsonl' | 'acp' | 'text';

/** How a kind of agent comes by a typed answer, as the card tells it; `sample`: made up from the schema. */
export type StructuredWay = 'native' | 'instruction' | 'sample' | 'none';

/** What an agent needs from its surroundings, beyond its options. */
export interface AgentSurroundings {
  /** The server's own environment, from which an agent takes what its documentation names and nothing else. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Directory against which relative paths in options are resolved. */
  readonly directory: string;
  readonly warn: (message: string) => void;
}

/** One line of the registry: from it come settings, help, the card's `sources`, the README table, the contract suite. */
export interface AgentKind {
  readonly kind: string;
  /** One sentence for help and the README. */
  readonly summary: string;
  readonly source: OutputSource;
  /** JSON Schema (draft 2020-12) of the options object; `description` of each property is its help. */
  readonly options: AgentOptionsSchema;
  /** Decided from the options, so that the card can tell it without starting anything. */
  structured(options: Readonly<Record<string, unknown>>): StructuredWay;
  /** Media types beyond `text/plain` and `application/json` that it takes as input. */
  readonly inputModes?: readonly string[];
  /** Options are already valid by `options`; throws KediError SETTINGS_INVALID for what a schema cannot say. */
  create(options: Readonly<Record<string, unknown>>, surroundings: AgentSurroundings): Agent | Promise<Agent>;
}

/** The schema of an agent's options: an object whose every property says in words what it is for. */
export interface AgentOptionsSchema {
  readonly type: 'object';
  readonly properties: Readonly<
    Record<string, { readonly description: string; readonly [keyword: string]: unknown }>
  >;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}
