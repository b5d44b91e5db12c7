import { onTestFinished } from 'vitest';
import { openai } from '../../../src/agents/openai.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import { type ModelScript, startModelServer } from '../../support/model-server.js';
import { startPeer } from '../../support/peer.js';
import type { AgentFixture, Scene } from '../contract.js';

/** The agent with a scripted model that goes with the test. */
export const modelScene = async (
  script: ModelScript,
  options: (url: string) => Readonly<Record<string, unknown>>,
): Promise<Scene> => {
  const model = await startModelServer(script);
  onTestFinished(() => model.close());
  return { options: options(`${model.url}/v1`), env: { MODEL_KEY: 'key-of-the-model' }, prompt: 'Say it.' };
};

/** Says what its user said, all of it. */
export const parrot: ModelScript = ({ messages }) => ({
  do: 'text',
  text: messages
    .filter(({ role }) => role === 'user')
    .map(({ text }) => text)
    .join(' | '),
});

const scene = (script: ModelScript) =>
  modelScene(script, (baseUrl) => ({ model: 'scripted', baseUrl, apiKeyEnv: 'MODEL_KEY', retries: 0 }));

/** The agent with an endpoint whose model declines. */
async function refusing(): Promise<Scene> {
  const { url } = await startPeer({
    answer: (response) => {
      const delta = { refusal: 'I cannot help with that.' };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: 'stop' }] })}\n\n`);
    },
  });
  return { options: { model: 'scripted', baseUrl: url }, prompt: 'Say it.' };
}

export const openaiFixture: AgentFixture = {
  kind: openai,
  text: async () => ({
    ...(await scene(() => ({ do: 'text', text: 'Grüße von 🐈, in Stücken.' }))),
    answer: 'Grüße von 🐈, in Stücken.',
  }),
  structured: async () => ({
    ...(await scene(() => ({ do: 'structured', document: widget }))),
    schema: widgetSchema,
    document: widget,
  }),
  refusal: async () => ({
    ...(await refusing()),
    outcome: { kind: 'rejected', reason: 'I cannot help with that.' },
  }),
  failure: async () => ({
    ...(await scene(() => ({ do: 'status', status: 401, message: 'the key is not good' }))),
    code: 'AGENT_UNAVAILABLE',
    message: /refused the request \(HTTP 401\): the key is not good$/,
  }),
  slow: () => scene(() => ({ do: 'slow', text: 'word '.repeat(2_000), everyMs: 200 })),
  session: async () => ({
    ...(await scene(parrot)),
    prompt: 'one',
    next: { prompt: 'two', answer: /^one \| two$/ },
  }),
};
