import { KediError } from '../../domain/errors.js';
import { readHash, type SecretHash, sha256 } from './hash.js';

/** Who may come in, and what is kept of the secret that proves it. */
export interface Principal {
  readonly name: string;
  readonly hash: SecretHash;
}

/** Owner of everything where there is one token or key and no name to it. */
export const soleOwner = 'owner';

/**
 * Reads an operator's secret: one token or key; for `basic` one `user:password`; or, for several principals, a line
 * `name:hash` each, where empty lines and those that begin with `#` say nothing. A line that is no such one among
 * others that are, a name twice, an empty secret: KediError SETTINGS_INVALID, which never quotes the secret.
 */
export function readPrincipals(secret: string, scheme: 'basic' | 'bearer' | 'api-key'): readonly Principal[] {
  const lines = secret
    .split(/\r?\n/)
    .map((text, index) => ({ text: text.trim(), number: index + 1 }))
    .filter(({ text }) => text !== '' && !text.startsWith('#'));
  if (lines.length === 0) throw invalid('The secret is empty.');
  const hashed = lines.map(({ text, number }) => ({ number, principal: readLine(text) }));
  if (hashed.every(({ principal }) => principal === undefined)) {
    if (lines.length > 1) throw invalid('The secret has several lines, and none of them is name:hash.');
    if (lookedLikeHash.test(lines[0]?.text ?? '')) {
      throw invalid('The secret looks like name:hash, and its hash is not whole.');
    }
    return [readPlain(lines[0]?.text ?? '', scheme)];
  }
  const byName = new Map<string, Principal>();
  for (const { number, principal } of hashed) {
    if (principal === undefined) throw invalid(`Line ${number} of the secret is not name:hash.`);
    if (byName.has(principal.name))
      throw invalid(`Line ${number} of the secret has a name for the second time.`);
    if (principal.hash.kind === 'scrypt' && scheme !== 'basic') {
      throw invalid(
        `Line ${number} of the secret is a password's hash; a token is kept as sha256, and has no need of more.`,
      );
    }
    byName.set(principal.name, principal);
  }
  return [...byName.values()];
}

/** A line of `kedi-a2a hash` that was cut off would else be a token of its own. */
const lookedLikeHash = /^[^:]+:(sha256|scrypt):/;

function readPlain(text: string, scheme: 'basic' | 'bearer' | 'api-key'): Principal {
  if (scheme !== 'basic') return { name: soleOwner, hash: sha256(text) };
  const colon = text.indexOf(':');
  if (colon < 1 || colon === text.length - 1) {
    throw invalid('For basic authentication the secret is user:password, or lines of name:hash.');
  }
  return { name: text.slice(0, colon), hash: sha256(text.slice(colon + 1)) };
}

function readLine(text: string): Principal | undefined {
  const colon = text.indexOf(':');
  const hash = colon < 1 ? undefined : readHash(text.slice(colon + 1));
  return hash && { name: text.slice(0, colon), hash };
}

const invalid = (sentence: string): KediError => new KediError('SETTINGS_INVALID', sentence);
