import type { Agent } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Logger, Observer, Sessions, TaskLog, Tracing } from '../domain/ports.js';
import type { OutputSchema } from '../domain/schema.js';
import { type Entry, isTerminal, type StructuredRequest, type TaskKey } from '../domain/task.js';
import { attempts } from './attempts.js';
import type { EngineBounds } from './bounds.js';
import { type Ending, explain, failed, outcomeOf, type Redact, timedOut } from './failure.js';
import { finish } from './finish.js';
import type { Order } from './order.js';
import type { Place } from './queue.js';
import { createRecorder, type Recorder } from './record.js';
import { redactEntry } from './redact.js';
import type { Stop } from './stop.js';
import { createTurns } from './turn.js';

/** What every turn of an engine shares. */
export interface Surroundings {
  readonly agent: Agent;
  readonly agentKind: string;
  readonly log: TaskLog;
  readonly sessions: Sessions;
  readonly bounds: EngineBounds;
  readonly attempts: number;
  readonly keepStderr: boolean;
  readonly redact: Redact | undefined;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly tracing?: Tracing | undefined;
  readonly now: () => number;
}

/** One turn of a task: what was ordered, and where it stands in line. */
export interface Job {
  readonly key: TaskKey;
  readonly order: Order;
  readonly structured: StructuredRequest | undefined;
  readonly output: OutputSchema | undefined;
  /** How many entries the task's log has before this order. */
  readonly earlier: number;
  /** And how many bytes. */
  readonly logged: number;
  readonly place: Place;
  /** Its abort ends the turn; the reason is a KediError and becomes the task's. */
  readonly stop: Stop;
  /** Called when nothing is left to do but write the end. */
  settling(): void;
  /** Called when the end cannot be written for now, each time that it is tried. */
  stuck(error: KediError): void;
}

/**
 * Carries out a turn from its place in line to its durable end, and never throws. `given` resolves when its order is
 * durable; rejects: there is no turn to carry out. What the layers are given is written out here and below, because a
 * spread of all that is shared costs more than a layer does.
 */
export async function perform(
  job: Job,
  given: Promise<void>,
  shared: Surroundings & { readonly closed: AbortSignal },
): Promise<void> {
  const { place, stop, key } = job;
  const { observer, agentKind, log, logger, closed, now } = shared;
  const safe = (entry: Entry): Entry =>
    shared.redact === undefined ? entry : redactEntry(entry, shared.redact);
  const span = shared.tracing?.start('turn', { agent: agentKind, task: key.taskId });
  try {
    await given;
  } catch {
    // Whoever gave the order has been told.
    place.leave();
    span?.end('not begun');
    return;
  }
  const append = async (entries: readonly Entry[]): Promise<void> => log.append(key, entries.map(safe));
  const recorder = createRecorder({
    append,
    logged: job.logged,
    logBytes: shared.bounds.logBytes,
    stop: (reason) => stop.abort(reason),
  });
  let began: number | undefined;
  let ending: Ending = [];
  let thrown: { readonly error: unknown } | undefined;
  try {
    try {
      await place.turn(stop);
      began = performance.now();
      observer.turnStarted?.({ agentKind });
      const carryOut = (): Promise<Ending> => run(job, { shared, recorder });
      ending = await (span === undefined ? carryOut() : span.within(carryOut));
    } catch (error) {
      thrown = { error };
    }
    // Written with the end, so that neither is ever there without the other.
    const said = await recorder.rest();
    if (stop.reason !== undefined) thrown = { error: stop.reason };
    if (thrown !== undefined) {
      const error = explain(thrown.error, { ...shared, taskId: key.taskId });
      ending = failed(error, now());
    }
    // The end may take a while to be written, in which other agents can run.
    place.rest();
    job.settling();
    if (stop.reason !== endedElsewhere) {
      const last = [...said, ...ending];
      ending = await finish(last, { append, taskId: key.taskId, logger, closed, stuck: job.stuck, now });
    }
  } finally {
    place.leave();
  }
  const seconds = began === undefined ? 0 : (performance.now() - began) / 1_000;
  const outcome = outcomeOf(ending);
  observer.turnEnded?.({ agentKind, ...outcome, seconds });
  if (outcome.code !== undefined) logger.info('a task failed', { taskId: key.taskId, code: outcome.code });
  span?.end(outcome.code);
}

async function run(
  job: Job,
  { shared, recorder }: { readonly shared: Surroundings; readonly recorder: Recorder },
): Promise<Ending> {
  const { key, order, output, structured, earlier, stop } = job;
  const { agent, agentKind, attempts: most, bounds, keepStderr, log, logger, now, sessions } = shared;
  const { taskId } = key;
  const over = log.shared ? stopWhenEnded(job, log) : undefined;
  const deadline = setTimeout(() => stop.abort(timedOut(bounds)), bounds.turnMs);
  try {
    // An agent that was asked for a message of its own may have begun the context already.
    const contextIsNew = order.contextIsNew && earlier === 0 && agent.reply === undefined;
    const turns = createTurns({
      order,
      contextIsNew,
      output,
      taskId,
      earlier,
      agentKind,
      sessions,
      log,
      stop,
    });
    return await attempts({
      agent,
      attempts: most,
      keepStderr,
      now,
      structured,
      tracing: shared.tracing,
      resultBytes: bounds.resultBytes,
      turn: turns.turn,
      named: turns.named,
      recorder,
      stop,
      stopMs: bounds.stopMs,
      abandoned: () => logger.warn('an agent did not stop when it was told to', { taskId }),
    });
  } finally {
    clearTimeout(deadline);
    over?.abort();
  }
}

/** Why a turn is stopped whose task a server beside this one has ended: nothing can be added to it. */
const endedElsewhere = new KediError('CANCELED', 'The task was ended by another server.');

/** Until it is told that this is over. */
function stopWhenEnded({ key, stop }: Job, log: TaskLog): AbortController {
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    for (;;) {
      await log.grown(key, Number.POSITIVE_INFINITY, over.signal);
      // Who waits is also woken when memory has fallen behind.
      const record = await log.get(key);
      if (record === undefined || isTerminal(record.state)) return stop.abort(endedElsewhere);
    }
  };
  // Without the store there is nobody to hear of it, and the turn fails by itself.
  watch().catch(() => {});
  return over;
}
