import { setTimeout as pause } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { KediError } from '../domain/errors.js';
import type { Message, Part } from '../domain/message.js';
import { isInterrupted, isTerminal } from '../domain/task.js';
import { writeMessage } from '../protocol/a2a-write.js';
import type { StreamEvent, Task } from '../protocol/task-fold.js';
import { type Peer, peerName } from './peer.js';
import { readStreamEvent, readTask } from './read-event.js';
import { afterEvent } from './task-view.js';
import type { Wire } from './wire.js';

/** What is sent to a peer. */
export interface Order {
  readonly parts: readonly Part[];
  /** The conversation to go on with; absent, the peer begins one. */
  readonly contextId?: string;
  /** The task that asked for this. */
  readonly taskId?: string;
  readonly acceptedOutputModes: readonly string[];
  readonly extensions: readonly string[];
  /** JSON text. */
  readonly metadata?: string;
}

/** How a turn ends: with a direct message, or with a task that has ended or waits for its client. */
export type TurnEnd =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'task'; readonly task: Task };

/** How long an abort waits for the peer to name the task, without which it cannot be canceled. */
const NAMING_MS = 2_000;
const CANCEL_MS = 5_000;
/** Tries to come back to a task that do not get through; with the pauses between them about 20 seconds. */
const TRIES = 7;

/**
 * Sends an order and yields what the peer tells of it, until its turn is over. It streams where the card says that the
 * peer does, and polls where not; a connection that breaks is made anew and nothing is sent twice. When `signal`
 * aborts, the peer's task is canceled, and the error is CANCELED, or TIMED_OUT where that was the reason.
 */
export async function* runTurn(
  peer: Peer,
  order: Order,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, TurnEnd, void> {
  let task: Task | undefined;
  const connection = new AbortController();
  let naming: NodeJS.Timeout | undefined;
  const leave = () => {
    naming = setTimeout(() => connection.abort(), task === undefined ? NAMING_MS : 0);
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    signal.throwIfAborted();
    for await (const event of converse(peer, order, connection.signal)) {
      if (event.kind === 'message') return event;
      // A follow-up may be answered by the task as it was, still waiting.
      const stale = task === undefined && event.kind === 'task' && order.taskId !== undefined;
      task = afterEvent(task, event);
      signal.throwIfAborted();
      yield event;
      if (task !== undefined && isOver(task, stale)) return { kind: 'task', task };
    }
    throw new KediError(
      'INVALID_AGENT_RESPONSE',
      `${peerName(peer.card)} ended without an answer or a task.`,
    );
  } catch (error) {
    if (!signal.aborted) throw error;
    throw await cancel(peer.wire, task, signal);
  } finally {
    signal.removeEventListener('abort', leave);
    clearTimeout(naming);
    connection.abort();
  }
}

/** Everything that the peer tells, over as many connections as it takes. */
async function* converse(
  { wire, card, tenant }: Peer,
  order: Order,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, void, void> {
  const request = writeRequest(order, { tenant, returnImmediately: !card.streaming });
  const first = card.streaming
    ? wire.streamMessage(request, signal)
    : once(await wire.sendMessage(request, signal));
  let taskId: string | undefined;
  try {
    for await (const event of events(first)) {
      taskId ??= event.kind === 'task' ? event.task.id : event.kind === 'message' ? undefined : event.taskId;
      yield event;
    }
  } catch (error) {
    if (taskId === undefined || !isPassing(error)) throw error;
  }
  if (taskId !== undefined) yield* watch(wire, taskId, { subscribe: card.streaming, signal });
}

/** A task that goes on elsewhere: as it is now, then what follows, again and again until the reader has seen its end. */
async function* watch(
  wire: Wire,
  taskId: string,
  { subscribe, signal }: { readonly subscribe: boolean; readonly signal: AbortSignal },
): AsyncGenerator<StreamEvent, never, void> {
  for (let silent = 0; ; silent += 1) {
    try {
      yield { kind: 'task', task: readTask(await wire.getTask(taskId, signal)) };
      if (subscribe) {
        silent = Math.min(silent, TRIES - 1);
        for await (const event of events(wire.subscribe(taskId, signal))) {
          silent = 0;
          yield event;
        }
      } else silent = 0;
    } catch (error) {
      // A task that ends in between can no longer be subscribed to, and the next look finds its end.
      if (!isPassing(error) || silent >= TRIES) throw error;
    }
    await pause(subscribe ? Math.min(250 * 2 ** silent, 8_000) : 1_000, undefined, { signal });
  }
}

async function* events(spans: ReturnType<Wire['subscribe']>): AsyncGenerator<StreamEvent, void, void> {
  for await (const span of spans) {
    const event = readStreamEvent(span);
    if (event !== undefined) yield event;
  }
}

async function* once<T>(value: T): AsyncGenerator<T, void, void> {
  yield value;
}

const isOver = ({ status }: Task, stale: boolean): boolean =>
  isTerminal(status.state) || (isInterrupted(status.state) && !stale);

/** Whether trying again can help: a lost connection, a proxy's 5xx, a peer that is busy or cannot subscribe. */
const isPassing = (error: unknown): boolean =>
  error instanceof KediError &&
  (['PEER_UNREACHABLE', 'BUSY', 'UNSUPPORTED_OPERATION', 'METHOD_NOT_FOUND'].includes(error.code) ||
    (error.code === 'PEER_UNSUITABLE' && /^5/.test(error.info.status ?? '')));

async function cancel(wire: Wire, task: Task | undefined, { reason }: AbortSignal): Promise<KediError> {
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  const code = timedOut ? 'TIMED_OUT' : 'CANCELED';
  const what = timedOut ? 'There was no answer in time' : 'The call was canceled';
  if (task === undefined)
    return new KediError(code, `${what}; the peer had not named a task yet.`, { cause: reason });
  const info = { taskId: task.id, contextId: task.contextId };
  try {
    await wire.cancelTask(task.id, AbortSignal.timeout(CANCEL_MS));
    const ended = timedOut ? `; task ${task.id} was canceled.` : `, and task ${task.id} with it.`;
    return new KediError(code, `${what}${ended}`, { info, cause: reason });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return new KediError(code, `${what}; task ${task.id} may go on: ${why}`, { info, cause: error });
  }
}

function writeRequest(
  { parts, contextId, taskId, acceptedOutputModes, extensions, metadata }: Order,
  { tenant, returnImmediately }: { readonly tenant: string | undefined; readonly returnImmediately: boolean },
): string {
  const message = writeMessage({
    messageId: newId(),
    role: 'user',
    parts,
    ...(contextId !== undefined && { contextId }),
    ...(taskId !== undefined && { taskId }),
    extensions,
    referenceTaskIds: [],
  });
  const configuration = JSON.stringify({
    acceptedOutputModes,
    ...(returnImmediately && { returnImmediately }),
  });
  const routing = tenant === undefined ? '' : `"tenant":${JSON.stringify(tenant)},`;
  const extra = metadata === undefined ? '' : `,"metadata":${metadata}`;
  return `{${routing}"message":${message},"configuration":${configuration}${extra}}`;
}
