import type { Shape } from '../kit/json-line.js';

/** How an agent takes a schema by private metadata: where it is put, and what has to be beside it. */
export interface SchemaMetadata {
  /** The request whose `_meta` it is: each prompt's, or the session's. */
  readonly on: 'prompt' | 'session';
  readonly path: readonly string[];
  /** Further metadata, merged with it. */
  readonly beside?: Shape;
  /** The agent passes on Claude Code's own lines, from which the exact document is taken. */
  readonly claudeLines?: true;
}

/** What is known of an ACP agent before it is started. */
export interface Preset {
  readonly bin: string;
  readonly args: readonly string[];
  /** Variables of the server's environment that its manual names. */
  readonly variables: readonly string[];
  /** Its own environment, over which the operator's `env` goes. */
  readonly env?: Readonly<Record<string, string>>;
  /** The way to log in for each variable that holds a key; the first that is set is taken. */
  readonly logins?: Readonly<Record<string, string>>;
  /** The mode in which it asks before it does something, so that the option `permissions` decides. */
  readonly mode?: string;
  readonly schema?: SchemaMetadata;
}

const openai = ['OPENAI_API_KEY', 'OPENAI_BASE_URL'];
const anthropic = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL'];
const google = ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL'];

/** ACP agents by the name of their preset. */
export const presets = {
  opencode: {
    bin: 'opencode',
    args: ['acp'],
    variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_CONTENT', ...anthropic, ...openai, ...google],
    env: { OPENCODE_PERMISSION: '{"edit":"ask","bash":"ask","webfetch":"ask"}' },
  },
  gemini: {
    bin: 'gemini',
    args: ['--acp'],
    variables: [...google, 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION', 'GOOGLE_APPLICATION_CREDENTIALS'],
    logins: { GEMINI_API_KEY: 'gemini-api-key', GOOGLE_API_KEY: 'vertex-ai' },
    mode: 'default',
  },
  copilot: {
    bin: 'copilot',
    args: ['--acp'],
    variables: [
      ...['GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_GITHUB_TOKEN', 'COPILOT_MODEL', 'COPILOT_PROVIDER_TYPE'],
      ...['COPILOT_PROVIDER_BASE_URL', 'COPILOT_PROVIDER_API_KEY'],
    ],
  },
  cline: { bin: 'cline', args: ['--acp'], variables: [...anthropic, ...openai] },
  'claude-agent-acp': {
    bin: 'claude-agent-acp',
    args: [],
    variables: [...anthropic, 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'CLAUDE_CODE_MAX_RETRIES'],
    mode: 'default',
    schema: {
      on: 'session',
      path: ['claudeCode', 'options', 'outputFormat', 'schema'],
      beside: {
        claudeCode: {
          emitRawSDKMessages: [
            { type: 'stream_event' },
            { type: 'assistant' },
            { type: 'user' },
            { type: 'result' },
          ],
          options: { outputFormat: { type: 'json_schema' } },
        },
      },
      claudeLines: true,
    },
  },
  'codex-acp': {
    bin: 'codex-acp',
    args: [],
    variables: [...openai, 'CODEX_API_KEY', 'CODEX_HOME', 'CODEX_PATH', 'CODEX_CONFIG', 'MODEL_PROVIDER'],
    env: { NO_BROWSER: '1' },
    logins: { CODEX_API_KEY: 'api-key', OPENAI_API_KEY: 'api-key' },
    mode: 'read-only',
  },
  cursor: { bin: 'cursor-agent', args: ['acp'], variables: ['CURSOR_API_KEY'] },
  pi: { bin: 'pi-acp', args: [], variables: [...anthropic, ...openai, ...google] },
  goose: {
    bin: 'goose',
    args: ['acp'],
    variables: ['GOOSE_PROVIDER', 'GOOSE_MODEL', ...anthropic, ...openai, ...google],
  },
} as const satisfies Record<string, Preset>;

/** The preset of that name, or undefined. */
export const findPreset = (name: string | undefined): Preset | undefined =>
  Object.entries(presets).find(([known]) => known === name)?.[1];
