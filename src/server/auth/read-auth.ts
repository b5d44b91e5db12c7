import { readFileSync } from 'node:fs';
import { KediError } from '../../domain/errors.js';
import type { Settings } from '../settings.js';
import { shortestToken } from './hash.js';
import type { AuthSettings } from './index.js';
import type { JwtSettings } from './jwt.js';

/** The variable that holds the secret unless a setting names another. */
export const SECRET_VARIABLE = 'KEDI_A2A_SECRET';

/**
 * How clients prove who they are, with the secret from where the settings say it is; undefined where they need not.
 * What does not fit together, and a secret that is not there: KediError SETTINGS_INVALID.
 */
export function readAuth(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): AuthSettings | undefined {
  const { auth, apiKeyHeader, secretEnv, secretFile } = settings;
  if (auth === 'none') {
    if (secretEnv === undefined && secretFile === undefined) return undefined;
    throw invalid('A secret is named, and nobody is asked for it: say how with --auth.');
  }
  if (auth === 'jwt') return { scheme: 'jwt', ...readJwt(settings) };
  const secret = readSecret(settings, env);
  return auth === 'api-key' ? { scheme: auth, secret, header: apiKeyHeader } : { scheme: auth, secret };
}

/** Whether the one token or key may be guessed. The text of a hash is longer. */
export const isGuessable = (auth: AuthSettings): boolean =>
  (auth.scheme === 'bearer' || auth.scheme === 'api-key') && auth.secret.trim().length < shortestToken;

function readSecret(
  { auth, secretEnv, secretFile }: Settings,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (secretEnv !== undefined && secretFile !== undefined) {
    throw invalid('--secret-env and --secret-file both say where the secret is; one of them is enough.');
  }
  if (secretFile !== undefined) return readSecretFile(secretFile);
  const variable = secretEnv ?? SECRET_VARIABLE;
  const secret = env[variable];
  if (secret !== undefined && secret !== '') return secret;
  const hint = secretEnv === undefined ? ', or name another place with --secret-env or --secret-file' : '';
  throw invalid(`--auth ${auth} needs a secret, and ${variable} is not set: set it${hint}.`);
}

function readSecretFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalid(`The secret cannot be read: ${reason}`, cause);
  }
}

function readJwt({ jwtIssuer, jwtKeys, jwtAudience, jwtScopes, publicUrl }: Settings): JwtSettings {
  if (jwtIssuer === undefined) throw invalid('--auth jwt needs --jwt-issuer.');
  const audience = jwtAudience ?? publicUrl;
  if (audience === undefined) throw invalid('--auth jwt needs --jwt-audience, or --public-url in its place.');
  return { keys: keysOf(jwtIssuer, jwtKeys), audience, scopes: jwtScopes };
}

function keysOf(issuer: string, keys: string | undefined): JwtSettings['keys'] {
  if (keys === undefined) return { kind: 'discovery', issuer };
  return URL.canParse(keys) && /^https?:/.test(keys)
    ? { kind: 'url', url: keys, issuer }
    : { kind: 'file', path: keys, issuer };
}

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
