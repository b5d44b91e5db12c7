import type { Agent, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Span, Tracing } from '../domain/ports.js';
import type { Entry, StructuredRequest } from '../domain/task.js';
import type { Ending } from './failure.js';
import { createHearing, type Hearing } from './hearing.js';
import { settle } from './settle.js';
import type { Work } from './within.js';

export interface AttemptsOptions {
  readonly agent: Agent;
  /** The turn of each run: the last document that was refused, and why. */
  readonly turn: (refused: Turn['refused']) => Promise<Turn>;
  readonly structured: StructuredRequest | undefined;
  /** How many runs in all. */
  readonly attempts: number;
  readonly resultBytes: number;
  readonly keepStderr: boolean;
  readonly tracing: Tracing | undefined;
  /** Hears what the agent calls the conversation. */
  readonly named: (session: string) => Promise<void>;
  readonly now: () => number;
}

/**
 * The runs of an agent for one request, as entries of its task's log; returns what they come to. Where a typed result
 * is refused and attempts are left, the agent runs again and is told why; the last refusal is thrown.
 */
export async function* attempts(options: AttemptsOptions): Work<Entry, Ending> {
  const { agent, now } = options;
  let refused: Turn['refused'];
  for (let attempt = 1; ; attempt += 1) {
    yield { type: 'run', at: now(), attempt, ...(refused !== undefined && { why: refused.reason }) };
    const turn = await options.turn(refused);
    const hearing = createHearing({ holds: options.structured !== undefined, named: options.named });
    let document = '';
    try {
      const { keepStderr, structured, resultBytes, tracing } = options;
      const outcome = yield* listen(agent.run(turn), {
        hearing,
        now,
        keepStderr,
        span: tracing?.start('agent', { attempt }),
      });
      if (outcome.kind === 'json') document = outcome.document;
      return await check(tracing, () =>
        settle(outcome, { hearing, structured, output: turn.output, resultBytes, at: now() }),
      );
    } catch (error) {
      // Some agents find out by themselves that there is no document, or that it is too large.
      if (!(error instanceof KediError) || !error.code.startsWith('RESULT_')) throw error;
      if (attempt >= options.attempts) throw error;
      refused = { document, reason: error.message };
    }
  }
}

/** What is thrown by the check and is no verdict is not the agent's doing: it has ended. */
async function check(tracing: Tracing | undefined, judge: () => Promise<Ending>): Promise<Ending> {
  const span = tracing?.start('check');
  let failure: string | undefined;
  try {
    return await judge();
  } catch (error) {
    const known = error instanceof KediError ? error : undefined;
    failure = known?.code ?? 'INTERNAL';
    throw known ?? new KediError('INTERNAL', "The server failed on the agent's answer.", { cause: error });
  } finally {
    span?.end(failure);
  }
}

/** An agent's lines as entries; whatever becomes of it, the agent is told to clean up. */
async function* listen(
  lines: Work<Line, Outcome>,
  {
    hearing,
    now,
    keepStderr,
    span,
  }: {
    readonly hearing: Hearing;
    readonly now: () => number;
    readonly keepStderr: boolean;
    readonly span: Span | undefined;
  },
): Work<Entry, Outcome> {
  let withheld = false;
  try {
    for (;;) {
      const step = await lines.next();
      if (step.done) return step.value;
      const { raw, channel } = step.value;
      const events = await hearing.hear(step.value.events);
      if (channel === 'stdout' || keepStderr) yield { type: 'line', at: now(), raw, channel, events };
      else if (!withheld) {
        withheld = true;
        yield {
          type: 'notice',
          at: now(),
          status: 'stderr_withheld',
          text: 'What the agent writes on stderr is not shown here.',
        };
      }
    }
  } finally {
    await lines.return({ kind: 'done' });
    span?.end();
  }
}
