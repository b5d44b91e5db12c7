import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { KediError } from '../domain/errors.js';
import { childEnvironment } from './kit/environment.js';
import { startProcess } from './kit/process.js';
import type { KnownProgram, LoginFile } from './programs.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** What was found of a program, without asking any model. */
export interface Examination {
  readonly program: KnownProgram;
  /** What it says of its version; `problem`: why it cannot be served. */
  readonly found: { readonly version: string } | { readonly problem: string };
  /** Where its login is; undefined: none was seen, though it may have one that cannot be seen. */
  readonly login: string | undefined;
}

/** Looks for a program, asks it for its version, and looks where its login would be. */
export async function examine(
  program: KnownProgram,
  {
    env,
    bin = program.bin,
    directory,
  }: { readonly env: Environment; readonly bin?: string; readonly directory: string },
): Promise<Examination> {
  const [found, login] = await Promise.all([versionOf(bin, { env, directory }), loginOf(program, env)]);
  return { program, found, login };
}

/** The slowest were seen to take a few seconds. */
const patienceMs = 20_000;

async function versionOf(
  bin: string,
  { env, directory }: { readonly env: Environment; readonly directory: string },
): Promise<Examination['found']> {
  const said: Buffer[] = [];
  try {
    const child = await startProcess({
      program: bin,
      args: ['--version'],
      cwd: directory,
      env: childEnvironment(env, {}),
      input: '',
      signal: AbortSignal.timeout(patienceMs),
    });
    try {
      for await (const { bytes, channel } of child.lines()) {
        if (channel === 'stdout') said.push(Buffer.from(bytes));
      }
      const { exitCode } = await child.ended();
      const [first] = said.map((line) => line.toString('utf8').trim()).filter((line) => line !== '');
      if (exitCode === 0 && first !== undefined) return { version: first };
      return { problem: `${bin} --version ended with ${exitCode} and said ${first ?? 'nothing'}` };
    } finally {
      await child.stop();
    }
  } catch (error) {
    if (error instanceof KediError) return { problem: error.message };
    return { problem: `${bin} --version did not end within ${patienceMs / 1_000} seconds` };
  }
}

async function loginOf({ variables, files }: KnownProgram, env: Environment): Promise<string | undefined> {
  const variable = variables.find((name) => (env[name] ?? '') !== '');
  if (variable !== undefined) return variable;
  for (const file of files) {
    const path = placeOf(file, env);
    if (path !== undefined && (await isReadable(path))) return path;
  }
  return undefined;
}

function placeOf({ variable, directory, name }: LoginFile, env: Environment): string | undefined {
  const own = variable === undefined ? undefined : env[variable];
  if (own !== undefined) return join(own, name);
  return env.HOME === undefined ? undefined : join(env.HOME, directory, name);
}

const isReadable = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
