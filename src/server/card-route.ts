import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HandwrittenCard, type ServedCard, writeCard } from '../protocol/card.js';

/** Where every A2A client looks for the card (A2A 1.0, 8.2). */
export const CARD_PATH = '/.well-known/agent-card.json';

/**
 * Serves the card (8.6.1): with an entity tag and the time of the server's start, by which a client asks again and is
 * told 304. Without a public URL its interfaces have the host and port that the request names, which the guard has
 * checked to be of this machine.
 */
export function createCardRoute({
  handwritten,
  publicUrl,
  serve,
  now = Date.now,
}: {
  readonly handwritten: HandwrittenCard;
  readonly publicUrl: string | undefined;
  /** What follows from the settings, for a card under this base URL. */
  readonly serve: (baseUrl: string) => ServedCard;
  readonly now?: () => number;
}): (request: IncomingMessage, response: ServerResponse) => void {
  const lastModified = new Date(Math.floor(now() / 1_000) * 1_000);
  return (request, response) => {
    const card = writeCard(handwritten, serve(publicUrl ?? `http://${request.headers.host?.toLowerCase()}`));
    const entityTag = `"${createHash('sha256').update(card).digest('base64url').slice(0, 27)}"`;
    const headers = {
      'Cache-Control': 'public, max-age=60',
      ETag: entityTag,
      'Last-Modified': lastModified.toUTCString(),
    };
    if (publicUrl === undefined) response.appendHeader('Vary', 'Host');
    if (isFresh(request, { entityTag, lastModified })) {
      response.writeHead(304, headers);
      response.end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(card),
    });
    response.end(request.method === 'HEAD' ? undefined : card);
  };
}

/** Whether the client has this card already (RFC 9110, 13.1): its tags decide, else the time of its copy. */
function isFresh(
  { headers }: IncomingMessage,
  { entityTag, lastModified }: { readonly entityTag: string; readonly lastModified: Date },
): boolean {
  const tags = headers['if-none-match'];
  if (tags !== undefined) {
    return tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag);
  }
  const since = Date.parse(headers['if-modified-since'] ?? '');
  return since >= lastModified.getTime();
}
