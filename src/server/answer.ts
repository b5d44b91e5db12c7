import { setMaxListeners } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import { writeStreamEvent } from '../protocol/a2a-write.js';
import { encodeSseData, oneLine } from '../protocol/sse.js';
import type { Caller } from './caller.js';
import type { EventStreams } from './event-stream.js';
import type { Prepared } from './methods.js';
import { requestIdHeader } from './problem.js';
import { discardBody } from './read-body.js';
import type { Service } from './service.js';
import { extensionsHeader, readExtensions } from './service-parameters.js';

/** What a binding over HTTP needs from the server around it. */
export interface BindingSurroundings {
  readonly service: Service;
  /** URIs of the extensions on the card. */
  readonly extensions: readonly string[];
  readonly streams: EventStreams;
  readonly logger: Logger;
  /** Bytes that a body may have. */
  readonly maxBody: number;
}

/** A handler for Node's own server: it answers every request that the guards let pass, and never throws. */
export type Route = (request: IncomingMessage, response: ServerResponse, caller: Caller) => Promise<void>;

/** How a binding writes what all of them answer; a result is JSON already. */
export interface Wire {
  readonly contentType: string;
  writeResult(json: string): string;
  writeError(error: KediError): string;
  statusOf(error: KediError): number;
}

/** One request on its way. */
export interface Exchange extends BindingSurroundings {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
  readonly wire: Wire;
}

/** Runs a call and answers with its result, or with its events as they come; what it throws is for `answerError`. */
export async function answer(exchange: Exchange, prepared: Prepared): Promise<void> {
  const { request, response, caller, wire } = exchange;
  const extensions = readExtensions(request);
  const asked = prepared.named.length === 0 ? extensions : [...extensions, ...prepared.named];
  const headers = extensionsHeader(asked, exchange.extensions);
  const { host } = request.headers;
  if (prepared.kind === 'stream') {
    const stream = exchange.streams.attach(response);
    const events = prepared.open({ caller, extensions, host, gone: () => stream.signal });
    // What is wrong with the request shows before the first event, and is told as JSON.
    let next = await events.next();
    stream.start(headers);
    try {
      for (; next.done !== true; next = await events.next()) {
        await stream.writeAll(next.value, (event) =>
          encodeSseData(oneLine(wire.writeResult(writeStreamEvent(event)))),
        );
      }
    } catch (error) {
      await stream.write(encodeSseData(wire.writeError(tell(error, caller, exchange.logger))));
    } finally {
      await events.return();
      stream.end();
    }
    return;
  }
  const context = { caller, extensions, host, gone: () => goneOf(request, response) };
  sendJson(response, 200, wire.writeResult(await prepared.run(context)), {
    'Content-Type': wire.contentType,
    ...headers,
  });
}

/** Answers with what went wrong, as far as the client may know it. */
export function answerError(error: unknown, { request, response, caller, wire, logger }: Exchange): void {
  if (response.destroyed || request.socket.destroyed) return;
  const told = tell(error, caller, logger);
  sendJson(response, wire.statusOf(told), wire.writeError(told), {
    'Content-Type': wire.contentType,
    // In a header, so that what does not exist is told in the same words as what is somebody else's.
    [requestIdHeader]: caller.requestId,
    ...retryAfter(told),
  });
  discardBody(request);
}

/** Answers with JSON and its length, so that nothing is sent in chunks. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': length,
    ...headers,
  });
  // The same bytes where all is ASCII, and for less.
  response.end(body, length === body.length ? 'latin1' : 'utf8');
  // Who asks for megabytes and takes none of them would have us hold them for ever.
  if (response.writableLength > 0) dropUnread(response);
}

/** Closes the connection of a client that takes nothing of an answer, once that is on its way. */
function dropUnread(response: ServerResponse): void {
  let left = -1;
  const timer = setInterval(() => {
    // One that waits behind others on its connection is not on its way yet.
    const length = response.socket === null ? -1 : response.writableLength;
    if (length >= 0 && length === left) response.destroy();
    left = length;
  }, unreadMs);
  timer.unref();
  const done = (): void => clearInterval(timer);
  response.once('finish', done).once('close', done);
  response.req.socket.once('close', done);
}

/** How long a client may take nothing; it is looked now and then, so up to as long again. */
const unreadMs = 60_000;

/** What a client may know of an error; what is our own fault goes to the log. */
export function tell(error: unknown, { requestId }: Caller, logger: Logger): KediError {
  const known = error instanceof KediError ? error : undefined;
  if (known !== undefined && known.code !== 'INTERNAL' && known.code !== 'STORE_UNAVAILABLE') {
    logger.debug('a request was refused', { requestId, code: known.code });
    return known;
  }
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  logger.error('a request failed', { requestId, code: known?.code ?? 'INTERNAL', cause });
  if (known?.code === 'STORE_UNAVAILABLE') return known;
  return new KediError('INTERNAL', `The server failed; its log says why, under the request id ${requestId}.`);
}

const retryAfter = ({ retryAfterSeconds, code }: KediError): Readonly<Record<string, string>> =>
  code === 'BUSY' || code === 'RATE_LIMITED' ? { 'Retry-After': String(retryAfterSeconds ?? 1) } : {};

/**
 * Aborts when the client has gone, which over HTTP/1 is when its connection closes: one signal for all that come that way
 * one after another, since each costs as much as the rest of an answer.
 */
function goneOf({ socket, httpVersionMajor }: IncomingMessage, response: ServerResponse): AbortSignal {
  const known = connections.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (httpVersionMajor > 1) response.once('close', abort);
  else {
    // As many wait for it as calls were sent one after another without waiting.
    setMaxListeners(0, controller.signal);
    socket.once('close', abort);
    connections.set(socket, controller.signal);
  }
  if (response.destroyed || socket.destroyed) abort();
  return controller.signal;
}

const connections = new WeakMap<Socket, AbortSignal>();
