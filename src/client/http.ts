import { context, propagation } from '@opentelemetry/api';
import { KediError } from '../domain/errors.js';
import { reasonOf } from '../domain/reason.js';
import { decodeSse, type SseEvent } from '../protocol/sse.js';
import { authorization, type Credentials } from './credentials.js';
import { isRefusal, refusalOf } from './refusal.js';

/** A peer's answer is bounded: an 8 MiB document as base64, with room for a history beside it. */
const ANSWER_CHARACTERS = 64 * 1024 ** 2;

/** One request to a peer. */
export interface PeerRequest {
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials: Credentials;
  readonly signal: AbortSignal;
}

/**
 * Sends one request; almost any status is an answer. A peer that cannot be reached, or that answers with a redirect
 * (which would carry the credentials elsewhere): KediError PEER_UNREACHABLE or PEER_UNSUITABLE. One that wants (other)
 * credentials, or fewer requests: UNAUTHENTICATED or RATE_LIMITED. An abort: the signal's reason.
 */
export async function fetchPeer(url: string, request: PeerRequest): Promise<Response> {
  const { method, headers = {}, body, credentials, signal } = request;
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers, ...traceHeaders(), ...authorization(credentials) },
      body,
      signal,
      redirect: 'manual',
    });
    if (response.status >= 400) return await unlessRefused(response, request);
    if (response.status < 300 || response.status === 304) return response;
    await response.body?.cancel();
    const target = response.headers.get('location');
    throw new KediError(
      'PEER_UNSUITABLE',
      `${url} redirects to ${target ?? 'nowhere'}; call that URL instead.`,
    );
  } catch (error) {
    if (error instanceof KediError) throw error;
    signal.throwIfAborted();
    throw unreachable(url, error);
  }
}

/** A response that is an answer, its body still to be read; throws what `refusalOf` makes of any other. */
async function unlessRefused(response: Response, { credentials, signal }: PeerRequest): Promise<Response> {
  if (!isRefusal(response.status)) return response;
  // What cannot be read says nothing, and is a refusal nonetheless.
  const body = await readBody(response, signal).catch(() => '');
  signal.throwIfAborted();
  throw refusalOf(body, { response, credentials });
}

/** The trace that is active, for the peer's own (W3C Trace Context); nothing where nobody traces. */
function traceHeaders(): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** The whole body of an answer. */
export async function readBody(response: Response, signal: AbortSignal): Promise<string> {
  let text = '';
  for await (const piece of pieces(response, signal)) {
    text += piece;
    if (text.length > ANSWER_CHARACTERS) throw tooLong(response.url);
  }
  return text;
}

/** The events of a `text/event-stream` as they come; ends when the peer ends, throws PEER_UNREACHABLE if it breaks. */
export async function* readEvents(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<SseEvent, void, void> {
  if (response.body === null) return;
  try {
    yield* decodeSse(response.body, { maximum: ANSWER_CHARACTERS });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof KediError ? error : unreachable(response.url, error);
  }
}

async function* pieces(response: Response, signal: AbortSignal): AsyncGenerator<string, void, void> {
  if (response.body === null) return;
  try {
    yield* response.body.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }));
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(response.url, error);
  }
}

const unreachable = (url: string, cause: unknown): KediError =>
  new KediError('PEER_UNREACHABLE', `${url} cannot be reached: ${reasonOf(cause)}.`, { cause });

const tooLong = (url: string): KediError =>
  new KediError('PEER_UNSUITABLE', `The answer of ${url} is longer than ${ANSWER_CHARACTERS} characters.`);
