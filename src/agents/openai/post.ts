import type { Line } from '../../domain/agent.js';
import type { KediError } from '../../domain/errors.js';
import { pause } from '../kit/pause.js';
import type { StreamJson } from '../kit/stream-json.js';
import type { OpenaiSettings } from './options.js';
import { lost, refusalOf } from './refusal.js';
import { writeHeaders } from './request.js';
import { isPassing, waitBefore } from './retry.js';

/**
 * Sends a request until it is answered, and returns the answer's beginning; each try that fails and is not the last is
 * told in a line. A refusal that does not pass, or the last one: KediError AGENT_FAILED or AGENT_UNAVAILABLE.
 */
export async function* post(
  body: string,
  {
    settings,
    write,
    signal,
  }: { readonly settings: OpenaiSettings; readonly write: StreamJson; readonly signal: AbortSignal },
): AsyncGenerator<Line, Response, void> {
  const { retries } = settings;
  for (let tried = 0; ; tried += 1) {
    const answer = await send(body, { settings, signal });
    if (answer.kind === 'response') return answer.response;
    const { failure, passing, headers } = answer;
    if (!passing || tried >= retries) throw failure;
    const waitMs = waitBefore(tried, { headers, now: Date.now() });
    const when = `trying again in ${Math.ceil(waitMs / 100) / 10} s (${tried + 1} of ${retries}).`;
    yield write.status('retry', `${failure.message.replace(/\.$/, '')}; ${when}`);
    await pause(waitMs, signal);
  }
}

type Answer =
  | { readonly kind: 'response'; readonly response: Response }
  | {
      readonly kind: 'failure';
      readonly failure: KediError;
      readonly passing: boolean;
      readonly headers: Headers;
    };

async function send(
  body: string,
  { settings, signal }: { readonly settings: OpenaiSettings; readonly signal: AbortSignal },
): Promise<Answer> {
  const headers = writeHeaders(settings);
  let response: Response;
  try {
    // A redirect could carry the key elsewhere.
    const init = {
      method: 'POST',
      headers,
      body,
      signal,
      redirect: 'manual',
    } as const;
    response = await fetch(settings.url, init);
  } catch (cause) {
    signal.throwIfAborted();
    return { kind: 'failure', failure: lost(cause, { began: false }), passing: true, headers: new Headers() };
  }
  if (response.status === 200) return { kind: 'response', response };
  const failure = await refusalOf(response, settings);
  signal.throwIfAborted();
  return { kind: 'failure', failure, passing: isPassing(response), headers: response.headers };
}
