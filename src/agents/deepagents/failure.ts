import { KediError } from '../../domain/errors.js';
import { reasonOf } from '../../domain/reason.js';
import { isShape, type Shape } from '../kit/json-line.js';
import type { Secret } from '../kit/secret.js';

/**
 * What the library or its model threw: KediError AGENT_UNAVAILABLE for a key that is refused and for an endpoint that
 * cannot be reached, else AGENT_FAILED; in its own words, without the key.
 */
export function failureOf(
  thrown: unknown,
  { key, recursionLimit }: { readonly key: Secret | undefined; readonly recursionLimit: number },
): KediError {
  if (thrown instanceof KediError) return thrown;
  const { name, lc_error_code: code, status }: Shape = isShape(thrown) ? thrown : {};
  if (name === 'GraphRecursionError' || code === 'GRAPH_RECURSION_LIMIT') {
    return new KediError('AGENT_FAILED', `The agent did not come to an end within ${recursionLimit} steps.`, {
      cause: thrown,
    });
  }
  const words = wordsOf(thrown);
  const unavailable =
    status === 401 ||
    status === 403 ||
    /^40[13]\b/.test(words) ||
    name === 'APIConnectionError' ||
    /^Connection error/.test(words);
  const text = `The agent failed: ${words}`;
  const secret = key?.();
  return new KediError(
    unavailable ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED',
    secret === undefined ? text : text.replaceAll(secret, '***'),
    { cause: thrown },
  );
}

/** LangChain adds a paragraph with an address that is of no use here, to the causes too. */
function wordsOf(thrown: unknown): string {
  const own = withoutAdvice(thrown instanceof Error ? thrown.message : String(thrown));
  const cause = thrown instanceof Error && thrown.cause !== undefined ? reasonOf(thrown.cause) : '';
  const why = withoutAdvice(cause);
  return own.includes(why) ? own : `${own.replace(/\.$/, '')}: ${why}`;
}

const withoutAdvice = (message: string): string =>
  (message.split(/\s*Troubleshooting URL/)[0] ?? '').replace(/\s+/g, ' ').trim();
