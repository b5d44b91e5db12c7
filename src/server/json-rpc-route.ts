import type { IncomingMessage, ServerResponse } from 'node:http';
import { httpStatusOf, readCall, writeError, writeResult } from '../protocol/json-rpc.js';
import {
  answer,
  answerError,
  type BindingSurroundings,
  type Exchange,
  type Route,
  type Wire,
} from './answer.js';
import type { Caller } from './caller.js';
import { findMethod } from './methods.js';
import { sendProblem } from './problem.js';
import { discardBody, readBody } from './read-body.js';
import { requireVersion } from './service-parameters.js';

/** The path of the JSON-RPC binding. */
export const JSON_RPC_PATH = '/a2a';

/** Whether a request is for this binding; with a slash at the end too, which some clients add to what the card says. */
export const isJsonRpc = ({ url = '' }: IncomingMessage): boolean => {
  if (!url.startsWith(JSON_RPC_PATH)) return false;
  const end = url.startsWith('/', JSON_RPC_PATH.length) ? JSON_RPC_PATH.length + 1 : JSON_RPC_PATH.length;
  return url.length === end || url.charAt(end) === '?';
};

/**
 * The JSON-RPC binding of A2A 1.0 (clause 9). It reads the bytes itself, before any framework has parsed them: ids and
 * documents keep their digits, and a message costs a fraction of what it costs behind Express.
 */
export function createJsonRpcRoute(surroundings: BindingSurroundings): Route {
  const { service, extensions, streams, logger, maxBody } = surroundings;
  return async (request, response, caller) => {
    if (request.method !== 'POST') return refuseMethod(request, response, caller);
    // Written out, because a spread costs as much as all the rest of this route.
    const exchange = (id: string): Exchange => ({
      service,
      extensions,
      streams,
      logger,
      maxBody,
      request,
      response,
      caller,
      wire: wireOf(id),
    });
    let id = 'null';
    try {
      const read = readCall(await readBody(request, maxBody));
      id = read.ok ? read.call.id : read.id;
      if (!read.ok) throw read.error;
      requireVersion(request);
      await answer(exchange(id), findMethod(read.call.method)(read.call.params, service));
    } catch (error) {
      answerError(error, exchange(id));
    }
  };
}

/** How a call of JSON-RPC is answered, under the id that its client gave it. */
export const wireOf = (id: string): Wire => ({
  contentType: 'application/json',
  writeResult: (json) => writeResult(id, json),
  writeError: (error) => writeError(id, error),
  statusOf: httpStatusOf,
});

function refuseMethod(request: IncomingMessage, response: ServerResponse, { requestId }: Caller): void {
  const detail = 'A2A is spoken here in JSON-RPC 2.0, by POST.';
  sendProblem(response, { status: 405, detail, requestId, headers: { Allow: 'POST' } });
  discardBody(request);
}
