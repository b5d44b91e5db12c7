import type { IncomingMessage, ServerResponse } from 'node:http';
import { KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import { writeStreamEvent } from '../protocol/a2a-write.js';
import { httpStatusOf, readCall, writeError, writeResult } from '../protocol/json-rpc.js';
import { encodeSseData, oneLine } from '../protocol/sse.js';
import type { StreamEvent } from '../protocol/task-fold.js';
import type { Caller } from './caller.js';
import type { EventStreams } from './event-stream.js';
import { findMethod, type Prepared } from './json-rpc-methods.js';
import { sendProblem } from './problem.js';
import { discardBody, readBody } from './read-body.js';
import type { Service } from './service.js';
import { extensionsHeader, readExtensions, requireVersion } from './service-parameters.js';

/** The path of the JSON-RPC binding. */
export const JSON_RPC_PATH = '/a2a';

/** Whether a request is for this binding. */
export const isJsonRpc = ({ url = '' }: IncomingMessage): boolean =>
  url.startsWith(JSON_RPC_PATH) &&
  (url.length === JSON_RPC_PATH.length || url.charAt(JSON_RPC_PATH.length) === '?');

/** A handler for Node's own server: it answers every request that the guards let pass, and never throws. */
export type Route = (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>;

/** What the route needs from the server around it. */
export interface JsonRpcSurroundings {
  readonly service: Service;
  /** URIs of the extensions on the card. */
  readonly extensions: readonly string[];
  readonly streams: EventStreams;
  readonly logger: Logger;
  /** Bytes that a body may have. */
  readonly maxBody: number;
}

/**
 * The JSON-RPC binding of A2A 1.0 (clause 9). It reads the bytes itself, before any framework has parsed them: ids and
 * documents keep their digits, and a message costs a fraction of what it costs behind Express.
 */
export function createJsonRpcRoute(surroundings: JsonRpcSurroundings): Route {
  return async (request, response, caller) => {
    if (request.method !== 'POST') return refuseMethod(request, response, caller);
    let id = 'null';
    try {
      const read = readCall(await readBody(request, surroundings.maxBody));
      id = read.ok ? read.call.id : read.id;
      if (!read.ok) throw read.error;
      requireVersion(request);
      const prepared = findMethod(read.call.method)(read.call.params, surroundings.service);
      await answer({ ...surroundings, request, response, caller, id }, prepared);
    } catch (error) {
      if (response.destroyed) return;
      const told = tell(error, caller, surroundings.logger);
      sendJson(response, httpStatusOf(told), writeError(id, told), retryAfter(told));
      discardBody(request);
    }
  };
}

interface Exchange extends JsonRpcSurroundings {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly id: string;
}

async function answer(exchange: Exchange, prepared: Prepared): Promise<void> {
  const { request, response, caller, id } = exchange;
  const extensions = readExtensions(request);
  const asked = prepared.named.length === 0 ? extensions : [...extensions, ...prepared.named];
  const headers = extensionsHeader(asked, exchange.extensions);
  if (prepared.kind === 'stream') {
    const stream = exchange.streams.attach(response);
    const events = prepared.open({ caller, extensions, host: request.headers.host, signal: stream.signal });
    // What is wrong with the request shows before the first event, and is told as JSON.
    let next = await events.next();
    stream.start(headers);
    try {
      for (; next.done !== true; next = await events.next()) {
        await stream.writeAll(next.value, (event) => eventText(id, event));
      }
    } catch (error) {
      await stream.write(encodeSseData(writeError(id, tell(error, caller, exchange.logger))));
    } finally {
      await events.return();
      stream.end();
    }
    return;
  }
  const context = {
    caller,
    extensions,
    host: request.headers.host,
    // Made only for those that wait.
    get signal() {
      return abortOnClose(response);
    },
  };
  sendJson(response, 200, writeResult(id, await prepared.run(context)), headers);
}

const eventText = (id: string, event: StreamEvent): string =>
  encodeSseData(oneLine(writeResult(id, writeStreamEvent(event))));

/** Answers with JSON and its length, so that nothing is sent in chunks. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

function refuseMethod(request: IncomingMessage, response: ServerResponse, { requestId }: Caller): void {
  const detail = 'A2A is spoken here in JSON-RPC 2.0, by POST.';
  sendProblem(response, { status: 405, detail, requestId, headers: { Allow: 'POST' } });
  discardBody(request);
}

/** What a client may know of an error; what is our own fault goes to the log. */
function tell(error: unknown, { requestId }: Caller, logger: Logger): KediError {
  const known = error instanceof KediError ? error : undefined;
  if (known !== undefined && known.code !== 'INTERNAL' && known.code !== 'STORE_UNAVAILABLE') return known;
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.error('a request failed', { requestId, code: known?.code ?? 'INTERNAL', cause });
  if (known?.code === 'STORE_UNAVAILABLE') return known;
  return new KediError('INTERNAL', `The server failed; its log says why, under the request id ${requestId}.`);
}

const retryAfter = ({ retryAfterSeconds, code }: KediError): Readonly<Record<string, string>> =>
  code === 'BUSY' ? { 'Retry-After': String(retryAfterSeconds ?? 1) } : {};

function abortOnClose(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  else {
    response.once('close', () => {
      // It also closes when all was sent, and an abort is dear.
      if (!response.writableFinished) controller.abort();
    });
  }
  return controller.signal;
}
