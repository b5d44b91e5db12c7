import type { IncomingMessage } from 'node:http';
import { KediError } from '../domain/errors.js';
import { type Params, paramsOf } from '../protocol/fields.js';
import { findOperation, httpJsonStatus, type Operation, writeHttpError } from '../protocol/http-json.js';
import { readEnvelope } from '../schema/document.js';
import {
  answer,
  answerError,
  type BindingSurroundings,
  type Exchange,
  type Route,
  type Wire,
} from './answer.js';
import { findMethod } from './methods.js';
import { sendProblem } from './problem.js';
import { discardBody, readBody } from './read-body.js';
import { requireVersion } from './service-parameters.js';

/** The path below which the HTTP+JSON binding is. */
export const HTTP_JSON_PATH = '/a2a/v1';

/** Whether a request is for this binding. */
export const isHttpJson = ({ url = '' }: IncomingMessage): boolean => url.startsWith(`${HTTP_JSON_PATH}/`);

/**
 * The HTTP+JSON binding of A2A 1.0 (clause 11), over the same methods as JSON-RPC. Ours in place of the SDK's, which
 * parses the body before we see it, so that a typed request's numbers would no longer be those that its client wrote.
 */
export function createHttpJsonRoute(surroundings: BindingSurroundings): Route {
  return async (request, response, caller) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const path = pathname.slice(HTTP_JSON_PATH.length);
    const operation = findOperation(request.method ?? '', { path, query: searchParams });
    if (operation === undefined || 'allowed' in operation) {
      const detail = `There is nothing at ${path.slice(0, 200)} for ${request.method}.`;
      const refused =
        operation === undefined
          ? { status: 404, detail }
          : { status: 405, detail, headers: { Allow: operation.allowed.join(', ') } };
      sendProblem(response, { ...refused, requestId: caller.requestId });
      discardBody(request);
      return;
    }
    const exchange: Exchange = { ...surroundings, request, response, caller, wire };
    try {
      requireVersion(request);
      const params = await readParams(request, { operation, maxBody: surroundings.maxBody });
      await answer(exchange, findMethod(operation.method)(params, surroundings.service));
    } catch (error) {
      answerError(error, exchange);
    }
  };
}

const wire: Wire = {
  contentType: 'application/a2a+json',
  writeResult: (json) => json,
  writeError: writeHttpError,
  statusOf: ({ code }) => httpJsonStatus(code).http,
};

async function readParams(
  request: IncomingMessage,
  { operation, maxBody }: { readonly operation: Operation; readonly maxBody: number },
): Promise<Params> {
  const outside = paramsOf(operation.params);
  const body = await readBody(request, maxBody);
  if (!operation.body) return outside;
  const read = readEnvelope(body, { depth: 1_000 });
  if (!read.ok) {
    const sentence = `The body is not JSON that can be read: ${read.reason}, at character ${read.offset}.`;
    throw new KediError('PARSE_ERROR', sentence);
  }
  if (outside.span.members.size === 0) return read;
  // What the path says is not for the body to contradict.
  const { kind, json, start, end, items, string } = read.span;
  const members = new Map([...read.span.members, ...outside.span.members]);
  return { span: { kind, json, start, end, items, string, members }, flaws: read.flaws };
}
