import type { IncomingMessage } from 'node:http';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { agentKinds } from '../agents/index.js';
import type { Logger, TaskLog } from '../domain/ports.js';
import { type Route, sendJson } from './answer.js';
import type { Caller } from './caller.js';
import { CARD_PATH, createCardRoute } from './card-route.js';
import type { Cards } from './cards.js';
import { createChatRoutes } from './chat-routes.js';
import type { EventStreams } from './event-stream.js';
import { serveHealth, serveReadiness, type Vitals } from './health-routes.js';
import { METRICS_PATH, type Metrics } from './metrics.js';
import { sendProblem } from './problem.js';
import { discardBody } from './read-body.js';
import type { Settings } from './settings.js';
import { JWKS_PATH } from './signing/card-key.js';
import { webRoutes } from './web-route.js';

/** Every route but those of A2A, which are in front of it: the card and its key, health, metrics, the page, the chat. */
export function createRouter({
  settings,
  cards,
  isOpen,
  log,
  streams,
  logger,
  metrics,
  vitals,
}: {
  readonly settings: Pick<Settings, 'publicUrl'>;
  readonly cards: Cards;
  readonly isOpen: (path: string) => boolean;
  readonly log: TaskLog;
  readonly streams: EventStreams;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  readonly vitals: Vitals;
}): Route {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  const callers = new WeakMap<IncomingMessage, Caller>();
  const callerOf = (request: IncomingMessage): Caller => callers.get(request) ?? nobody;

  const { discovered, jwks } = cards;
  const byHost = settings.publicUrl === undefined;
  app.get(CARD_PATH, createCardRoute({ card: discovered, open: isOpen(CARD_PATH), byHost }));
  if (jwks !== undefined) app.get(JWKS_PATH, (_, response) => sendJson(response, 200, jwks));
  app.get('/healthz', (_, response) => serveHealth(response));
  app.get('/readyz', (_, response) => serveReadiness(response, vitals));
  if (metrics !== undefined) app.get(METRICS_PATH, (_, response) => metrics.serve(response));
  for (const { path, handle } of webRoutes()) app.get(path, handle);
  const sourceOf = (name: string) => agentKinds.find(({ kind }) => kind === name)?.source;
  const chatRouteOf = createChatRoutes({ log, streams, sourceOf, logger });
  app.use((request: Request, response: Response) => {
    const detail = `There is nothing at ${request.path} for ${request.method}.`;
    sendProblem(response, { status: 404, detail, requestId: callerOf(request).requestId });
    discardBody(request);
  });
  const onError: ErrorRequestHandler = (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const { requestId } = callerOf(request);
    logger.error('a request failed', { requestId, cause: String(error) });
    sendProblem(response, { status: 500, detail: 'The server failed; its log says why.', requestId });
  };
  app.use(onError);

  return async (request, response, caller) => {
    const chat = chatRouteOf(request);
    if (chat !== undefined) return chat(request, response, caller);
    callers.set(request, caller);
    app(request, response);
  };
}

const nobody: Caller = { principal: '', requestId: '' };
