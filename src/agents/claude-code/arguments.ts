import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import type { AgentOptionsSchema } from '../../domain/agent.js';
import { oneLine } from '../../protocol/sse.js';
import { listOption, numberOption, textOption } from '../kit/options.js';
import { programOptions } from '../kit/program-options.js';

export const claudeOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    ...programOptions,
    model: {
      type: 'string',
      minLength: 1,
      description: 'The model, by its name or an alias such as `opus`.',
    },
    permissionMode: {
      type: 'string',
      enum: ['default', 'manual', 'acceptEdits', 'plan', 'auto', 'dontAsk', 'bypassPermissions'],
      description: 'What it may do without being asked; what would need a person is denied.',
    },
    allowedTools: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Tools that it may use without being asked, such as `Read` or `Bash(git *)`.',
    },
    disallowedTools: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      description: 'Tools that it may not use.',
    },
    appendSystemPrompt: { type: 'string', description: 'Text added to the end of its system prompt.' },
    mcpConfig: {
      anyOf: [{ type: 'string', minLength: 1 }, { type: 'object' }],
      description: 'MCP servers: a file, or the object that would be in it.',
    },
    maxTurns: { type: 'integer', minimum: 1, description: 'Turns of the model in one request, at most.' },
    maxBudgetUsd: {
      type: 'number',
      exclusiveMinimum: 0,
      description: 'US dollars that one request may cost, at most.',
    },
  },
  additionalProperties: false,
};

/** The server's variables that Claude Code's manual names, for its login, its model and where that is. */
export const claudeVariables: readonly string[] = [
  ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_CUSTOM_HEADERS'],
  ...['ANTHROPIC_MODEL', 'ANTHROPIC_SMALL_FAST_MODEL', 'ANTHROPIC_DEFAULT_OPUS_MODEL'],
  ...['ANTHROPIC_DEFAULT_SONNET_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL'],
  ...['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_MAX_RETRIES', 'API_TIMEOUT_MS'],
  ...['CLAUDE_CODE_USE_BEDROCK', 'AWS_REGION', 'AWS_PROFILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ...['AWS_SESSION_TOKEN', 'AWS_BEARER_TOKEN_BEDROCK', 'ANTHROPIC_BEDROCK_BASE_URL'],
  ...['CLAUDE_CODE_USE_VERTEX', 'CLOUD_ML_REGION', 'ANTHROPIC_VERTEX_PROJECT_ID'],
  ...['ANTHROPIC_VERTEX_BASE_URL', 'GOOGLE_APPLICATION_CREDENTIALS'],
  ...['CLAUDE_CODE_USE_FOUNDRY', 'ANTHROPIC_FOUNDRY_API_KEY', 'ANTHROPIC_FOUNDRY_BASE_URL'],
  ...['NODE_EXTRA_CA_CERTS', 'DISABLE_TELEMETRY', 'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC'],
];

/** MCP servers as an operator wrote them: `json` may hold a secret, so it goes into a file and not onto argv. */
export type McpConfig =
  | { readonly file: string; readonly json?: undefined }
  | { readonly json: string; readonly file?: undefined };

export function readMcpConfig(
  options: Readonly<Record<string, unknown>>,
  directory: string,
): McpConfig | undefined {
  const { mcpConfig } = options;
  if (mcpConfig === undefined) return undefined;
  return typeof mcpConfig === 'string'
    ? { file: resolve(directory, mcpConfig) }
    : { json: JSON.stringify(mcpConfig) };
}

/** The flags that follow from the options alone. */
export function fixedFlags(options: Readonly<Record<string, unknown>>): readonly string[] {
  const flag = (name: string, value: string | number | undefined): readonly string[] =>
    value === undefined ? [] : [name, String(value)];
  const list = (name: string, values: readonly string[]): readonly string[] =>
    values.length === 0 ? [] : [name, ...values];
  return [
    ...flag('--model', textOption(options, 'model')),
    ...flag('--permission-mode', textOption(options, 'permissionMode')),
    ...flag('--append-system-prompt', textOption(options, 'appendSystemPrompt')),
    ...flag('--max-turns', numberOption(options, 'maxTurns')),
    ...flag('--max-budget-usd', numberOption(options, 'maxBudgetUsd')),
    ...list('--allowedTools', listOption(options, 'allowedTools')),
    ...list('--disallowedTools', listOption(options, 'disallowedTools')),
  ];
}

/** One argument may not be longer than 128 KiB on Linux; longer schemas go by way of stdin. */
const longestArgument = 100_000;

/**
 * What one run is given: its further flags and its stdin. The prompt goes by stdin, since argv is short and everybody
 * on the machine can read it.
 */
export function runArguments({
  prompt,
  schema,
  session,
}: {
  readonly prompt: string;
  readonly schema: string | undefined;
  readonly session: string | undefined;
}): { readonly flags: readonly string[]; readonly input: string } {
  const flags = [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...(session === undefined ? ['--session-id', randomUUID()] : ['--resume', session]),
  ];
  if (schema === undefined) return { flags, input: prompt };
  if (Buffer.byteLength(schema) <= longestArgument) {
    return { flags: [...flags, '--json-schema', schema], input: prompt };
  }
  const lines = [
    `{"type":"control_request","request_id":"schema","request":{"subtype":"initialize","jsonSchema":${oneLine(schema)}}}`,
    JSON.stringify({ type: 'user', message: { role: 'user', content: prompt } }),
  ];
  return { flags: [...flags, '--input-format', 'stream-json'], input: `${lines.join('\n')}\n` };
}
