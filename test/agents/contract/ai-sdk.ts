import { aiSdk } from '../../../src/agents/ai-sdk.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import type { ModelScript } from '../../support/model-server.js';
import type { AgentFixture } from '../contract.js';
import { modelScene, parrot } from './openai.js';

const scene = (script: ModelScript) =>
  modelScene(script, (baseURL) => ({
    provider: '@ai-sdk/openai-compatible',
    model: 'scripted',
    settings: { name: 'scripted', baseURL, supportsStructuredOutputs: true },
    apiKeyEnv: 'MODEL_KEY',
    retries: 0,
  }));

export const aiSdkFixture: AgentFixture = {
  kind: aiSdk,
  text: async () => ({
    ...(await scene(() => ({ do: 'text', text: 'Grüße von 🐈, in Stücken.' }))),
    answer: 'Grüße von 🐈, in Stücken.',
  }),
  structured: async () => ({
    ...(await scene(() => ({ do: 'structured', document: widget }))),
    schema: widgetSchema,
    document: widget,
  }),
  refusal: 'the AI SDK has no way to decline but in words',
  failure: async () => ({
    ...(await scene(() => ({ do: 'status', status: 401, message: 'the key is not good' }))),
    code: 'AGENT_UNAVAILABLE',
    message: /^The model failed \(HTTP 401\): the key is not good$/,
  }),
  slow: () => scene(() => ({ do: 'slow', text: 'word '.repeat(2_000), everyMs: 200 })),
  session: async () => ({
    ...(await scene(parrot)),
    prompt: 'one',
    next: { prompt: 'two', answer: /^one \| two$/ },
  }),
};
