import type { AgentOptionsSchema } from '../../domain/agent.js';
import { mapOption, textOption } from '../kit/options.js';
import { programOptions } from '../kit/program-options.js';

export const codexOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    ...programOptions,
    model: { type: 'string', minLength: 1, description: 'The model, by its name.' },
    sandbox: {
      type: 'string',
      enum: ['read-only', 'workspace-write', 'danger-full-access'],
      description: 'What the commands of its model may do; without it, what its own configuration says.',
    },
    config: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Values of its configuration by their dotted path, each as TOML: `{"model_reasoning_effort": "\\"low\\""}`; they go onto its command line, so no secrets.',
    },
    closeObjects: {
      type: 'boolean',
      description:
        'Whether objects are closed, and all their properties required, in the copy of the schema that goes to the model, as OpenAI’s strict mode wants; true by default. The schema that judges stays as it is.',
    },
  },
  additionalProperties: false,
};

/** The server's variables that Codex's manual names, for its login and its files. */
export const codexVariables: readonly string[] = [
  ...['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_HOME', 'OPENAI_BASE_URL', 'AZURE_OPENAI_API_KEY'],
  ...['SSL_CERT_FILE', 'CODEX_CA_CERTIFICATE', 'RUST_LOG'],
];

/**
 * The arguments of one run, the prompt to come by stdin. Flags stand before `resume`, which knows few of its own; the
 * sandbox is a configuration value, since `resume` has no flag for it.
 */
export function codexArguments(
  options: Readonly<Record<string, unknown>>,
  {
    schemaFile,
    session,
    extraArgs,
  }: {
    readonly schemaFile: string | undefined;
    readonly session: string | undefined;
    readonly extraArgs: readonly string[];
  },
): readonly string[] {
  const model = textOption(options, 'model');
  const sandbox = textOption(options, 'sandbox');
  const config = {
    ...(model === undefined ? {} : { model: JSON.stringify(model) }),
    ...(sandbox === undefined ? {} : { sandbox_mode: JSON.stringify(sandbox) }),
    ...mapOption(options, 'config'),
  };
  return [
    'exec',
    ...['--json', '--skip-git-repo-check'],
    ...Object.entries(config).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
    ...(schemaFile === undefined ? [] : ['--output-schema', schemaFile]),
    ...extraArgs,
    ...(session === undefined ? [] : ['resume', session]),
    '-',
  ];
}
