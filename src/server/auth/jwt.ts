import { readFile } from 'node:fs/promises';
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { KediError } from '../../domain/errors.js';
import { isLoopback } from '../loopback.js';
import type { Check } from './check.js';

/** Whose tokens are taken: signed by a key of the set, issued by `issuer` for `audience`, with all of `scopes`. */
export interface JwtSettings {
  readonly keys:
    | { readonly kind: 'file'; readonly path: string; readonly issuer: string }
    | { readonly kind: 'url'; readonly url: string; readonly issuer: string }
    /** The key set's address is asked of the issuer (OpenID Connect Discovery 1.0). */
    | { readonly kind: 'discovery'; readonly issuer: string };
  readonly audience: string;
  readonly scopes: readonly string[];
}

/** Signatures that a public key can prove; a shared secret would have to be known to whoever issues a token for us. */
const algorithms = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

const timeoutMs = 5_000;
const toleranceSeconds = 30;

/**
 * Recognises JSON Web Tokens (RFC 7519, RFC 8725). The principal is the token's issuer and subject together. A key set
 * that cannot be had at the start: KediError SETTINGS_INVALID; later, the request is answered 503, not 401.
 */
export async function createJwtVerifier({ keys, audience, scopes }: JwtSettings) {
  const keySet = await readKeys(keys);
  return async (token: string): Promise<Check> => {
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, keySet, {
        issuer: keys.issuer,
        audience,
        algorithms,
        clockTolerance: toleranceSeconds,
        requiredClaims: ['sub', 'exp'],
      }));
    } catch (error) {
      return isOfTheToken(error)
        ? { kind: 'unknown' }
        : {
            kind: 'unavailable',
            detail: 'The keys of the token issuer cannot be had now; try again shortly.',
          };
    }
    const missing = scopes.filter((scope) => !scopesOf(payload).has(scope));
    if (missing.length > 0) {
      return { kind: 'forbidden', detail: `The token lacks the scope ${missing.join(' and ')}.` };
    }
    return { kind: 'known', principal: `${payload.iss} ${payload.sub}` };
  };
}

/** Everything jose finds wrong with a token; what is left (time-out, network, a broken key set) is not its bearer's fault. */
function isOfTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  );
}

/** `scope` of RFC 8693 is one text, `scp` of others a list. */
function scopesOf(payload: JWTPayload): ReadonlySet<string> {
  const { scope, scp } = payload;
  const listed = typeof scope === 'string' ? scope.split(' ') : Array.isArray(scp) ? scp : [];
  return new Set(listed.filter((item): item is string => typeof item === 'string'));
}

async function readKeys(keys: JwtSettings['keys']): Promise<JWTVerifyGetKey> {
  switch (keys.kind) {
    case 'file':
      return createLocalJWKSet(await readKeyFile(keys.path));
    case 'url':
      return remoteKeys(keys.url);
    case 'discovery':
      return remoteKeys(await discover(keys.issuer));
  }
}

async function readKeyFile(path: string): Promise<JSONWebKeySet> {
  let set: unknown;
  try {
    set = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw invalid(`The key set ${path} cannot be read as JSON.`, error);
  }
  if (!isKeySet(set)) throw invalid(`The file ${path} is not a key set: it has no list of keys.`);
  return set;
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  typeof value === 'object' &&
  value !== null &&
  'keys' in value &&
  Array.isArray(value.keys) &&
  value.keys.length > 0;

const remoteKeys = (url: string): JWTVerifyGetKey =>
  createRemoteJWKSet(httpsOnly(url), {
    timeoutDuration: timeoutMs,
    // A token with an unknown key must not make us ask more often than this.
    cooldownDuration: 30_000,
    [customFetch]: (address, options) => fetch(address, { ...options, redirect: 'error' }),
  });

async function discover(issuer: string): Promise<string> {
  const url = httpsOnly(`${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`);
  let document: unknown;
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    document = await response.json();
  } catch (error) {
    throw invalid(`The configuration of the token issuer cannot be had at ${url.href}.`, error);
  }
  if (typeof document !== 'object' || document === null) throw invalid(`${url.href} is not a JSON object.`);
  if (!('issuer' in document) || document.issuer !== issuer) {
    throw invalid(`${url.href} names another issuer than ${issuer}.`);
  }
  if (!('jwks_uri' in document) || typeof document.jwks_uri !== 'string') {
    throw invalid(`${url.href} names no key set.`);
  }
  return document.jwks_uri;
}

function httpsOnly(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined) throw invalid(`${address} is not a URL.`);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url;
  throw invalid(`Keys are fetched over https alone, and ${address} is not.`);
}

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
