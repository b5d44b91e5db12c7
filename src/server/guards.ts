import type { IncomingMessage, ServerResponse } from 'node:http';
import { isHttpJson } from './http-json-route.js';
import { isLoopback } from './loopback.js';

/** Why a request is refused before any route sees it. */
export interface Refusal {
  readonly status: 403 | 415 | 421;
  readonly detail: string;
}

/** From where requests may come. */
export interface Guarding {
  /** The address that the server listens on. */
  readonly host: string;
  readonly publicUrl: string | undefined;
  /** Web origins beside the server's own. */
  readonly allowedOrigins: readonly string[];
}

/**
 * Guards every route against DNS rebinding and against web pages that would drive an agent on their visitor's machine.
 * Returns why a request is refused: a `Host` that is not ours (421), an `Origin` neither ours nor allowed (403), a POST
 * of anything but JSON (415), which a page can send to a stranger without being asked.
 */
export function createGuard({ host, publicUrl, allowedOrigins }: Guarding) {
  const own = publicUrl === undefined ? undefined : new URL(publicUrl);
  const allowed = new Set(allowedOrigins);
  const onLoopback = isLoopback(host);

  const isOurHost = (name: string): boolean =>
    (onLoopback && isLoopback(name)) || name.toLowerCase() === own?.hostname;

  const isOurOrigin = (origin: string, hostHeader: string): boolean =>
    origin === own?.origin ||
    (isLoopback(hostName(hostHeader)) && origin === `http://${hostHeader.toLowerCase()}`);

  return (request: IncomingMessage): Refusal | undefined => {
    const { host: hostHeader = '', origin } = request.headers;
    if (!isOurHost(hostName(hostHeader))) {
      return { status: 421, detail: 'This server does not answer to the name in the Host header.' };
    }
    if (origin !== undefined && !isOurOrigin(origin, hostHeader) && !allowed.has(origin)) {
      return { status: 403, detail: 'Pages of the origin in the Origin header may not call this server.' };
    }
    if (request.method !== 'POST') return undefined;
    return isJsonBody(request) || isBare(request) ? undefined : { status: 415, detail: jsonWanted };
  };
}

/**
 * Lets pages of an allowed origin read the response (Fetch, CORS), and answers a preflight itself: true then. For
 * requests that the guard let pass.
 */
export function allowOrigin(request: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader(
    'Access-Control-Expose-Headers',
    'A2A-Extensions, ETag, Retry-After, WWW-Authenticate, X-Request-Id',
  );
  response.appendHeader('Vary', 'Origin');
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
    return false;
  response.writeHead(204, {
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, DELETE',
    'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? '',
    'Access-Control-Max-Age': '600',
  });
  response.end();
  return true;
}

const jsonWanted =
  'A POST must have the Content-Type application/json or application/a2a+json, in UTF-8 and not encoded further.';

function isJsonBody({ headers }: IncomingMessage): boolean {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (type !== 'application/json' && !jsonTypes.has(type.trim())) return false;
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') return false;
  return parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-8"?\s*$/.test(parameter),
  );
}

/** Whether there is no body that could be of a type, where none is needed: HTTP+JSON cancels a task that way. */
const isBare = (request: IncomingMessage): boolean => isHttpJson(request) && hasNoBody(request);

const hasNoBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-type'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) === 0;

const jsonTypes: ReadonlySet<string> = new Set(['application/json', 'application/a2a+json']);

/** `127.0.0.1` of `127.0.0.1:8000`, `[::1]` of `[::1]:8000`. */
function hostName(header: string): string {
  const end = header.lastIndexOf(':');
  return end > header.lastIndexOf(']') ? header.slice(0, end) : header;
}
