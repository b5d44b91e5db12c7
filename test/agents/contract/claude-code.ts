import { claudeCode } from '../../../src/agents/claude-code.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import type { AgentFixture } from '../contract.js';
import { fake, recordedFile } from '../support/recorded.js';

const replayed = (scene: string, env: Readonly<Record<string, string>> = {}) => ({
  options: {
    bin: fake('replay.js'),
    env: { REPLAY: recordedFile('claude-code', scene), ...env },
  },
  prompt: 'Say something.',
});

export const claudeCodeFixture: AgentFixture = {
  kind: claudeCode,
  text: async () => ({ ...replayed('text'), answer: 'Hello there, wörld 😀.' }),
  structured: async () => ({ ...replayed('structured'), schema: widgetSchema, document: widget }),
  refusal: 'Claude Code has no way to decline but in words',
  failure: async () => ({
    ...replayed('unauthorized', { REPLAY_EXIT: '1' }),
    code: 'AGENT_UNAVAILABLE',
    message: /^Claude Code failed: Failed to authenticate. API Error: 401/,
  }),
  slow: async () => replayed('text', { REPLAY_LINES: '3', REPLAY_THEN: 'stubborn' }),
  session: async () => ({
    options: { bin: fake('remember.js'), env: { REMEMBER: 'claude' } },
    prompt: 'one',
    next: { prompt: 'two', answer: /^one \| two$/ },
  }),
};
