import type { AgentOptionsSchema, AgentSurroundings, StructuredWay } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { isShape, type Shape } from '../kit/json-line.js';
import { flagOption, listOption, mapOption, textOption } from '../kit/options.js';
import { type Program, programOptions, readProgram } from '../kit/program-options.js';
import type { FileAccess } from './files.js';
import { findPreset, presets, type SchemaMetadata } from './presets.js';

const kinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
];

export const acpOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    preset: {
      type: 'string',
      enum: Object.keys(presets),
      description: 'A known agent: its program, arguments, variables and login. Without it, `bin` is needed.',
    },
    ...programOptions,
    args: {
      type: 'array',
      items: { type: 'string' },
      description: 'The arguments with which the program speaks ACP, instead of the preset’s.',
    },
    protocol: {
      type: 'integer',
      enum: [1, 2],
      description: 'Version of ACP: 1, or 2 for the draft; 1 by default.',
    },
    login: {
      type: 'string',
      minLength: 1,
      description: 'Id of the way to log in (`authenticate`), where one is needed.',
    },
    mode: { type: 'string', minLength: 1, description: 'The session’s mode, by its id.' },
    model: { type: 'string', minLength: 1, description: 'The session’s model, by its id.' },
    config: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Further options of the session, by their ids.',
    },
    mcpServers: {
      type: 'array',
      items: { type: 'object' },
      description: 'MCP servers of the session, as ACP has them.',
    },
    permissions: {
      type: 'array',
      items: { type: 'string', enum: kinds },
      description: 'Kinds of tool calls that are allowed when the agent asks; all others are denied.',
    },
    files: {
      type: 'string',
      enum: ['off', 'read', 'write'],
      description:
        'Whether it may read or write files of its working directory through this server; off by default.',
    },
    terminal: {
      type: 'boolean',
      description: 'Whether it may run programs through this server; false by default.',
    },
    structured: {
      description:
        'How it is asked for a typed answer: `native` by a way of its own alone, `instruction` by words alone, `{"via": "meta", "on": "prompt", "path": ["outputSchema"]}` by private metadata; by default the first that it has.',
      anyOf: [
        { type: 'string', enum: ['native', 'instruction'] },
        {
          type: 'object',
          properties: {
            via: { const: 'meta' },
            on: { enum: ['prompt', 'session'] },
            path: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
          },
          required: ['via', 'path'],
          additionalProperties: false,
        },
      ],
    },
  },
  additionalProperties: false,
};

export interface AcpSettings {
  readonly program: Program;
  readonly args: readonly string[];
  readonly version: 1 | 2;
  readonly login: string | undefined;
  /** Chosen by us, and left alone where the agent has no such mode; or by the operator, and then it must exist. */
  readonly mode: { readonly id: string; readonly chosen: boolean } | undefined;
  readonly model: string | undefined;
  readonly config: Readonly<Record<string, string>>;
  readonly mcpServers: readonly Shape[];
  readonly permissions: ReadonlySet<string>;
  readonly files: FileAccess;
  readonly terminal: boolean;
  readonly structured: 'any' | 'native' | 'instruction';
  readonly metadata: SchemaMetadata | undefined;
}

/** Throws KediError SETTINGS_INVALID where neither a preset nor a program is named. */
export function readAcpSettings(
  options: Readonly<Record<string, unknown>>,
  surroundings: AgentSurroundings,
): AcpSettings {
  const preset = findPreset(textOption(options, 'preset'));
  const bin = preset?.bin ?? textOption(options, 'bin');
  if (bin === undefined) {
    throw new KediError(
      'SETTINGS_INVALID',
      'The agent "acp" needs the option "preset", or "bin" with its "args".',
    );
  }
  const program = readProgram(options, { surroundings, bin, names: preset?.variables ?? [] });
  const mode = textOption(options, 'mode');
  const presetMode = preset?.mode === undefined ? undefined : { id: preset.mode, chosen: false };
  const files = textOption(options, 'files');
  return {
    program: { ...program, env: { ...preset?.env, ...program.env } },
    args: options.args === undefined ? (preset?.args ?? []) : listOption(options, 'args'),
    version: options.protocol === 2 ? 2 : 1,
    login: textOption(options, 'login') ?? loginOf(preset?.logins, program.env),
    mode: mode === undefined ? presetMode : { id: mode, chosen: true },
    model: textOption(options, 'model'),
    config: mapOption(options, 'config'),
    mcpServers: Array.isArray(options.mcpServers) ? options.mcpServers.filter(isShape) : [],
    permissions: new Set(listOption(options, 'permissions')),
    files: files === 'read' || files === 'write' ? files : 'off',
    terminal: flagOption(options, 'terminal'),
    structured: readStructured(options),
    metadata: readMetadata(options, preset?.schema),
  };
}

/** What the card says before the agent is started; whether it has a response format of its own shows only then. */
export function acpStructured(options: Readonly<Record<string, unknown>>): StructuredWay {
  if (options.structured === 'native') return 'native';
  if (options.structured === 'instruction') return 'instruction';
  const preset = findPreset(textOption(options, 'preset'));
  return readMetadata(options, preset?.schema) === undefined ? 'instruction' : 'native';
}

const readStructured = ({ structured }: Readonly<Record<string, unknown>>): AcpSettings['structured'] => {
  if (structured === 'instruction') return 'instruction';
  return structured === undefined ? 'any' : 'native';
};

function readMetadata(
  { structured }: Readonly<Record<string, unknown>>,
  preset: SchemaMetadata | undefined,
): SchemaMetadata | undefined {
  if (!isShape(structured)) return preset;
  return { on: structured.on === 'session' ? 'session' : 'prompt', path: listOption(structured, 'path') };
}

const loginOf = (
  logins: Readonly<Record<string, string>> = {},
  env: Readonly<Record<string, string>>,
): string | undefined => Object.entries(logins).find(([variable]) => env[variable] !== undefined)?.[1];
