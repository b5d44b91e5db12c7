import type { IncomingMessage, ServerResponse } from 'node:http';
import { KediError } from '../domain/errors.js';
import { type Cursor, readCursor } from '../protocol/sse.js';
import { flagParameter, invalid, parameter } from './query.js';

/** Where a reader of a task's output wants to begin, before it is known whose session it is. */
export type Resumption = 'first' | 'now' | Cursor;

/**
 * Reads where to begin: after the cursor of the header `Last-Event-ID`, which a browser sends on its own, or else of
 * `last_event_id` in the query; without one as `replay` says. An empty cursor is none.
 */
export function readResumption(request: IncomingMessage, target: URL): Resumption {
  const replay = flagParameter(target, 'replay');
  const header = request.headers['last-event-id'];
  const text = (typeof header === 'string' && header) || parameter(target, 'last_event_id') || undefined;
  if (text === undefined) return replay === true ? 'first' : 'now';
  const cursor = readCursor(text);
  if (cursor === undefined) throw invalid('Last-Event-ID', 'must be the id of an event, {session}-{seq}');
  return cursor;
}

/** Where to begin in the stream of this session; KediError INVALID_PARAMS for the cursor of another. */
export function beginningIn(
  session: string,
  resumption: Resumption,
): 'first' | 'now' | { readonly after: number } {
  if (typeof resumption === 'string') return resumption;
  if (resumption.session === session) return { after: resumption.seq };
  throw invalid('Last-Event-ID', 'is the id of an event in another session');
}

/** The task that a request is about, as its caller names it. */
export function readCommandId(target: URL): string {
  const commandId = parameter(target, 'command_id');
  if (commandId === undefined || commandId === '') throw invalid('command_id', 'is required');
  return commandId;
}

/** The same for a task that never was and for a stranger's. */
export const unknownTask = (): KediError =>
  new KediError('TASK_NOT_FOUND', 'There is no such command, or no longer.');

/** Tells a client that it has had everything: a browser's EventSource does not come back after this. */
export function sendNothing(response: ServerResponse): undefined {
  response.writeHead(204, { 'Cache-Control': 'no-store' });
  response.end();
}

/** Tells a client how soon to come back when the connection is lost. */
export const retrySoon = 'retry: 1000\n\n';
