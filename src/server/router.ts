import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { A2A_PROTOCOL_VERSION } from '@a2a-js/sdk';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { agentKinds } from '../agents/index.js';
import { KediError } from '../domain/errors.js';
import type { Logger, TaskLog } from '../domain/ports.js';
import { agentOutputInterface } from '../protocol/agent-output.js';
import { type HandwrittenCard, readHandwrittenCard, type ServedCard } from '../protocol/card.js';
import type { Caller } from './caller.js';
import { CARD_PATH, createCardRoute } from './card-route.js';
import { createChatRoutes } from './chat-routes.js';
import type { EventStreams } from './event-stream.js';
import { serveHealth, serveReadiness, type Vitals } from './health-routes.js';
import { JSON_RPC_PATH, type Route } from './json-rpc-route.js';
import { cardModes, type Offering } from './offering.js';
import { sendProblem } from './problem.js';
import { discardBody } from './read-body.js';
import type { Settings } from './settings.js';
import { webRoutes } from './web-route.js';

/** Every route but JSON-RPC, which is in front of it: the card, health, the page, and the chat. */
export function createRouter({
  settings,
  offering,
  log,
  streams,
  logger,
  vitals,
}: {
  readonly settings: Pick<Settings, 'publicUrl' | 'card' | 'strictCard'>;
  readonly offering: Offering;
  readonly log: TaskLog;
  readonly streams: EventStreams;
  readonly logger: Logger;
  readonly vitals: Vitals;
}): Route {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  const callers = new WeakMap<IncomingMessage, Caller>();
  const callerOf = (request: IncomingMessage): Caller => callers.get(request) ?? nobody;

  const card = createCardRoute({
    handwritten: readHandwritten(settings.card),
    publicUrl: settings.publicUrl,
    serve: (baseUrl) => serveCard(baseUrl, { offering, strict: settings.strictCard }),
  });
  app.get(CARD_PATH, card);
  app.get('/healthz', (_, response) => serveHealth(response));
  app.get('/readyz', (_, response) => serveReadiness(response, vitals));
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

/** The file that the operator names, or the one shipped with this package. */
function readHandwritten(file: string | undefined): HandwrittenCard {
  const path = file ?? fileURLToPath(new URL('../../agent-card.json', import.meta.url));
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KediError('SETTINGS_INVALID', `The agent card cannot be read: ${reason}`, { cause });
  }
  return readHandwrittenCard(text, path);
}

function serveCard(
  baseUrl: string,
  { offering, strict }: { readonly offering: Offering; readonly strict: boolean },
): ServedCard {
  return {
    version: packageVersion,
    interfaces: [
      {
        url: `${baseUrl}${JSON_RPC_PATH}`,
        protocolBinding: 'JSONRPC',
        protocolVersion: A2A_PROTOCOL_VERSION,
      },
      agentOutputInterface(baseUrl, { strict }),
    ],
    extensions: offering.extensions,
    ...cardModes(offering),
  };
}

const { version: packageVersion }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
