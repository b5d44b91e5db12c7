import { command } from '../../../src/agents/command.js';
import type { AgentFixture } from '../contract.js';
import { fixture } from '../support/processes.js';

const document = '{"id":9007199254740993,"price":78.0,"exp":1.0E+2,"name":"w\\u00efdget"}';

export const commandFixture: AgentFixture = {
  kind: command,
  text: async () => ({
    options: { command: [fixture('parrot.sh')] },
    prompt: 'Grüße\n\nvon 🐈\n',
    answer: 'Grüße\n\nvon 🐈',
  }),
  structured: async () => ({
    options: { command: [fixture('typed.sh'), document] },
    prompt: 'a widget',
    schema: '{"type":"object"}',
    document,
  }),
  refusal: 'a program has its exit code alone, and that is a failure',
  failure: async () => ({
    options: { command: [fixture('fail.sh')] },
    prompt: 'try',
    code: 'AGENT_FAILED',
    message: /fail\.sh ended with exit code 1:\ncomplaint 3\n(complaint \d+\n){8}complaint 12$/,
  }),
  slow: async () => ({ options: { command: [fixture('stubborn.sh')] }, prompt: 'wait' }),
  session: async () => ({
    options: { command: [fixture('count.sh')] },
    prompt: 'one',
    next: { prompt: 'two', answer: /^asked 2 times by / },
  }),
};
