import { module } from '../../../src/agents/module.js';
import type { AgentFixture, Scene } from '../contract.js';
import { fixture } from '../support/processes.js';

const document = '{"id":9007199254740993,"price":78.0}';

const scene = (prompt: string): Scene => ({
  options: { path: fixture('actor.js'), options: { document } },
  prompt,
});

export const moduleFixture: AgentFixture = {
  kind: module,
  text: async () => ({ ...scene('say one two three'), answer: 'one two three' }),
  structured: async () => ({ ...scene('document'), schema: '{"type":"object"}', document }),
  refusal: async () => ({
    ...scene('reject not today'),
    outcome: { kind: 'rejected', reason: 'not today' },
  }),
  failure: async () => ({ ...scene('fail out of ink'), code: 'AGENT_FAILED', message: /^out of ink$/ }),
  slow: async () => scene('hang'),
  session: async () => ({
    ...scene('remember Ada'),
    next: { prompt: 'recall', answer: /^Ada$/ },
  }),
};
