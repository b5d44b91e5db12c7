import type { FailureCode, KediError } from '../domain/errors.js';
import { errorDetails } from './json-rpc.js';

/** A request of the HTTP+JSON binding: the method of A2A that it stands for, and what its path and query say. */
export interface Operation {
  /** As JSON-RPC names it (A2A 1.0, 5.3). */
  readonly method: string;
  readonly params: Readonly<Record<string, string | boolean>>;
  /** Whether the rest of the params are in a body. */
  readonly body: boolean;
}

/**
 * The operation at a path below the interface's URL (11.3), or the verbs that are allowed there, or nothing.
 */
export function findOperation(
  verb: string,
  { path, query }: { readonly path: string; readonly query: URLSearchParams },
): Operation | { readonly allowed: readonly string[] } | undefined {
  const here = routes.flatMap((route) => {
    const found = route.pattern.exec(path);
    return found === null ? [] : [{ route, names: found.groups ?? {} }];
  });
  const match = here.find(({ route }) => route.verb === (verb === 'HEAD' ? 'GET' : verb));
  if (match === undefined) {
    return here.length === 0 ? undefined : { allowed: here.map(({ route }) => route.verb) };
  }
  const { route, names } = match;
  const params: Record<string, string | boolean> = route.verb === 'POST' ? {} : readQuery(query);
  for (const [name, value] of Object.entries(names)) params[name] = decodePathSegment(value);
  return { method: route.method, params, body: route.body === true };
}

/** The text of an error (11.6): `google.rpc.Status` in an object, with the details of all bindings. */
export function writeHttpError(error: KediError): string {
  const { http, status } = httpJsonStatus(error.code);
  const { message } = error;
  return JSON.stringify({ error: { code: http, status, message, details: errorDetails(error) } });
}

/** The HTTP status of an error (5.4), and the name of the gRPC status that goes with it. */
export const httpJsonStatus = (code: FailureCode): { readonly http: number; readonly status: string } =>
  statuses[code] ?? { http: 500, status: 'INTERNAL' };

const precondition = { http: 400, status: 'FAILED_PRECONDITION' };
const argument = { http: 400, status: 'INVALID_ARGUMENT' };

const statuses: Readonly<Partial<Record<FailureCode, { readonly http: number; readonly status: string }>>> = {
  PARSE_ERROR: argument,
  INVALID_REQUEST: argument,
  INVALID_PARAMS: argument,
  CONTENT_TYPE_NOT_SUPPORTED: argument,
  BODY_TOO_LARGE: { http: 413, status: 'RESOURCE_EXHAUSTED' },
  METHOD_NOT_FOUND: { http: 404, status: 'UNIMPLEMENTED' },
  TASK_NOT_FOUND: { http: 404, status: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: precondition,
  PUSH_NOTIFICATION_NOT_SUPPORTED: precondition,
  UNSUPPORTED_OPERATION: precondition,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: precondition,
  EXTENSION_SUPPORT_REQUIRED: precondition,
  VERSION_NOT_SUPPORTED: precondition,
  UNAUTHENTICATED: { http: 401, status: 'UNAUTHENTICATED' },
  RATE_LIMITED: { http: 429, status: 'RESOURCE_EXHAUSTED' },
  BUSY: { http: 503, status: 'UNAVAILABLE' },
  STORE_UNAVAILABLE: { http: 503, status: 'UNAVAILABLE' },
};

interface RouteOfPath {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  readonly pattern: RegExp;
  readonly method: string;
  readonly body?: true;
}

const configs = /^\/tasks\/(?<taskId>[^/:]+)\/pushNotificationConfigs$/;
const config = /^\/tasks\/(?<taskId>[^/:]+)\/pushNotificationConfigs\/(?<id>[^/:]+)$/;
const subscribe = /^\/tasks\/(?<id>[^/:]+):subscribe$/;

const routes: readonly RouteOfPath[] = [
  { verb: 'POST', pattern: /^\/message:send$/, method: 'SendMessage', body: true },
  { verb: 'POST', pattern: /^\/message:stream$/, method: 'SendStreamingMessage', body: true },
  { verb: 'GET', pattern: /^\/tasks\/(?<id>[^/:]+)$/, method: 'GetTask' },
  { verb: 'GET', pattern: /^\/tasks$/, method: 'ListTasks' },
  { verb: 'POST', pattern: /^\/tasks\/(?<id>[^/:]+):cancel$/, method: 'CancelTask' },
  // The specification's text has POST (11.3.2) and its proto GET: clients of both kinds exist.
  { verb: 'POST', pattern: subscribe, method: 'SubscribeToTask' },
  { verb: 'GET', pattern: subscribe, method: 'SubscribeToTask' },
  { verb: 'POST', pattern: configs, method: 'CreateTaskPushNotificationConfig', body: true },
  { verb: 'GET', pattern: configs, method: 'ListTaskPushNotificationConfigs' },
  { verb: 'GET', pattern: config, method: 'GetTaskPushNotificationConfig' },
  { verb: 'DELETE', pattern: config, method: 'DeleteTaskPushNotificationConfig' },
  { verb: 'GET', pattern: /^\/extendedAgentCard$/, method: 'GetExtendedAgentCard' },
];

/** Values of a query (11.5): a boolean is a word, all else is a string that ProtoJSON reads as what it must be. */
const readQuery = (query: URLSearchParams): Record<string, string | boolean> =>
  Object.fromEntries(
    [...query].map(([name, value]) => [
      name,
      value === 'true' || value === 'false' ? value === 'true' : value,
    ]),
  );

function decodePathSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // It is no id of ours, whatever it was meant to be.
    return segment;
  }
}
