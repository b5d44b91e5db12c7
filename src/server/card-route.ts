import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Cards } from './cards.js';

/** Where every A2A client looks for the card (A2A 1.0, 8.2). */
export const CARD_PATH = '/.well-known/agent-card.json';

/**
 * Serves the card (8.6.1): with an entity tag and the time of the server's start, by which a client asks again and is
 * told 304. `open`: shared caches may keep it; `byHost`: it follows the `Host` of each request.
 */
export function createCardRoute({
  card,
  open,
  byHost,
  now = Date.now,
}: {
  readonly card: Cards['discovered'];
  readonly open: boolean;
  readonly byHost: boolean;
  readonly now?: () => number;
}): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const lastModified = new Date(Math.floor(now() / 1_000) * 1_000);
  return async (request, response) => {
    const text = await card(request.headers.host);
    const entityTag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
    const headers = {
      'Cache-Control': `${open ? 'public' : 'private'}, max-age=60`,
      ETag: entityTag,
      'Last-Modified': lastModified.toUTCString(),
    };
    if (byHost) response.appendHeader('Vary', 'Host');
    if (isFresh(request, { entityTag, lastModified })) {
      response.writeHead(304, headers);
      response.end();
      return;
    }
    response.writeHead(200, {
      ...headers,
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
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
