import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FailureCode, KediError } from '../domain/errors.js';
import type { Logger } from '../domain/ports.js';
import { writeError } from '../protocol/json-rpc.js';
import { sendJson, tell } from './answer.js';
import type { Identity } from './auth/index.js';
import { type Caller, LOCAL_PRINCIPAL } from './caller.js';
import type { Gate } from './gate.js';
import { allowOrigin, createGuard, type Guarding } from './guards.js';
import { isJsonRpc } from './json-rpc-route.js';
import { requestIdHeader, sendProblem } from './problem.js';
import { discardBody } from './read-body.js';

/**
 * What a request passes before any route sees it: the guards, the preflight of an allowed origin, and its credentials.
 * Undefined: it was answered here. At once where nobody is asked for credentials, since all requests come this way;
 * never rejects, whatever becomes of the credentials.
 */
export type Entrance = (
  request: IncomingMessage,
  response: ServerResponse,
) => Caller | undefined | Promise<Caller | undefined>;

/** `isOpen`: whether what is at this path is for everyone, with credentials or without. */
export function createEntrance({
  guarding,
  gate,
  isOpen,
  requestIds,
  logger,
}: {
  readonly guarding: Guarding;
  readonly gate: Gate;
  readonly isOpen: (path: string) => boolean;
  readonly requestIds: () => string;
  readonly logger: Logger;
}): Entrance {
  const guard = createGuard(guarding);
  return (request, response) => {
    const requestId = requestIds();
    const refusal = guard(request);
    if (refusal !== undefined) return refuse(request, response, { ...refusal, requestId });
    if (allowOrigin(request, response)) return undefined;
    if (isOpen(pathOf(request))) return { principal: LOCAL_PRINCIPAL, requestId };
    const { headers, socket } = request;
    const identity = gate({ headers, address: socket.remoteAddress ?? '' });
    const exchange = { request, response, requestId };
    if (!(identity instanceof Promise)) return admit(identity, exchange);
    return identity.then(
      (found) => admit(found, exchange),
      (error: unknown) => {
        const { message } = tell(error, { principal: LOCAL_PRINCIPAL, requestId }, logger);
        return refuse(request, response, { status: 500, detail: message, requestId });
      },
    );
  };
}

function admit(
  identity: Identity,
  exchange: {
    readonly request: IncomingMessage;
    readonly response: ServerResponse;
    readonly requestId: string;
  },
): Caller | undefined {
  const { request, response, requestId } = exchange;
  if (identity.ok) return { principal: identity.principal, requestId };
  return refuse(request, response, { ...identity, requestId });
}

interface Refused {
  readonly status: number;
  readonly detail: string;
  readonly requestId: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of JSON-RPC gets what never was a call as a JSON-RPC error, too. */
function refuse(request: IncomingMessage, response: ServerResponse, refused: Refused): undefined {
  const { status, detail, requestId, headers } = refused;
  const code = callCodes.get(status);
  if (code !== undefined && isJsonRpc(request)) {
    const error = writeError('null', new KediError(code, detail));
    sendJson(response, status, error, { ...headers, [requestIdHeader]: requestId });
  } else sendProblem(response, refused);
  discardBody(request);
}

const callCodes: ReadonlyMap<number, FailureCode> = new Map([
  [401, 'UNAUTHENTICATED'],
  [415, 'CONTENT_TYPE_NOT_SUPPORTED'],
  [429, 'RATE_LIMITED'],
]);

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?', 1)[0] ?? '';

/** Request ids that are unique among servers and cost nothing. */
export function createRequestIds(): () => string {
  const server = Math.random().toString(36).slice(2, 8);
  let count = 0;
  return () => {
    count += 1;
    return `${server}-${count.toString(36)}`;
  };
}
