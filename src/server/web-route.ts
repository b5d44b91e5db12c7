import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page, at its path below the server's root; GET and HEAD, for everyone. */
export interface WebRoute {
  readonly path: string;
  handle(request: IncomingMessage, response: ServerResponse): void;
}

/**
 * The page at `/` and the files it is made of, at `/web/…`, read once. They are public, and hold nothing of anyone:
 * what the page shows it asks for itself, with the credential of whoever sits there.
 */
export function webRoutes(): readonly WebRoute[] {
  const directory = fileURLToPath(new URL('../web/', import.meta.url));
  return readdirSync(directory).flatMap((name) => {
    const type = types.get(extname(name));
    if (type === undefined) return [];
    const body = readFileSync(`${directory}${name}`);
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const headers = { ...securityHeaders, 'Content-Type': type, ETag: etag, 'Cache-Control': 'no-cache' };
    return {
      path: name === 'index.html' ? '/' : `/web/${name}`,
      handle(request: IncomingMessage, response: ServerResponse) {
        if (request.headers['if-none-match'] === etag) {
          response.writeHead(304, headers);
          response.end();
          return;
        }
        response.writeHead(200, { ...headers, 'Content-Length': body.length });
        response.end(request.method === 'HEAD' ? undefined : body);
      },
    };
  });
}

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

/**
 * What an agent says is never HTML, a script or a style here: the page makes none of text (trusted types), loads from
 * its own origin alone, and cannot be put into another one's frame.
 */
const securityHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), clipboard-write=(self)',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Frame-Options': 'DENY',
};
