import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AgentKind } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import type { SchemaJudge } from '../domain/schema.js';
import type { Engine } from '../engine/index.js';
import type { Store } from '../store/index.js';
import type { Authentication } from './auth/index.js';
import type { Caller } from './caller.js';
import { CARD_PATH } from './card-route.js';
import { createCards } from './cards.js';
import { createEntrance, createRequestIds } from './entrance.js';
import { createEventStreams } from './event-stream.js';
import { createGate } from './gate.js';
import type { GrpcServer } from './grpc/index.js';
import { closeHttp, createHttp, listenHttp } from './http.js';
import { createHttpJsonRoute, isHttpJson } from './http-json-route.js';
import { createJsonRpcRoute, isJsonRpc } from './json-rpc-route.js';
import { createLegacyRoute, speaksLegacy } from './legacy/route.js';
import { isLoopback } from './loopback.js';
import { type Metrics, routeOf } from './metrics.js';
import { describeOffering } from './offering.js';
import { createPush } from './push/index.js';
import { createRateLimit } from './rate-limit.js';
import { createRouter } from './router.js';
import { createService } from './service.js';
import type { Binding } from './setting.js';
import type { Settings } from './settings.js';
import { JWKS_PATH } from './signing/card-key.js';
import type { ServerTracing } from './tracing.js';

/** The settings that concern the server itself; the others are the engine's, the store's and the agent's. */
export type ServerSettings = Pick<
  Settings,
  | 'host'
  | 'port'
  | 'publicUrl'
  | 'bindings'
  | 'grpcPort'
  | 'push'
  | 'allowWebhooks'
  | 'grpcAddress'
  | 'allowedOrigins'
  | 'publicCard'
  | 'card'
  | 'extendedCard'
  | 'strictCard'
  | 'cardKey'
  | 'maxBody'
  | 'rateLimit'
  | 'grace'
>;

/** The parts of which a server is made, each made and closed by its caller, but for what `close` says. */
export interface ServerParts {
  readonly settings: ServerSettings;
  readonly agentKind: AgentKind;
  /** Valid options of the agent, from which its card tells how it comes by typed answers. */
  readonly agentOptions: Readonly<Record<string, unknown>>;
  readonly engine: Engine;
  readonly store: Store;
  readonly judge: SchemaJudge;
  readonly logger: Logger;
  /** Undefined: nobody is asked for credentials, and the server can be reached from this machine alone. */
  readonly authentication?: Authentication | undefined;
  /** What is counted of the requests, and served at `/metrics`. */
  readonly metrics?: Metrics | undefined;
  readonly tracing?: ServerTracing | undefined;
  /** How often a silent stream shows that it is alive, 15 seconds unless said. */
  readonly heartbeatMs?: number;
}

/** An A2A server: for a port of its own, or to be mounted in another one's. */
export interface Server {
  /** Answers every request, for `http.createServer` or any framework that has Node's own request and response. */
  handler(request: IncomingMessage, response: ServerResponse): void;
  /** Binds the port and resolves to where it listens. Cannot be bound: KediError SETTINGS_INVALID. */
  listen(): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /** Takes no new work, drains the engine within the grace of the settings, ends all streams, frees the port. */
  close(): Promise<void>;
}

/** Puts the routes of A2A and of agent-output/v1 together. */
export function createServer({
  settings,
  agentKind,
  agentOptions,
  engine,
  store,
  judge,
  logger,
  authentication,
  metrics,
  tracing,
  heartbeatMs,
}: ServerParts): Server {
  if (!isLoopback(settings.host) && authentication === undefined) {
    throw new KediError(
      'SETTINGS_INVALID',
      `The host ${settings.host} can be reached from other machines, so it needs authentication.`,
    );
  }
  const offering = describeOffering(agentKind, agentOptions);
  let grpc: GrpcServer | undefined;
  const cards = createCards({
    settings,
    offering,
    security: authentication?.security,
    grpcAddress: () => settings.grpcAddress ?? grpc?.address,
  });
  const isOpen = (path: string): boolean =>
    openPaths.has(path) || path.startsWith('/web/') || (settings.publicCard && path === CARD_PATH);
  const push = settings.push === 'on' ? createPush({ settings, store, logger }) : undefined;
  const streams = createEventStreams(heartbeatMs === undefined ? {} : { heartbeatMs });
  metrics?.watchStreams(streams);
  const surroundings = {
    service: createService({
      engine,
      log: store.log,
      judge,
      offering,
      push: push?.operations,
      extendedCard: cards.extended,
    }),
    extensions: offering.extensions.map(({ uri }) => uri),
    streams,
    logger,
    maxBody: settings.maxBody,
  };
  const jsonRpc = createJsonRpcRoute(surroundings);
  const httpJson = createHttpJsonRoute(surroundings);
  const legacy = createLegacyRoute(surroundings);
  const speaks = (binding: Binding): boolean => settings.bindings.includes(binding);
  let closing = false;
  const router = createRouter({
    settings,
    cards,
    isOpen,
    log: store.log,
    streams,
    logger,
    metrics,
    vitals: { check: store.check, counts: engine.counts, closing: () => closing },
  });
  const requestIds = createRequestIds();
  const gate = createGate({
    authentication,
    rateLimit: createRateLimit({ perMinute: settings.rateLimit }),
  });
  const enter = createEntrance({ guarding: settings, gate, isOpen, requestIds, logger });

  const serve = (request: IncomingMessage, response: ServerResponse, caller: Caller | undefined): void => {
    if (caller === undefined) return;
    // A route never throws.
    if (isJsonRpc(request) && speaks('json-rpc-0.3') && speaksLegacy(request))
      void legacy(request, response, caller);
    else if (isJsonRpc(request) && speaks('json-rpc')) void jsonRpc(request, response, caller);
    else if (isHttpJson(request) && speaks('http-json')) void httpJson(request, response, caller);
    else void router(request, response, caller);
  };
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    metrics?.request(request, response);
    const admit = (): void => {
      const caller = enter(request, response);
      // An entrance never rejects.
      if (caller instanceof Promise) void caller.then((found) => serve(request, response, found));
      else serve(request, response, caller);
    };
    if (tracing === undefined) {
      admit();
      return;
    }
    const span = tracing.serve(`${request.method} ${routeOf(request)}`, request.headers);
    response.once('close', () =>
      span.end(response.statusCode < 500 ? undefined : `status ${response.statusCode}`),
    );
    span.within(admit);
  };

  const server = createHttp(handler);

  return {
    handler,
    async listen() {
      await push?.sender.resume();
      if (speaks('grpc')) {
        // Loaded only where it is served.
        const { listenGrpc } = await import('./grpc/index.js');
        const { host, grpcPort: port, maxBody } = settings;
        grpc = await listenGrpc({ ...surroundings, gate, requestIds, tracing }, { host, port, maxBody });
      }
      const port = await listenHttp(server, settings);
      const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
      return { host: settings.host, port, url: `http://${host}:${port}` };
    },
    async close() {
      closing = true;
      // Meanwhile clients may still fetch what they wait for.
      await engine.drain(settings.grace);
      streams.close();
      await push?.sender.close();
      await grpc?.close();
      await closeHttp(server);
    },
  };
}

/** What everyone may see, with credentials or without: that the server lives, its page, and the key of its card. */
const openPaths: ReadonlySet<string> = new Set(['/', '/healthz', '/readyz', JWKS_PATH]);
