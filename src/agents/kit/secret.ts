import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AgentSurroundings } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { isShape, textAt } from './json-line.js';
import { textOption } from './options.js';

/**
 * Gives the secret as it is now; a file is read each time, so that it may be exchanged while the server runs. One that
 * cannot be read any more: KediError AGENT_UNAVAILABLE.
 */
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
  if (name !== undefined) return fromVariable(name, env);
  if (path === undefined) return undefined;
  const absolute = resolve(directory, path);
  try {
    readText(absolute);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalid(`There is no secret to be read in ${absolute}: ${reason}.`, cause);
  }
  return fromFile(absolute);
}

/** A key that stands among the settings of a library, so that it is kept out of what is said as well. */
export function givenKey(settings: unknown): Secret | undefined {
  const key = isShape(settings) ? textAt(settings, 'apiKey') : undefined;
  return key === undefined || key === '' ? undefined : () => key;
}

function fromVariable(name: string, env: AgentSurroundings['env']): Secret {
  if (name.startsWith('KEDI_A2A_')) {
    throw invalid(`${name} belongs to the server itself and is never passed on to an agent.`);
  }
  const value = env[name]?.trim() ?? '';
  if (value === '') throw invalid(`The environment variable ${name} is not set.`);
  return () => value;
}

/** What a client reads about it names no place on this machine. */
const fromFile =
  (path: string): Secret =>
  () => {
    try {
      return readText(path);
    } catch (cause) {
      throw new KediError('AGENT_UNAVAILABLE', 'The secret of the agent cannot be read any more.', { cause });
    }
  };

function readText(path: string): string {
  const text = readFileSync(path, 'utf8').trim();
  if (text === '') throw new Error('it is empty');
  return text;
}

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
