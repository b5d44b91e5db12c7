/** What one turn and all of them together may take; bytes are UTF-8. */
export interface EngineBounds {
  readonly promptBytes: number;
  /** A typed result. */
  readonly resultBytes: number;
  /** The log of a task: what its agent writes in all its turns. */
  readonly logBytes: number;
  /** Agents that run at the same time. */
  readonly concurrency: number;
  /** Turns that wait for theirs. */
  readonly pending: number;
  /** Turns of one principal that run or wait. */
  readonly perPrincipal: number;
  /** How long an agent may take, all attempts together. */
  readonly turnMs: number;
  /** How long an agent that was told to stop is waited for, before its task ends without it. */
  readonly stopMs: number;
}

/** Those of an engine that is not told others. */
export const defaultBounds: EngineBounds = {
  promptBytes: 1024 * 1024,
  resultBytes: 8 * 1024 * 1024,
  logBytes: 64 * 1024 * 1024,
  concurrency: 8,
  pending: 256,
  perPrincipal: Number.POSITIVE_INFINITY,
  turnMs: 60 * 60 * 1_000,
  stopMs: 10_000,
};
