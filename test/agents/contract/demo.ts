import { demo } from '../../../src/agents/demo.js';
import type { AgentFixture } from '../contract.js';

export const demoFixture: AgentFixture = {
  kind: demo,
  text: async () => ({
    options: {},
    prompt: ' Hello,\n demo! ',
    answer: 'This is the demo agent, no model; you said: “Hello, demo!” Try /help.',
  }),
  structured: async () => ({
    options: {},
    prompt: 'anything',
    schema: '{"const":{"id":9007199254740993,"price":78.0}}',
    document: '{"id":9007199254740993,"price":78.0}',
  }),
  refusal: async () => ({
    options: {},
    prompt: '/reject not on a Sunday',
    outcome: { kind: 'rejected', reason: 'not on a Sunday' },
  }),
  failure: async () => ({
    options: {},
    prompt: '/fail out of ink',
    code: 'AGENT_FAILED',
    message: /^out of ink$/,
  }),
  slow: async () => ({ options: { delayMs: 50 }, prompt: '/wait 300' }),
  session: async () => ({
    options: {},
    prompt: 'My name is Ada.',
    next: { prompt: '/recall', answer: /^You said before: My name is Ada\.$/ },
  }),
};
