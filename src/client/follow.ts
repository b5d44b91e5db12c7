import { setTimeout as pause } from 'node:timers/promises';
import { type FailureCode, isFailureCode, KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { AGENT_OUTPUT_URI } from '../protocol/agent-output.js';
import { readSpans } from '../schema/document.js';
import type { PeerCard } from './card.js';
import { fetchPeer, readBody, readEvents } from './http.js';
import { type Peer, peerName } from './peer.js';

/** One frame of a chat (agent-output/v1, clause 4); `id` is the cursor to come back with. */
export interface ChatFrame {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: JsonText;
}

/** Tries to come back that do not get through; with the pauses between them about 20 seconds. */
const TRIES = 7;

/**
 * What an agent does on a task, as a conversation: from its beginning, or after the frame `lastEventId`, until its one
 * `done` or `error`. A connection that breaks is made anew at the last frame, with no gap and nothing twice. A peer
 * without agent-output/v1: KediError PEER_UNSUITABLE; a task that it does not know: TASK_NOT_FOUND.
 */
export async function* follow(
  { card, credentials }: Peer,
  {
    taskId,
    lastEventId,
    signal,
  }: { readonly taskId: string; readonly lastEventId?: string; readonly signal: AbortSignal },
): AsyncGenerator<ChatFrame, void, void> {
  const url = chatUrl(card, taskId);
  if (credentials.kind !== 'none' && new URL(url).origin !== new URL(card.url).origin) {
    throw new KediError(
      'PEER_UNSUITABLE',
      `The chat of ${peerName(card)} is at another origin than its card.`,
    );
  }
  let cursor = lastEventId;
  for (let silent = 0; ; silent += 1) {
    try {
      const response = await fetchPeer(url, {
        method: 'GET',
        headers: { accept: 'text/event-stream', ...(cursor !== undefined && { 'last-event-id': cursor }) },
        credentials,
        signal,
      });
      if (response.status === 204) return;
      if (response.status !== 200) throw refusal(await readBody(response, signal), response);
      silent = Math.min(silent, TRIES - 1);
      for await (const { event = 'message', id, data } of readEvents(response, signal)) {
        cursor = id ?? cursor;
        silent = 0;
        yield { id, event, data: jsonOf(data) };
        if (event === 'done' || event === 'error') return;
      }
    } catch (error) {
      if (!(error instanceof KediError) || !passing.has(error.code) || silent >= TRIES) throw error;
    }
    await pause(Math.min(250 * 2 ** silent, 8_000), undefined, { signal });
  }
}

const passing: ReadonlySet<FailureCode> = new Set(['PEER_UNREACHABLE', 'BUSY', 'INTERNAL'] as const);

function chatUrl(card: PeerCard, taskId: string): string {
  const entries = card.span.members.get('supportedInterfaces')?.items ?? [];
  const entry = entries.find(({ members }) =>
    [members.get('protocolBinding')?.string, members.get('extension')?.string].includes(AGENT_OUTPUT_URI),
  );
  const template = entry?.members.get('url')?.string;
  const url = template?.replace('{command_id}', encodeURIComponent(taskId));
  if (url === undefined || !URL.canParse(url)) {
    throw new KediError(
      'PEER_UNSUITABLE',
      `${peerName(card)} does not show what its agent does (${AGENT_OUTPUT_URI}).`,
    );
  }
  const withReplay = new URL(url);
  withReplay.searchParams.set('replay', 'true');
  return withReplay.href;
}

function jsonOf(data: string): JsonText {
  const read = readSpans(data);
  if (read.ok) return read.span.json;
  throw new KediError('INVALID_AGENT_RESPONSE', `A frame of the chat is not JSON: ${read.reason}.`);
}

/** A problem document (RFC 9457) as the error that it tells of. */
function refusal(body: string, { url, status }: Response): KediError {
  const read = readSpans(body);
  const members = read.ok ? read.span.members : undefined;
  const told = members?.get('code')?.string ?? '';
  const detail = members?.get('detail')?.string ?? `${url} answered with HTTP ${status}.`;
  return new KediError(isFailureCode(told) ? told : codeOf(status), detail, {
    info: { status: String(status) },
  });
}

const codeOf = (status: number): FailureCode => {
  if (status === 404) return 'TASK_NOT_FOUND';
  return status >= 500 ? 'INTERNAL' : 'PEER_UNSUITABLE';
};
