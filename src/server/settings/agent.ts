import { choice, count, readWord, type Setting, toggle } from '../setting.js';

/** Which agent, and how it is run. */
export const agentSettings = {
  agent: {
    group: 'Agent',
    value: 'KIND',
    fallback: 'demo',
    help: 'The kind of agent to serve; `kedi-a2a agents` lists them.',
    read: readWord,
  },
  agentOptions: {
    group: 'Agent',
    value: 'JSON',
    fallback: '{}',
    shape: 'object',
    help: "The agent's options, a JSON object; in the config file an object.",
    read: (json: string, directory: string) => ({ json, directory }),
  },
  attempts: count({
    group: 'Agent',
    fallback: '1',
    from: '1',
    to: '10',
    help: 'Runs in all for one typed request: after a refused document the agent is told why and runs again.',
  }),
  agentStderr: choice({
    group: 'Agent',
    words: ['on', 'off'],
    fallback: 'on',
    help: "Whether clients may see what the agent's process writes on stderr.",
  }),
  assertFormats: toggle({
    group: 'Agent',
    help: "Check JSON Schema's `format` too, which is only an annotation otherwise.",
  }),
} as const satisfies Record<string, Setting>;
