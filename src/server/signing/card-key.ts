import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import type { JWK } from 'jose';
import { KediError } from '../../domain/errors.js';

/** Where the public half of the key is served, for whoever checks the card (RFC 7517). */
export const JWKS_PATH = '/.well-known/jwks.json';

/** Signs the card of one server (A2A 1.0, 8.4). */
export interface CardKey {
  /** The text of the key set with the public key. */
  readonly jwks: string;
  /**
   * The card with its signature over the canonical form, as ProtoJSON. `jwksUrl` tells a client where the key is. Keys
   * that A2A 1.0 does not know are dropped, since no signature covers them.
   */
  sign(card: string, jwksUrl: string): Promise<string>;
}

export type CardKeyKind = 'ed25519' | 'es256';

/** Reads a private key in PEM, Ed25519 or on the curve P-256; anything else is KediError SETTINGS_INVALID. */
export function readCardKey(file: string): CardKey {
  const key = readPrivateKey(file);
  const algorithm = algorithmOf(key);
  if (algorithm === undefined) {
    throw new KediError('SETTINGS_INVALID', `The key in ${file} is neither Ed25519 nor on the curve P-256.`);
  }
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const kid = thumbprint(jwk);
  return {
    jwks: JSON.stringify({ keys: [{ ...jwk, kid, alg: algorithm, use: 'sig' }] }),
    async sign(card, jwksUrl) {
      const sign = generateAgentCardSignature(key, { alg: algorithm, typ: 'JOSE', kid, jku: jwksUrl });
      return JSON.stringify(AgentCard.toJSON(await sign(AgentCard.fromJSON(JSON.parse(card)))));
    },
  };
}

/** Makes a key for `readCardKey`, in PEM (PKCS #8). */
export function makeCardKey(kind: CardKeyKind): string {
  const { privateKey } =
    kind === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
}

function readPrivateKey(file: string): KeyObject {
  const refuse = (sentence: string, cause: unknown): never => {
    throw new KediError('SETTINGS_INVALID', sentence, { cause });
  };
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    return refuse(`The card's key cannot be read: ${cause instanceof Error ? cause.message : cause}`, cause);
  }
  try {
    return createPrivateKey(text);
  } catch (cause) {
    return refuse(`The card's key ${file} is no private key in PEM.`, cause);
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): 'EdDSA' | 'ES256' | undefined {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1'
    ? 'ES256'
    : undefined;
}

/** RFC 7638: the required members of the key, sorted, hashed. */
function thumbprint({ crv, kty, x, y }: JWK): string {
  const members = y === undefined ? { crv, kty, x } : { crv, kty, x, y };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
