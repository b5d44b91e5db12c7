import { type FailureCode, KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import type { Entry, TaskState } from '../domain/task.js';

/** What a turn ends with: artifacts, then one change of state. It is appended at once, so none is ever half there. */
export type Ending = readonly Entry[];

type StateEntry = Extract<Entry, { type: 'state' }>;

/** The ending of a turn that did not come to its own. */
export function failed(error: KediError, at: number): Ending {
  return [
    {
      type: 'state',
      at,
      state: stateOf(error.code),
      code: error.code,
      text: error.message,
      ...(error.pointer !== undefined && { pointer: error.pointer }),
    },
  ];
}

const stateOf = (code: FailureCode): StateEntry['state'] => {
  if (code === 'CANCELED') return 'canceled';
  return code === 'REJECTED' ? 'rejected' : 'failed';
};

/** Why a turn that took too long is stopped. */
export const timedOut = ({ turnMs }: { readonly turnMs: number }): KediError =>
  new KediError('TIMED_OUT', `The agent did not finish within ${turnMs / 1_000} seconds, and was stopped.`);

/** The state and the code with which an ending leaves its task. */
export function outcomeOf(ending: Ending): {
  readonly state: TaskState;
  readonly code: FailureCode | undefined;
} {
  const last = ending.at(-1);
  return last?.type === 'state'
    ? { state: last.state, code: last.code }
    : { state: 'failed', code: 'INTERNAL' };
}

/**
 * What an agent threw, as a failure of its task. Only a KediError was written to be read by a client; any other may
 * hold whatever its author never meant to show, so it goes to the server's log alone.
 */
export function explain(
  thrown: unknown,
  {
    logger,
    taskId,
    redact,
    keepStderr,
  }: {
    readonly logger: Logger;
    readonly taskId: string;
    readonly redact: Redact | undefined;
    readonly keepStderr: boolean;
  },
): KediError {
  const reason = (error: unknown): string => {
    const text = textOf(error);
    return (redact?.(text) ?? text).slice(0, 500);
  };
  if (thrown instanceof KediError) {
    if (thrown.code === 'INTERNAL') {
      logger.error('a turn failed inside the server', { taskId, reason: reason(thrown.cause ?? thrown) });
    }
    if (!keepStderr && thrown.quiet !== undefined) {
      logger.info('an agent failed', { taskId, reason: reason(thrown) });
      return new KediError(thrown.code, thrown.quiet, { cause: thrown });
    }
    return endsTask(thrown.code) ? thrown : new KediError('AGENT_FAILED', thrown.message, { cause: thrown });
  }
  logger.error('an agent failed with an error of its own', { taskId, reason: reason(thrown) });
  return new KediError(
    'AGENT_FAILED',
    'The agent failed with an error that it did not explain; the log of the server has it.',
    { cause: thrown },
  );
}

/** Anything can be thrown, also what has no text. */
function textOf(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'something that cannot be written down';
  }
}

/** Whether a failure with this code is a task's, and not a request's or the operator's. */
const endsTask = (code: FailureCode): boolean => /^(SCHEMA|RESULT|AGENT)_/.test(code) || others.has(code);

const others: ReadonlySet<FailureCode> = new Set<FailureCode>([
  'REQUEST_MALFORMED',
  'OUTPUT_TOO_LARGE',
  'UNSUPPORTED',
  'REJECTED',
  'CANCELED',
  'TIMED_OUT',
  'INTERRUPTED',
  'STORE_UNAVAILABLE',
  'INTERNAL',
]);

/** Replaces the values of secrets in a text that leaves the server. */
export type Redact = (text: string) => string;
