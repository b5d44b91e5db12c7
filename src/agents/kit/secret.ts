import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentSurroundings } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { textOption } from './options.js';

/** Gives the secret as it is now; a file is read each time, so that it may be exchanged while the server runs. */
export type Secret = () => string;

/**
 * The secret that the operator named by the option `variable` (of the server's environment) or `file`; undefined where
 * neither is set. Both, the server's own secret, or one that is not there: KediError SETTINGS_INVALID.
 */
export function readSecret(
  options: Readonly<Record<string, unknown>>,
  {
    variable,
    file,
    surroundings: { env, directory },
  }: { readonly variable: string; readonly file: string; readonly surroundings: AgentSurroundings },
): Secret | undefined {
  const name = textOption(options, variable);
  const path = textOption(options, file);
  if (name !== undefined && path !== undefined) {
    throw invalid(`Use only one of the options "${variable}" and "${file}".`);
  }
  const secret = name !== undefined ? fromVariable(name, env) : path && fromFile(resolve(directory, path));
  if (secret === undefined || secret === '') return undefined;
  secret();
  return secret;
}

function fromVariable(name: string, env: AgentSurroundings['env']): Secret {
  if (name.startsWith('KEDI_A2A_')) {
    throw invalid(`${name} belongs to the server itself and is never passed on to an agent.`);
  }
  const value = env[name]?.trim() ?? '';
  if (value === '') throw invalid(`The environment variable ${name} is not set.`);
  return () => value;
}

const fromFile =
  (path: string): Secret =>
  () => {
    let text: string;
    try {
      text = readFileSync(path, 'utf8').trim();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw invalid(`The secret in ${path} cannot be read: ${reason}.`, cause);
    }
    if (text === '') throw invalid(`The file ${path} holds no secret.`);
    return text;
  };

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
