import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { KediError } from '../domain/errors.js';
import { readSpans, type Span } from '../schema/document.js';
import { isLoopback } from './loopback.js';
import { nearest } from './nearest.js';
import type { Setting } from './setting.js';
import {
  flagOf,
  isSettingName,
  type SettingName,
  type Settings,
  settingNames,
  table,
  variableOf,
} from './settings.js';

/** Where settings come from: flags by name (`maxBody`), the environment, and a JSON file that either may name. */
export interface Sources {
  readonly flags?: Readonly<Partial<Record<SettingName, string>>>;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The file that `--config` names; else the one of `KEDI_A2A_CONFIG`. */
  readonly config?: string;
  /** Against which relative paths are resolved, but for those in the file. */
  readonly directory: string;
}

interface Written {
  readonly text: string;
  readonly directory: string;
  /** Where the user wrote it, in the user's words. */
  readonly place: string;
}

/**
 * All settings from their sources: a flag wins, then the environment, then the file, then the default. What is wrong
 * is a KediError SETTINGS_INVALID whose sentence names the flag, the variable or the key of the file.
 */
export function readSettings({ flags = {}, env = {}, config, directory }: Sources): Settings {
  const file = config ?? set(env[variableOf('config')]);
  const written = file === undefined ? new Map<string, Written>() : readConfigFile(resolve(directory, file));
  const values = settingNames.map((name) => {
    const flag = flags[name];
    const variable = set(env[variableOf(name)]);
    const source: Written | undefined =
      flag !== undefined
        ? { text: flag, directory, place: flagOf(name) }
        : variable !== undefined
          ? { text: variable, directory, place: variableOf(name) }
          : (written.get(name) ?? fallbackOf(name, directory));
    return [name, source === undefined ? undefined : readValue(table[name], source)];
  });
  // The one place where values that the table's readers have checked become Settings.
  const settings = Object.fromEntries(values) as Settings;
  checkTogether(settings);
  return settings;
}

/** Sentences about `KEDI_A2A_…` variables that no setting has; `known` are those that others read. */
export function unknownVariables(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): readonly string[] {
  const names = [...settingNames.map(variableOf), variableOf('config'), ...known];
  return Object.keys(env)
    .filter((variable) => variable.startsWith('KEDI_A2A_') && !names.includes(variable))
    .map((variable) => `${variable} is not a setting${suggestion(variable, names)}`);
}

/** A variable that is set to nothing, as compose files do, is not set. */
const set = (text: string | undefined): string | undefined => (text === '' ? undefined : text);

function fallbackOf(name: SettingName, directory: string): Written | undefined {
  const { fallback } = table[name];
  return fallback === undefined ? undefined : { text: fallback, directory, place: `the default of ${name}` };
}

function readValue(row: Setting, { text, directory, place }: Written): unknown {
  try {
    return row.read(text, directory);
  } catch (error) {
    const expected = error instanceof Error ? error.message : String(error);
    throw invalid(`${place}: ${expected}, not "${text.slice(0, 100)}".`, error);
  }
}

function readConfigFile(path: string): ReadonlyMap<string, Written> {
  const directory = dirname(path);
  const result = readSpans(readBytes(path));
  if (!result.ok) throw invalid(`${path} is not JSON: ${result.reason} at offset ${result.offset}.`);
  if (result.span.kind !== 'object') throw invalid(`${path} must hold a JSON object of settings.`);
  const written = new Map<string, Written>();
  for (const [key, span] of result.span.members) {
    const place = `"${key}" in ${path}`;
    if (!isSettingName(key)) throw invalid(`${place} is not a setting${suggestion(key, settingNames)}.`);
    const text = textOf(span, table[key]);
    if (text === undefined) throw invalid(`${place} is not of the form that this setting has.`);
    written.set(key, { text, directory, place });
  }
  return written;
}

/** A value of the config file as the text that a flag would have; undefined where it is of another shape. */
function textOf({ kind, json, string, items }: Span, { shape }: Setting): string | undefined {
  if (kind === 'object') return shape === 'object' ? json : undefined;
  if (kind !== 'array') return kind === 'null' || shape === 'object' ? undefined : (string ?? json);
  const strings = items.flatMap((item) => item.string ?? []);
  return shape === 'list' && strings.length === items.length ? strings.join(',') : undefined;
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw invalid(
      `The config file ${path} cannot be read: ${error instanceof Error ? error.message : error}.`,
      error,
    );
  }
}

const suggestion = (typed: string, names: readonly string[]): string => {
  const name = nearest(typed, names);
  return name === undefined ? '' : ` (did you mean ${name}?)`;
};

function checkTogether(settings: Settings): void {
  const { host, publicUrl, auth, allowUnauthenticated, cardKey, bindings, grpcAddress } = settings;
  if (cardKey !== undefined && publicUrl === undefined) {
    throw invalid('--card-key needs --public-url: a signed card cannot follow the Host of each request.');
  }
  if (publicUrl !== undefined && bindings.includes('grpc') && grpcAddress === undefined) {
    throw invalid('With --public-url, gRPC needs --grpc-address: where clients reach it, for the card.');
  }
  if (isLoopback(host)) return;
  if (auth === 'none') {
    throw invalid(
      allowUnauthenticated
        ? `--allow-unauthenticated is for loopback only, and ${host} can be reached from elsewhere.`
        : `Serving on ${host} needs authentication: choose one with --auth, or use a loopback host such as 127.0.0.1.`,
    );
  }
  if (publicUrl === undefined) throw invalid(`Serving on ${host} needs --public-url, for the card.`);
}

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
