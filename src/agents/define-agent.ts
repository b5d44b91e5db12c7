import type { FinishReason, Turn } from '../domain/agent.js';
import type { Part } from '../domain/message.js';

/**
 * What your agent yields while it works. A string is a piece of its answer (for a structured request: something to be
 * seen in the chat, never the result). Every `…Json` is JSON text, which keeps its numbers as you wrote them.
 */
export type AgentSaying =
  | string
  | {
      readonly type: 'text';
      readonly text: string;
      /** Begins a new message, set off from the one before by a blank line. */
      readonly startsMessage?: boolean;
      /** The id of the tool call whose subagent speaks: its words are not part of the answer. */
      readonly parent?: string;
    }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly inputJson: string;
      readonly parent?: string;
    }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly ok: boolean;
      readonly text: string;
      readonly parent?: string;
    }
  | { readonly type: 'status'; readonly status: string; readonly text: string }
  | {
      readonly type: 'artifact';
      /** Names the artifact within the task; the same id again with `append` adds to it. */
      readonly id: string;
      readonly name?: string;
      readonly parts: readonly ArtifactPart[];
      readonly append?: boolean;
      readonly last?: boolean;
    }
  | {
      readonly type: 'usage';
      readonly model?: string;
      readonly finishReason?: FinishReason;
      readonly usageJson?: string;
      readonly costUsd?: number;
    }
  /** What your agent calls this conversation; it comes back as `turn.session` the next time. */
  | { readonly type: 'session'; readonly id: string };

/** One piece of content of an artifact. */
export type ArtifactPart = (
  | { readonly text: string }
  | { readonly bytes: Uint8Array }
  | { readonly url: string }
  | { readonly json: string }
) & { readonly mediaType?: string; readonly filename?: string };

/**
 * How a run of your agent ends. Nothing: what it yielded is the answer. A string: the answer; for a structured request
 * the JSON document, delivered exactly as written. `value` is for data that is at hand only in parsed form: it is
 * refused (RESULT_LOSSY) where a number in it may have lost something, so return text where you have it.
 */
export type AgentResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a generator without a return statement returns void.
  | void
  | string
  | { readonly value: unknown }
  /** The task waits, and the client's answer is the next turn's prompt; `auth`: it is a credential that is missing. */
  | { readonly question: string; readonly auth?: true }
  /** Your agent declines the request. */
  | { readonly rejected: string }
  /**
   * Your agent has failed, and the client may know why. What an error that you throw says stays in the server's log,
   * since it may hold what nobody meant to show.
   */
  | { readonly failed: string };

/** What surrounds your agent: its own options from the settings, and where the server was started. */
export interface ModuleSurroundings {
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
}

/** An agent of your own. */
export interface AgentDefinition {
  /**
   * Answers one turn: an async generator, or a function that resolves to its result where there is nothing to show
   * meanwhile. `turn.output` is set for a structured request: `turn.output.text` is the schema as its client sent it,
   * and `turn.output.check(document)` tells what the server will say. `turn.signal` aborts on cancel and deadline.
   */
  run(
    turn: Turn,
    surroundings: ModuleSurroundings,
  ): AsyncGenerator<AgentSaying, AgentResult, void> | Promise<AgentResult>;
  /** A direct message instead of a task, or undefined for a task; never asked for a structured request. */
  reply?(turn: Turn, surroundings: ModuleSurroundings): Promise<string | readonly Part[] | undefined>;
  /** Called once, when the server ends. */
  close?(): Promise<void>;
}

/** Makes your definition the agent of a file that `--agent module` runs: `export default defineAgent({…})`. */
export const defineAgent = (definition: AgentDefinition): AgentDefinition => definition;
