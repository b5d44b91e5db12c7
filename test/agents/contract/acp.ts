import { acp } from '../../../src/agents/acp.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import type { AgentFixture } from '../contract.js';
import { fake } from '../support/recorded.js';

const faked = (env: Readonly<Record<string, string>> = {}) => ({
  options: { bin: fake('acp-agent.js'), env },
  prompt: 'Grüße\n\nvon 🐈',
});

/** `protocol`: the version of ACP that is spoken. */
export const acpFixture = (protocol: 1 | 2): AgentFixture => {
  const agent = (env: Readonly<Record<string, string>> = {}) => {
    const { options, prompt } = faked({ ...env, FAKE_PROTOCOL: String(protocol) });
    return { options: { ...options, protocol }, prompt };
  };
  return {
    kind: acp,
    text: async () => ({
      ...agent({ FAKE_DOCUMENT: 'Grüße von 🐈, in Stücken.' }),
      answer: 'Grüße von 🐈, in Stücken.',
    }),
    structured: async () => ({
      ...agent({ FAKE_DOCUMENT: `Here it is:\n\n${widget}\n` }),
      schema: widgetSchema,
      document: widget,
    }),
    refusal: async () => ({ ...agent({ FAKE_STOP: 'refusal' }), outcome: 'AGENT_FAILED' }),
    failure: async () => ({
      ...agent({ FAKE_ERROR: '-32603' }),
      code: 'AGENT_FAILED',
      message: /acp-agent\.js failed: the model failed$/,
    }),
    slow: async () => agent({ FAKE_SLOW: '1' }),
    session: async () => ({
      ...agent(),
      prompt: 'one',
      next: { prompt: 'two', answer: /^one \| two$/ },
    }),
  };
};
