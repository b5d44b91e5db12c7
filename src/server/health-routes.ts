import type { ServerResponse } from 'node:http';
import type { Readiness } from '../store/index.js';
import { sendJson } from './answer.js';

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

const send = (response: ServerResponse, status: number, body: object): void =>
  sendJson(response, status, JSON.stringify(body), { 'Cache-Control': 'no-store' });
