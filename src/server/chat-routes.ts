import type { IncomingMessage, ServerResponse } from 'node:http';
import { KediError } from '../domain/errors.js';
import { CHAT_PATH } from '../protocol/agent-output.js';
import { RAW_PATH } from '../protocol/raw-output.js';
import type { Caller } from './caller.js';
import { serveChat } from './chat.js';
import type { ChatExchange, ChatSurroundings } from './chat-exchange.js';
import { serveSession, serveSessions } from './chat-sessions.js';
import { sendProblem } from './problem.js';
import { serveRaw } from './raw-output.js';

/** A route: its path as Express writes it, and its handler, which never throws and takes every method. */
export interface ChatRoute {
  readonly path: string;
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void>;
}

/** The routes of agent-output/v1 and of the sessions beside it: read-only, to the caller's own tasks. */
export function chatRoutes(surroundings: ChatSurroundings): readonly ChatRoute[] {
  const route = (path: string, serve: (exchange: ChatExchange) => Promise<void>): ChatRoute => ({
    path,
    handle: (request, response, caller) => guarded(serve, { ...surroundings, request, response, caller }),
  });
  return [
    route(CHAT_PATH, serveChat),
    route(RAW_PATH, serveRaw),
    route('/api/v1/sessions', serveSessions),
    route('/api/v1/sessions/:session', serveSession),
  ];
}

async function guarded(
  serve: (exchange: ChatExchange) => Promise<void>,
  exchange: ChatExchange,
): Promise<void> {
  const { request, response, caller, logger } = exchange;
  const { requestId } = caller;
  try {
    if (request.method === 'GET' || request.method === 'HEAD') return await serve(exchange);
    const detail = 'Only GET and HEAD are understood here.';
    sendProblem(response, { status: 405, detail, requestId, headers: { Allow: 'GET, HEAD' } });
  } catch (error) {
    // Once the stream has begun there is no other way to tell than to break it: the client comes back with its cursor.
    if (response.headersSent) response.destroy();
    const known = error instanceof KediError ? error : undefined;
    const status = known === undefined ? 500 : (statuses.get(known.code) ?? 500);
    if (status >= 500) logger.error('a chat request failed', { requestId, error: String(error) });
    if (response.headersSent) return;
    const detail = known?.message ?? 'The server failed to answer; its log says why.';
    sendProblem(response, { status, detail, code: known?.code, requestId });
  }
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['INVALID_PARAMS', 400],
  ['TASK_NOT_FOUND', 404],
  ['STORE_UNAVAILABLE', 503],
]);
