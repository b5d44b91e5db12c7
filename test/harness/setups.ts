import { join } from 'node:path';
import { findProgram, type Program } from './programs.js';

/** How an agent program is set to speak with the scripted model, and nothing else. */
export interface Setup {
  /** The program, as scripts/harnesses.json names it; `variant` where it is tested in two ways. */
  readonly name: string;
  readonly variant?: string;
  readonly agent: 'claude-code' | 'codex' | 'acp';
  /** Whether typed answers come by a way of the program's own, or by instruction. */
  readonly way: 'native' | 'instruction';
  /** Options beside `bin`; `url` is the model's origin, `home` a directory of the test's own. */
  options(model: { readonly url: string; readonly home: string }): Readonly<Record<string, unknown>>;
}

const codexProvider = (url: string) => ({
  name: 'test',
  base_url: `${url}/v1`,
  wire_api: 'responses',
  env_key: 'KEY',
  request_max_retries: 0,
  stream_max_retries: 0,
});

const claude = (url: string, home: string) => ({
  HOME: home,
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'key',
  CLAUDE_CODE_MAX_RETRIES: '0',
});

export const setups: readonly Setup[] = [
  {
    name: 'claude-code',
    agent: 'claude-code',
    way: 'native',
    options: ({ url, home }) => ({ env: claude(url, home) }),
  },
  {
    name: 'codex',
    agent: 'codex',
    way: 'native',
    options: ({ url, home }) => ({
      model: 'gpt-5',
      config: {
        model_provider: '"test"',
        'model_providers.test': `{${Object.entries(codexProvider(url))
          .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
          .join(',')}}`,
        // Else it waits for five seconds at its end for a host that is not to be reached.
        'analytics.enabled': 'false',
      },
      env: { HOME: home, KEY: 'key' },
    }),
  },
  {
    name: 'opencode',
    agent: 'acp',
    way: 'instruction',
    options: ({ url, home }) => ({
      preset: 'opencode',
      env: {
        HOME: home,
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          provider: {
            test: {
              npm: '@ai-sdk/openai-compatible',
              options: { baseURL: `${url}/v1`, apiKey: 'key' },
              models: { scripted: {} },
            },
          },
          model: 'test/scripted',
          small_model: 'test/scripted',
          autoupdate: false,
          share: 'disabled',
        }),
      },
    }),
  },
  {
    name: 'gemini',
    agent: 'acp',
    way: 'instruction',
    options: ({ url, home }) => ({
      preset: 'gemini',
      extraArgs: ['-m', 'gemini-2.5-pro'],
      env: { HOME: home, GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'key' },
    }),
  },
  {
    name: 'claude-agent-acp',
    agent: 'acp',
    way: 'native',
    options: ({ url, home }) => ({ preset: 'claude-agent-acp', env: claude(url, home) }),
  },
  {
    name: 'claude-agent-acp',
    variant: 'ACP v2 draft',
    agent: 'acp',
    way: 'native',
    options: ({ url, home }) => ({ preset: 'claude-agent-acp', protocol: 2, env: claude(url, home) }),
  },
  {
    name: 'codex-acp',
    agent: 'acp',
    way: 'instruction',
    options: ({ url, home }) => ({
      preset: 'codex-acp',
      env: {
        HOME: home,
        KEY: 'key',
        CODEX_CONFIG: JSON.stringify({
          model_providers: { test: codexProvider(url) },
          model_provider: 'test',
          model: 'gpt-5',
          analytics: { enabled: false },
        }),
      },
    }),
  },
  {
    name: 'copilot',
    agent: 'acp',
    way: 'instruction',
    options: ({ url, home }) => ({
      preset: 'copilot',
      env: {
        HOME: home,
        COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
        COPILOT_PROVIDER_API_KEY: 'key',
        COPILOT_MODEL: 'gpt-5',
      },
    }),
  },
];

/** The name under which a setup is reported. */
export const titleOf = ({ name, variant }: Setup): string =>
  variant === undefined ? name : `${name} (${variant})`;

/** All that the server is started with for a setup. */
export function agentOf(
  setup: Setup,
  {
    program,
    url,
    directory,
  }: { readonly program: Program; readonly url: string; readonly directory: string },
): { readonly agent: string; readonly options: Readonly<Record<string, unknown>> } {
  const options = setup.options({ url, home: join(directory, 'home') });
  return { agent: setup.agent, options: { bin: program.bin, ...options } };
}

/** Why a setup cannot be run here, or undefined. */
export function missing(setup: Setup): string | undefined {
  const found = findProgram(setup.name);
  return 'missing' in found ? found.missing : undefined;
}
