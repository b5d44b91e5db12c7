import type { IncomingMessage } from 'node:http';
import { createCheckpoints } from '../chat/checkpoints.js';
import { CHAT_PATH } from '../protocol/agent-output.js';
import { RAW_PATH } from '../protocol/raw-output.js';
import { type Route, tell } from './answer.js';
import { serveChat } from './chat.js';
import type { ChatExchange, ChatSurroundings, Streaming } from './chat-exchange.js';
import { serveSession, serveSessions } from './chat-sessions.js';
import { sendProblem } from './problem.js';
import { serveRaw } from './raw-output.js';
import { discardBody } from './read-body.js';

/**
 * The routes of agent-output/v1 and of the sessions beside it: read-only, to the caller's own tasks. Gives the route of
 * a request, or undefined where it is not for the chat. In front of Express, whose part in a connection would cost each
 * of thousands of idle readers as much again as the reader itself.
 */
export function createChatRoutes(
  surroundings: ChatSurroundings,
): (request: IncomingMessage) => Route | undefined {
  const checkpoints = createCheckpoints();
  const route =
    (serve: Serve): Route =>
    (request, response, caller) =>
      guarded(serve, { ...surroundings, checkpoints, request, response, caller });
  const routes = new Map([
    [CHAT_PATH, route(serveChat)],
    [RAW_PATH, route(serveRaw)],
    [SESSIONS_PATH, route(serveSessions)],
  ]);
  const session = route(serveSession);
  return ({ url = '' }) => {
    const end = url.indexOf('?');
    const path = end === -1 ? url : url.slice(0, end);
    const oneSession = path.startsWith(`${SESSIONS_PATH}/`) && !path.includes('/', SESSIONS_PATH.length + 1);
    return routes.get(path) ?? (oneSession ? session : undefined);
  };
}

const SESSIONS_PATH = '/api/v1/sessions';

type Serve = (exchange: ChatExchange) => Promise<Streaming>;

async function guarded(serve: Serve, exchange: ChatExchange): Promise<void> {
  try {
    const streaming = await served(serve, exchange);
    await streaming?.();
  } catch (error) {
    fail(exchange, error);
  }
}

async function served(serve: Serve, exchange: ChatExchange): Promise<Streaming> {
  const { request, response, caller } = exchange;
  if (request.method === 'GET' || request.method === 'HEAD') return serve(exchange);
  const detail = 'Only GET and HEAD are understood here.';
  const headers = { Allow: 'GET, HEAD' };
  sendProblem(response, { status: 405, detail, requestId: caller.requestId, headers });
  discardBody(request);
  return undefined;
}

function fail({ response, caller, logger }: ChatExchange, error: unknown): void {
  const { code, message } = tell(error, caller, logger);
  const { requestId } = caller;
  // Once the stream has begun there is no other way to tell than to break it: the client comes back with its cursor.
  if (response.headersSent) response.destroy();
  else sendProblem(response, { status: statuses.get(code) ?? 500, detail: message, code, requestId });
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['INVALID_PARAMS', 400],
  ['TASK_NOT_FOUND', 404],
  ['STORE_UNAVAILABLE', 503],
]);
