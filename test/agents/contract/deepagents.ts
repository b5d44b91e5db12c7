import { deepAgents } from '../../../src/agents/deepagents.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import type { ModelScript } from '../../support/model-server.js';
import type { AgentFixture } from '../contract.js';
import { modelScene, parrot } from './openai.js';

const scene = (script: ModelScript) =>
  modelScene(script, (baseURL) => ({
    provider: '@langchain/openai',
    model: 'scripted',
    settings: { maxRetries: 0, configuration: { baseURL } },
    apiKeyEnv: 'MODEL_KEY',
  }));

export const deepAgentsFixture: AgentFixture = {
  kind: deepAgents,
  text: async () => ({
    ...(await scene(() => ({ do: 'text', text: 'Grüße von 🐈, in Stücken.' }))),
    answer: 'Grüße von 🐈, in Stücken.',
  }),
  structured: async () => ({
    ...(await scene(() => ({ do: 'text', text: `Here it is:\n\n${widget}` }))),
    schema: widgetSchema,
    document: widget,
  }),
  refusal: 'Deep Agents have no way to decline but in words',
  failure: async () => ({
    ...(await scene(() => ({ do: 'status', status: 401, message: 'the key is not good' }))),
    code: 'AGENT_UNAVAILABLE',
    message: /^The agent failed: 401 the key is not good$/,
  }),
  slow: () => scene(() => ({ do: 'slow', text: 'word '.repeat(2_000), everyMs: 200 })),
  session: async () => ({
    ...(await scene(parrot)),
    prompt: 'one',
    next: { prompt: 'two', answer: /one \| two$/ },
  }),
};
