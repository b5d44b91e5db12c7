import type { Authentication, Credentials, Identity } from './auth/index.js';
import { LOCAL_PRINCIPAL } from './caller.js';
import type { RateLimit } from './rate-limit.js';

/** Who sends a request and whether it may pass now, whatever the binding. */
export type Gate = (credentials: Credentials) => Identity | Promise<Identity>;

/** At once where nobody is asked for credentials, since all requests come this way. */
export function createGate({
  authentication,
  rateLimit,
}: {
  readonly authentication: Authentication | undefined;
  readonly rateLimit: RateLimit;
}): Gate {
  const pass = (identity: Identity): Identity => {
    if (!identity.ok) return identity;
    const seconds = rateLimit.take(identity.principal);
    if (seconds === 0) return identity;
    const headers = { 'Retry-After': String(seconds) };
    return { ok: false, status: 429, detail: 'Requests come faster than this server lets them.', headers };
  };
  if (authentication === undefined) return () => pass({ ok: true, principal: LOCAL_PRINCIPAL });
  return (credentials) => authentication.identify(credentials).then(pass);
}
