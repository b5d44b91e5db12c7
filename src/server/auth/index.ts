import type { IncomingHttpHeaders } from 'node:http';
import type { CardSecurity } from '../../protocol/card.js';
import type { CheckClaim } from './check.js';
import { createFailures } from './failures.js';
import { createJwtVerifier, type JwtSettings } from './jwt.js';
import { createPasswords } from './password.js';
import { readPrincipals } from './principals.js';
import { cardSecurity } from './schemes.js';
import { createTokens } from './token.js';

/** What a request says of who sends it, whatever the binding; `address` is the peer's, to count failures by. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  readonly address: string;
}

/** Who it is; or why not, with the status of RFC 9110, a sentence without any secret, and headers of the answer. */
export type Identity =
  | { readonly ok: true; readonly principal: string }
  | {
      readonly ok: false;
      readonly status: 401 | 403 | 429 | 503;
      readonly detail: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** Tells who sends a request. */
export interface Authentication {
  identify(credentials: Credentials): Promise<Identity>;
  /** What the card declares (A2A 1.0, 4.5). */
  readonly security: CardSecurity;
}

/** By what clients prove who they are, with all that is needed to check it. */
export type AuthSettings =
  | { readonly scheme: 'basic' | 'bearer'; readonly secret: string }
  | { readonly scheme: 'api-key'; readonly secret: string; readonly header: string }
  | ({ readonly scheme: 'jwt' } & JwtSettings);

/**
 * The one way into the server. `secret` is one token, key or `user:password`, or lines of `name:hash` as `kedi-a2a
 * hash` prints them. Whatever is wrong with it: KediError SETTINGS_INVALID.
 */
export async function createAuthentication(
  settings: AuthSettings,
  { now = Date.now }: { readonly now?: () => number } = {},
): Promise<Authentication> {
  const check = await createCheck(settings);
  const failures = createFailures({ now });
  const challenge = challengeOf(settings);
  return {
    security: cardSecurity(settings),
    async identify({ headers, address }): Promise<Identity> {
      const claim = readClaim(settings, headers);
      if (claim === undefined) return refusal(401, `This server wants credentials: ${challenge}.`, challenge);
      const found = await check(claim, { limited: failures.wait(address) > 0 });
      switch (found.kind) {
        case 'known':
          return { ok: true, principal: found.principal };
        case 'forbidden':
          return refusal(403, found.detail, challenge);
        case 'unavailable':
          return { ok: false, status: 503, detail: found.detail, headers: { 'Retry-After': '5' } };
        case 'unknown': {
          const seconds = await failures.note(address);
          if (seconds === 0) return refusal(401, 'These credentials are not valid here.', challenge);
          const detail = 'Too many wrong credentials have come from this address.';
          return { ok: false, status: 429, detail, headers: { 'Retry-After': String(seconds) } };
        }
      }
    },
  };
}

const refusal = (status: 401 | 403, detail: string, challenge: string): Identity => ({
  ok: false,
  status,
  detail,
  headers: { 'WWW-Authenticate': challenge },
});

async function createCheck(settings: AuthSettings): Promise<CheckClaim> {
  switch (settings.scheme) {
    case 'jwt':
      return createJwtVerifier(settings);
    case 'basic':
      return createPasswords(readPrincipals(settings.secret, 'basic'));
    case 'bearer':
    case 'api-key':
      return createTokens(readPrincipals(settings.secret, settings.scheme));
  }
}

/** The part of the headers that the scheme speaks of (RFC 6750, RFC 7617); undefined where there is none. */
function readClaim(settings: AuthSettings, headers: IncomingHttpHeaders): string | undefined {
  if (settings.scheme === 'api-key') {
    const key = headers[settings.header.toLowerCase()];
    return typeof key === 'string' && key !== '' ? key : undefined;
  }
  const word = settings.scheme === 'basic' ? 'basic' : 'bearer';
  const [, scheme, claim] = /^(\S+) +(\S+) *$/.exec(headers.authorization ?? '') ?? [];
  return scheme?.toLowerCase() === word ? claim : undefined;
}

function challengeOf(settings: AuthSettings): string {
  switch (settings.scheme) {
    case 'basic':
      return 'Basic realm="kedi-a2a", charset="UTF-8"';
    case 'bearer':
    case 'jwt':
      return 'Bearer realm="kedi-a2a"';
    case 'api-key':
      // Not in the registry of schemes, and needed all the same: a 401 must name one (RFC 9110, 11.6.1).
      return `ApiKey realm="kedi-a2a", header="${settings.header}"`;
  }
}
