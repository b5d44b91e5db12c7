import { codex } from '../../../src/agents/codex.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import type { AgentFixture } from '../contract.js';
import { fake, recordedFile } from '../support/recorded.js';

const replayed = (scene: string, env: Readonly<Record<string, string>> = {}) => ({
  options: { bin: fake('replay.js'), env: { REPLAY: recordedFile('codex', scene), ...env } },
  prompt: 'Say something.',
});

export const codexFixture: AgentFixture = {
  kind: codex,
  text: async () => ({ ...replayed('text'), answer: 'Hello there, wörld 😀.' }),
  structured: async () => ({ ...replayed('structured'), schema: widgetSchema, document: widget }),
  refusal: 'Codex has no way to decline but in words',
  failure: async () => ({
    ...replayed('server-error', { REPLAY_EXIT: '0' }),
    code: 'AGENT_FAILED',
    message: /^Codex failed: We’re currently experiencing high demand/,
  }),
  slow: async () => replayed('text', { REPLAY_LINES: '3', REPLAY_THEN: 'stubborn' }),
  session: async () => ({
    options: { bin: fake('remember.js'), env: { REMEMBER: 'codex' } },
    prompt: 'one',
    next: { prompt: 'two', answer: /^one \| two$/ },
  }),
};
