import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { Artifact, Part } from '../domain/message.js';
import { isInterrupted } from '../domain/task.js';
import { readFailure } from '../protocol/failure.js';
import { readResult } from '../protocol/structured-output.js';
import type { StreamEvent, Task } from '../protocol/task-fold.js';
import type { Peer } from './peer.js';
import { afterEvent, textOf, textOfParts } from './task-view.js';
import { type Order, runTurn, type TurnEnd } from './turn.js';

/** What is asked of a peer. */
export interface Request {
  /** Words, or the parts of a message. */
  readonly prompt: string | readonly Part[];
  /** The conversation to go on with. */
  readonly contextId?: string;
  /** The task whose question this answers. */
  readonly taskId?: string;
}

/** A peer's answer in words: `text` is all that it said, `parts` all that it sent; or it has a question first. */
export type Answer =
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly parts: readonly Part[];
      /** The typed result among them, where the task has one: its first message, or its peer, set a schema. */
      readonly document?: JsonText;
      readonly contextId: string | undefined;
      /** Undefined for a direct message, which is no task. */
      readonly taskId: string | undefined;
    }
  | Question;

/** The peer waits for its client: the answer goes to the same task. `auth`: it wants credentials of a third party. */
export interface Question {
  readonly kind: 'question';
  readonly text: string;
  readonly auth: boolean;
  readonly contextId: string;
  readonly taskId: string;
}

/**
 * Asks a peer in words. A task that fails, is canceled or refused is a KediError under the code that the peer gave it;
 * an abort of `signal` cancels the task.
 */
export const ask = (peer: Peer, request: Request, signal: AbortSignal): Promise<Answer> =>
  last(askLive(peer, request, signal));

/** As `ask`, and yields the text as it comes. */
export async function* askLive(
  peer: Peer,
  request: Request,
  signal: AbortSignal,
): AsyncGenerator<string, Answer, void> {
  const order: Order = {
    ...orderOf(request),
    acceptedOutputModes: ['text/plain', 'application/json'],
    extensions: [],
  };
  const turn = runTurn(peer, order, signal);
  let task: Task | undefined;
  let said = '';
  try {
    for (;;) {
      const { done, value } = await turn.next();
      if (done === true) return readAnswer(value);
      const before = task;
      task = afterEvent(task, value);
      const news = appendedText(before, value) ?? newText(said, task);
      said += news;
      if (news !== '') yield news;
    }
  } finally {
    // Whoever looks away before the end holds no connection either.
    await turn.return(unread);
  }
}

/** What a turn that is left early is told to end with; nobody sees it. */
const unread: TurnEnd = {
  kind: 'message',
  message: { messageId: '', role: 'agent', parts: [], extensions: [], referenceTaskIds: [] },
};

/** Runs a generator to its end for what it returns. */
export async function last<T>(generator: AsyncGenerator<unknown, T, void>): Promise<T> {
  for (;;) {
    const { done, value } = await generator.next();
    if (done === true) return value;
  }
}

/** The order of a request, without what only one way of asking adds to it. */
export const orderOf = ({ prompt, contextId, taskId }: Request) => ({
  parts: typeof prompt === 'string' ? [{ kind: 'text', text: prompt } as const] : prompt,
  ...(contextId !== undefined && { contextId }),
  ...(taskId !== undefined && { taskId }),
});

/** The task that was completed, or the question that it ends in; any other end is thrown. */
export function completedTask(task: Task): Task | Question {
  const { id: taskId, contextId, status } = task;
  const text = textOfParts(status.message?.parts ?? []);
  if (isInterrupted(status.state)) {
    return { kind: 'question', text, auth: status.state === 'auth-required', contextId, taskId };
  }
  if (status.state === 'completed') return task;
  const failure = status.message === undefined ? undefined : readFailure(status.message);
  const code =
    failure?.code ??
    (status.state === 'canceled' ? 'CANCELED' : status.state === 'rejected' ? 'REJECTED' : 'AGENT_FAILED');
  throw new KediError(code, text || `The task ended as ${status.state}, and the peer does not say why.`, {
    ...(failure?.pointer !== undefined && { pointer: failure.pointer }),
    info: { taskId, contextId },
  });
}

function readAnswer(end: TurnEnd): Answer {
  if (end.kind === 'message') {
    const { parts, contextId, taskId } = end.message;
    return { kind: 'answer', text: textOfParts(parts), parts, contextId, taskId };
  }
  const task = completedTask(end.task);
  if ('kind' in task) return task;
  const parts = task.artifacts.flatMap((artifact) => artifact.parts);
  const document = documentOf(task.artifacts);
  return {
    kind: 'answer',
    text: textOf(task),
    parts,
    ...(document !== undefined && { document }),
    contextId: task.contextId,
    taskId: task.id,
  };
}

/** The typed result, which nobody who asks in words can demand: what is none, or is malformed, stays a part. */
function documentOf(artifacts: readonly Artifact[]): JsonText | undefined {
  try {
    return readResult(artifacts);
  } catch (error) {
    if (error instanceof KediError) return undefined;
    throw error;
  }
}

/** The text of a chunk that goes on where the last event left off, without a look at all that was said before. */
function appendedText(before: Task | undefined, event: StreamEvent): string | undefined {
  if (event.kind !== 'artifact' || !event.append) return undefined;
  const known = before?.artifacts.at(-1);
  const [part, ...more] = event.artifact.parts;
  if (known?.artifactId !== event.artifact.artifactId || more.length > 0) return undefined;
  return part?.kind === 'text' && known.parts.at(-1)?.kind === 'text' ? part.text : undefined;
}

/** What the artifacts say beyond what was said already; a peer that takes its words back begins a new paragraph. */
function newText(said: string, task: Task | undefined): string {
  const text =
    task === undefined || task.artifacts.length === 0
      ? ''
      : textOf({ ...task, status: { state: 'working', at: 0 } });
  if (text.startsWith(said)) return text.slice(said.length);
  return said.startsWith(text) ? '' : `\n\n${text}`;
}
