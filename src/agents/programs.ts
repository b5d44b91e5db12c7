import { presets } from './acp-client/presets.js';

/** A program that some kind of agent runs, and what tells whether it is logged in. */
export interface KnownProgram {
  /** As the user names it: a kind of agent, or a preset of `acp`. */
  readonly name: string;
  /** How it is served: the agent and its options. */
  readonly served: string;
  readonly bin: string;
  /** How to get it, in words. */
  readonly install: string;
  /** Variables of which any holds its login. */
  readonly variables: readonly string[];
  /** Files that hold its login: the variable that names their directory, if it has one, else where under HOME. */
  readonly files: readonly LoginFile[];
  /** The version that it was tested with; undefined: it was not. */
  readonly tested: string | undefined;
}

export interface LoginFile {
  readonly variable?: string;
  readonly directory: string;
  readonly name: string;
}

const npm = (name: string): string => `npm install --global ${name}`;

const claudeLogin = {
  variables: [
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
  ],
  files: [{ variable: 'CLAUDE_CONFIG_DIR', directory: '.claude', name: '.credentials.json' }],
};

const codexLogin = {
  variables: ['CODEX_API_KEY'],
  files: [
    { variable: 'CODEX_HOME', directory: '.codex', name: 'auth.json' },
    { variable: 'CODEX_HOME', directory: '.codex', name: 'config.toml' },
  ],
};

type Knowledge = Pick<KnownProgram, 'install' | 'variables' | 'files' | 'tested'>;

const knowledge: Readonly<Record<keyof typeof presets, Knowledge>> = {
  opencode: {
    install: npm('opencode-ai'),
    variables: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_CONTENT'],
    files: [
      { directory: '.local/share/opencode', name: 'auth.json' },
      { directory: '.config/opencode', name: 'opencode.json' },
    ],
    tested: '1.18.33',
  },
  gemini: {
    install: npm('@google/gemini-cli'),
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    files: [{ directory: '.gemini', name: 'oauth_creds.json' }],
    tested: '0.61.0',
  },
  copilot: {
    install: npm('@github/copilot'),
    variables: ['GH_TOKEN', 'GITHUB_TOKEN', 'COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY'],
    files: [{ directory: '.copilot', name: 'config.json' }],
    tested: '1.0.102',
  },
  cline: { install: npm('cline'), variables: [], files: [], tested: undefined },
  'claude-agent-acp': {
    install: npm('@agentclientprotocol/claude-agent-acp'),
    ...claudeLogin,
    tested: '0.101.0',
  },
  'codex-acp': {
    install: npm('@agentclientprotocol/codex-acp'),
    ...codexLogin,
    variables: [...codexLogin.variables, 'OPENAI_API_KEY', 'CODEX_CONFIG'],
    tested: '2.6.0',
  },
  cursor: { install: 'see its maker', variables: ['CURSOR_API_KEY'], files: [], tested: undefined },
  pi: {
    install: npm('pi-acp @earendil-works/pi-coding-agent'),
    variables: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    files: [{ directory: '.pi/agent', name: 'auth.json' }],
    tested: undefined,
  },
  goose: {
    install: 'see its maker',
    variables: ['GOOSE_PROVIDER'],
    files: [{ directory: '.config/goose', name: 'config.yaml' }],
    tested: undefined,
  },
};

/** Every program that is known here. */
export const knownPrograms: readonly KnownProgram[] = [
  {
    name: 'claude-code',
    served: '--agent claude-code',
    bin: 'claude',
    install: npm('@anthropic-ai/claude-code'),
    ...claudeLogin,
    tested: '2.1.332',
  },
  {
    name: 'codex',
    served: '--agent codex',
    bin: 'codex',
    install: npm('@openai/codex'),
    ...codexLogin,
    tested: '0.171.0',
  },
  ...Object.entries(presets).flatMap(([name, { bin }]) => {
    const known = Object.entries(knowledge).find(([preset]) => preset === name)?.[1];
    const served = `--agent acp --agent-options '{"preset":"${name}"}'`;
    return known === undefined ? [] : [{ name, served, bin, ...known }];
  }),
];
