import type { ServerResponse } from 'node:http';
import type { Readiness } from '../store/index.js';

/** What the health routes ask the server around them. */
export interface Vitals {
  /** Whether the store can be written now. */
  check(): Promise<Readiness>;
  counts(): { readonly running: number; readonly pending: number };
  /** Whether the server is about to end, and takes no new work. */
  closing(): boolean;
}

/** `GET /healthz`: the process answers. */
export const serveHealth = (response: ServerResponse): void => send(response, 200, { status: 'ok' });

/** `GET /readyz`: it would take work, or why it would not, with 503. */
export async function serveReadiness(response: ServerResponse, vitals: Vitals): Promise<void> {
  const store: Readiness = vitals.closing()
    ? { ok: false, reason: 'The server is shutting down.' }
    : await vitals.check();
  if (store.ok) send(response, 200, { status: 'ready', ...vitals.counts() });
  else send(response, 503, { status: 'unavailable', reason: store.reason, ...vitals.counts() });
}

function send(response: ServerResponse, status: number, body: object): void {
  const json = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(json),
    'Cache-Control': 'no-store',
  });
  response.end(json);
}
