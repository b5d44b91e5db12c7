import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Destinations } from './destination.js';

/** A notification to be sent: where, with which headers beside the usual ones, and the exact text of its body. */
export interface Notification {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How it was received. `gone`: never again (410); `refused`: it may be tried later. */
export type Delivery =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'gone'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string };

const timeoutMs = 15_000;

/**
 * Sends one notification, once (A2A 1.0, 4.3.3): a POST of `application/a2a+json`, within 15 s, to an address that was
 * checked, without following redirects. Anything but a 2xx is not delivered. Never throws for what the receiver does.
 */
export function postNotification(
  { url: address, headers, body }: Notification,
  { destinations, signal }: { readonly destinations: Destinations; readonly signal: AbortSignal },
): Promise<Delivery> {
  const url = new URL(address);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(hostname) !== 0 && !destinations.allowsLiteral(url.hostname)) {
    return Promise.resolve({ kind: 'refused', reason: 'the address is not public' });
  }
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  // A timer of our own: on Node 20 a signal made by AbortSignal.any forgets the AbortSignal.timeout that it was made of.
  const ending = new AbortController();
  const end = (): void => ending.abort(signal.reason);
  const timer = setTimeout(() => ending.abort(), timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const sent = new Promise<Delivery>((resolve) => {
    const request = send(
      url,
      {
        method: 'POST',
        // A connection of its own, so that the address is the one just checked.
        agent: false,
        lookup: destinations.lookup,
        signal: ending.signal,
        headers: {
          ...headers,
          'Content-Type': 'application/a2a+json',
          'Content-Length': Buffer.byteLength(body),
          'User-Agent': 'kedi-a2a-server',
        },
      },
      (response) => {
        const { statusCode = 0 } = response;
        // What it says is of no use to us.
        response.destroy();
        if (statusCode >= 200 && statusCode < 300) resolve({ kind: 'delivered' });
        else resolve({ kind: statusCode === 410 ? 'gone' : 'refused', reason: `status ${statusCode}` });
      },
    );
    request.on('error', (error) => resolve({ kind: 'refused', reason: reasonOf(error) }));
    request.end(body);
  });
  const reasonOf = (error: Error): string =>
    ending.signal.aborted && !signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : error.message;
  return sent.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  });
}
