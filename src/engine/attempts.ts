import type { Agent, Line, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Tracing } from '../domain/ports.js';
import type { StructuredRequest } from '../domain/task.js';
import type { Ending } from './failure.js';
import { createHearing, type Hearing } from './hearing.js';
import { pull } from './pull.js';
import type { Recorder } from './record.js';
import { settle } from './settle.js';
import { sizeOfLine } from './size.js';
import type { Stop } from './stop.js';

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
  readonly recorder: Recorder;
  readonly stop: Stop;
  readonly stopMs: number;
  /** Called when the agent did not stop within `stopMs`. */
  readonly abandoned: () => void;
  readonly now: () => number;
}

/**
 * Runs an agent for one request, and records it; returns what it comes to. Where a typed result is refused and attempts
 * are left, the agent runs again and is told why; the last refusal is thrown. Throws the reason of `stop` once that has
 * aborted.
 */
export async function attempts(options: AttemptsOptions): Promise<Ending> {
  const { agent, now, recorder, stop, stopMs, abandoned, structured, tracing, resultBytes } = options;
  let refused: Turn['refused'];
  for (let attempt = 1; ; attempt += 1) {
    const why = refused?.reason;
    await recorder.take({ type: 'run', at: now(), attempt, ...(why !== undefined && { why }) });
    const turn = await options.turn(refused);
    const hearing = createHearing({ holds: structured !== undefined });
    let document = '';
    try {
      const span = tracing?.start('agent', { attempt });
      const hear = listenerOf(hearing, options);
      const work = pull(agent.run(turn), { stop, stopMs, abandoned, hear });
      const outcome = await (span === undefined ? work : work.finally(() => span.end()));
      if (outcome.kind === 'json') document = outcome.document;
      // What no line has said becomes an artifact, and counts as well.
      recorder.count(outcome.kind === 'text' && !hearing.spoke() ? outcome.text.length : document.length);
      stop.throwIfAborted();
      return await check(options, () =>
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
async function check(
  { tracing, structured, stop }: AttemptsOptions,
  judge: () => Promise<Ending>,
): Promise<Ending> {
  const span = tracing?.start('check');
  let failure: string | undefined;
  try {
    // A large document takes its time, and nobody who cancels meanwhile shall wait for it.
    return await (structured === undefined ? judge() : stop.unlessAborted(judge()));
  } catch (error) {
    stop.throwIfAborted();
    const known = error instanceof KediError ? error : undefined;
    failure = known?.code ?? 'INTERNAL';
    throw known ?? new KediError('INTERNAL', "The server failed on the agent's answer.", { cause: error });
  } finally {
    span?.end(failure);
  }
}

/** Takes an agent's lines into the record. */
function listenerOf(
  hearing: Hearing,
  { recorder, keepStderr, named, now }: AttemptsOptions,
): (line: Line) => Promise<void> | undefined {
  let withheld = false;
  const recorded = (line: Line): Promise<void> | undefined => {
    const { raw, channel } = line;
    const events = hearing.hear(line.events);
    if (channel === 'stdout' || keepStderr) {
      // An artifact that is held back counts as well.
      return recorder.take({ type: 'line', at: now(), raw, channel, events }, sizeOfLine(line));
    }
    if (withheld) return recorder.skip();
    withheld = true;
    return recorder.take({
      type: 'notice',
      at: now(),
      status: 'stderr_withheld',
      text: 'What the agent writes on stderr is not shown here.',
    });
  };
  return (line) => {
    const session = line.events?.findLast((event) => event.type === 'session');
    return session === undefined ? recorded(line) : named(session.id).then(() => recorded(line));
  };
}
