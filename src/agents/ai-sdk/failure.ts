import { KediError } from '../../domain/errors.js';
import { reasonOf } from '../../domain/reason.js';
import { isShape, type Shape } from '../kit/json-line.js';
import type { Secret } from '../kit/secret.js';

/**
 * What the AI SDK or its provider threw, or told as a part of its stream: KediError AGENT_UNAVAILABLE for a key that is
 * missing or refused and for an endpoint that cannot be reached, else AGENT_FAILED; in its own words, without the key.
 */
export function failureOf(thrown: unknown, key: Secret | undefined): KediError {
  if (thrown instanceof KediError) return thrown;
  const error = innermost(thrown);
  const { statusCode: status, message, name, cause }: Shape = isShape(error) ? error : {};
  const words =
    typeof message === 'string' ? message : typeof error === 'string' ? error : String(name ?? thrown);
  const unavailable =
    status === 401 ||
    status === 403 ||
    name === 'AI_LoadAPIKeyError' ||
    words.startsWith('Cannot connect to API');
  const http = typeof status === 'number' && status !== 200 ? ` (HTTP ${status})` : '';
  // An answer that was accepted and then lost says no more than that, and its cause does.
  const why = status === 200 && cause !== undefined ? `${words}: ${reasonOf(cause)}` : words;
  const text = `The model failed${http}: ${why.replaceAll(/\s+/g, ' ').trim()}`;
  const secret = key?.();
  return new KediError(
    unavailable ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED',
    secret === undefined ? text : text.replaceAll(secret, '***'),
    { cause: thrown },
  );
}

/** After its last retry it throws an error that holds the last one. */
function innermost(thrown: unknown): unknown {
  const last = isShape(thrown) ? thrown.lastError : undefined;
  return last === undefined ? thrown : innermost(last);
}
