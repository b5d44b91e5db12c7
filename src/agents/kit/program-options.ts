import { resolve } from 'node:path';
import type { AgentSurroundings } from '../../domain/agent.js';
import { childEnvironment } from './environment.js';
import { listOption, mapOption, textOption } from './options.js';
import { resolveProgram } from './process.js';

/** Options that every agent has which is a program of somebody else's. */
export const programOptions = {
  bin: {
    type: 'string',
    minLength: 1,
    description: 'The program, as a path or as a name on the PATH.',
  },
  cwd: {
    type: 'string',
    minLength: 1,
    description: "A working directory shared by all requests, instead of each context's own workspace.",
  },
  env: {
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Further environment variables of the program.',
  },
  passEnv: {
    type: 'array',
    items: { type: 'string', minLength: 1 },
    description: "Names of further variables of the server's environment that the program gets.",
  },
  extraArgs: {
    type: 'array',
    items: { type: 'string' },
    description: 'Further arguments, passed on as they are.',
  },
} as const;

/** How a program is started, whatever it is asked. */
export interface Program {
  readonly bin: string;
  /** Undefined: the context's own workspace. */
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly extraArgs: readonly string[];
}

/** Reads those options; `names` are the variables of the server's environment that the program's own manual names. */
export function readProgram(
  options: Readonly<Record<string, unknown>>,
  {
    surroundings: { env, directory },
    bin,
    names,
  }: {
    readonly surroundings: AgentSurroundings;
    readonly bin: string;
    readonly names: readonly string[];
  },
): Program {
  const cwd = textOption(options, 'cwd');
  return {
    bin: resolveProgram(textOption(options, 'bin') ?? bin, directory),
    cwd: cwd === undefined ? undefined : resolve(directory, cwd),
    env: childEnvironment(env, {
      names: [...names, ...listOption(options, 'passEnv')],
      extra: mapOption(options, 'env'),
    }),
    extraArgs: listOption(options, 'extraArgs'),
  };
}
