import { type Command, Option } from 'commander';
import type { Credentials } from '../client/credentials.js';
import { KediError } from '../domain/errors.js';

/** The flags by which a command names the environment variable of its secret; the secret itself is never an argument. */
export interface CredentialFlags {
  readonly tokenEnv?: string;
  readonly basicEnv?: string;
  readonly apiKeyEnv?: string;
  readonly apiKeyHeader: string;
}

/** Gives a command the flags for credentials. */
export const addCredentialOptions = (command: Command): Command =>
  command
    .addOption(new Option('--token-env <NAME>', 'environment variable that holds a bearer token'))
    .addOption(new Option('--basic-env <NAME>', 'environment variable that holds USER:PASSWORD'))
    .addOption(new Option('--api-key-env <NAME>', 'environment variable that holds an API key'))
    .addOption(
      new Option('--api-key-header <HEADER>', 'header that carries the API key').default('X-API-Key'),
    );

/** The credentials that the flags name. Several, or a variable that is not set: KediError SETTINGS_INVALID. */
export function readCredentials(
  { tokenEnv, basicEnv, apiKeyEnv, apiKeyHeader }: CredentialFlags,
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  if ([tokenEnv, basicEnv, apiKeyEnv].filter((name) => name !== undefined).length > 1) {
    throw invalid('Use only one of --token-env, --basic-env and --api-key-env.');
  }
  if (tokenEnv !== undefined) return { kind: 'bearer', token: secret(tokenEnv, env) };
  if (apiKeyEnv !== undefined) return { kind: 'api-key', header: apiKeyHeader, key: secret(apiKeyEnv, env) };
  if (basicEnv === undefined) return { kind: 'none' };
  const [, user, password] = /^([^:]*):(.*)$/s.exec(secret(basicEnv, env)) ?? [];
  if (user === undefined || password === undefined) throw invalid(`${basicEnv} must hold USER:PASSWORD.`);
  return { kind: 'basic', user, password };
}

function secret(name: string, env: Readonly<Record<string, string | undefined>>): string {
  const value = env[name]?.trim();
  if (value === undefined || value === '') throw invalid(`The environment variable ${name} is not set.`);
  return value;
}

const invalid = (sentence: string): KediError => new KediError('SETTINGS_INVALID', sentence);
