import { A2A_ERROR_CODE, A2A_ERROR_DOMAIN, ERROR_INFO_TYPE, type ErrorDetail } from '@a2a-js/sdk/errors';
import { type FailureCode, isFailureCode, KediError } from '../domain/errors.js';
import { readEnvelope, type Span } from '../schema/document.js';
import { type Params, repeatsName } from './fields.js';

/** One call of JSON-RPC 2.0; `id` is its JSON text as the client wrote it, so that it returns digit for digit. */
export interface Call {
  readonly id: string;
  readonly method: string;
  readonly params: Params | undefined;
}

/**
 * Reads the bytes of a request's body. What is no call is refused as JSON-RPC 2.0 and A2A 1.0 (9.5) have it, under the
 * call's id where that could be read and `null` elsewhere.
 */
export function readCall(
  body: Uint8Array,
):
  | { readonly ok: true; readonly call: Call }
  | { readonly ok: false; readonly id: string; readonly error: KediError } {
  const read = readEnvelope(body, { depth: 1_000 });
  if (!read.ok) {
    const sentence = `The body is not JSON that can be read: ${read.reason}, at character ${read.offset}.`;
    return { ok: false, id: 'null', error: new KediError('PARSE_ERROR', sentence) };
  }
  const { span, flaws } = read;
  const id = readId(span);
  const refused = (sentence: string) =>
    ({ ok: false, id: id ?? 'null', error: new KediError('INVALID_REQUEST', sentence) }) as const;
  if (span.kind === 'array') return refused('Batches are not supported: send one request at a time.');
  if (span.kind !== 'object') return refused('The body must be a JSON-RPC 2.0 request, which is an object.');
  if (flaws.length > 0 && repeatsName(span, flaws)) return refused('The request has a name twice.');
  if (span.members.get('jsonrpc')?.string !== '2.0') return refused('The member jsonrpc must be "2.0".');
  if (id === undefined) return refused('The member id is required: a string, a number or null.');
  const method = span.members.get('method')?.string;
  if (method === undefined) return refused('The member method is required, a string.');
  const params = span.members.get('params');
  return { ok: true, call: { id, method, params: params && { span: params, flaws } } };
}

/** The text of a response with a result, which is JSON already. */
export const writeResult = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

/** The text of an error response (A2A 1.0, 9.5): code, sentence, and details of `google.rpc`. */
export function writeError(id: string, error: KediError): string {
  const { code, message } = error;
  const body = JSON.stringify({
    code: jsonRpcCodes[code] ?? A2A_ERROR_CODE.INTERNAL_ERROR,
    message,
    data: errorDetails(error),
  });
  return `{"jsonrpc":"2.0","id":${id},"error":${body}}`;
}

/**
 * The HTTP status under which a JSON-RPC error travels: 200, as JSON-RPC over HTTP has it, but for what concerns the
 * transport more than the call.
 */
export const httpStatusOf = ({ code }: KediError): number => transportStatus[code] ?? 200;

const transportStatus: Readonly<Partial<Record<FailureCode, number>>> = {
  BODY_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  BUSY: 503,
  STORE_UNAVAILABLE: 503,
};

/** Details of an error for all bindings: what is wrong with which field, and the reason by name (3.3.2). */
export function errorDetails({ code, fields, info, pointer }: KediError): readonly ErrorDetail[] {
  const metadata = { ...info, ...(pointer !== undefined && { pointer }) };
  const reason = {
    '@type': ERROR_INFO_TYPE,
    reason: code,
    domain: A2A_ERROR_DOMAIN,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
  if (fields.length === 0) return [reason];
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: fields }, reason];
}

/** The failure that a peer means by its code, where it gives no reason by name; the inverse of what we write. */
export const failureOfCode = (code: number): FailureCode | undefined =>
  code === A2A_ERROR_CODE.INTERNAL_ERROR
    ? 'INTERNAL'
    : Object.keys(jsonRpcCodes)
        .filter(isFailureCode)
        .find((name) => jsonRpcCodes[name] === code);

/** Failures that are not here end a task, or are our own fault. */
const jsonRpcCodes: Readonly<Partial<Record<FailureCode, number>>> = {
  PARSE_ERROR: A2A_ERROR_CODE.PARSE_ERROR,
  INVALID_REQUEST: A2A_ERROR_CODE.INVALID_REQUEST,
  BODY_TOO_LARGE: A2A_ERROR_CODE.INVALID_REQUEST,
  METHOD_NOT_FOUND: A2A_ERROR_CODE.METHOD_NOT_FOUND,
  INVALID_PARAMS: A2A_ERROR_CODE.INVALID_PARAMS,
  TASK_NOT_FOUND: A2A_ERROR_CODE.TASK_NOT_FOUND,
  TASK_NOT_CANCELABLE: A2A_ERROR_CODE.TASK_NOT_CANCELABLE,
  PUSH_NOTIFICATION_NOT_SUPPORTED: A2A_ERROR_CODE.PUSH_NOTIFICATION_NOT_SUPPORTED,
  UNSUPPORTED_OPERATION: A2A_ERROR_CODE.UNSUPPORTED_OPERATION,
  CONTENT_TYPE_NOT_SUPPORTED: A2A_ERROR_CODE.CONTENT_TYPE_NOT_SUPPORTED,
  INVALID_AGENT_RESPONSE: A2A_ERROR_CODE.INVALID_AGENT_RESPONSE,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: A2A_ERROR_CODE.EXTENDED_CARD_NOT_CONFIGURED,
  EXTENSION_SUPPORT_REQUIRED: A2A_ERROR_CODE.EXTENSION_SUPPORT_REQUIRED,
  VERSION_NOT_SUPPORTED: A2A_ERROR_CODE.VERSION_NOT_SUPPORTED,
};

/** Undefined where there is none that could be echoed; an absent one would be a notification, which A2A has none of. */
function readId({ members }: Span): string | undefined {
  const id = members.get('id');
  return id !== undefined && (id.kind === 'string' || id.kind === 'number' || id.kind === 'null')
    ? id.json
    : undefined;
}
