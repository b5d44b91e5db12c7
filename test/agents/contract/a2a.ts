import { a2a } from '../../../src/agents/a2a.js';
import { widget, widgetSchema } from '../../harness/widget.js';
import { says, scripted, startA2aHost } from '../../support/a2a-host.js';
import type { AgentFixture } from '../contract.js';
import { startSdkAgent } from '../support/sdk-agent.js';

const demo = async (prompt: string) => ({ options: { url: (await startA2aHost()).url }, prompt });

export const a2aFixture: AgentFixture = {
  kind: a2a,
  async text() {
    const { url } = await startSdkAgent(() => ['Grüße ', 'von 🐈, ', 'in Stücken.']);
    return { options: { url }, prompt: 'Say it.', answer: 'Grüße von 🐈, in Stücken.' };
  },
  async structured() {
    const agentKind = scripted(async function* () {
      yield says('Here it is.');
      return { kind: 'json', document: widget };
    });
    const { url } = await startA2aHost({ agentKind });
    return { options: { url }, prompt: 'A widget.', schema: widgetSchema, document: widget };
  },
  refusal: async () => ({
    ...(await demo('/reject not today')),
    outcome: { kind: 'rejected', reason: 'not today' },
  }),
  failure: async () => ({
    ...(await demo('/fail out of ink')),
    code: 'AGENT_FAILED',
    message: /^out of ink$/,
  }),
  async slow() {
    const { url } = await startSdkAgent(async function* () {
      yield 'One moment.';
      await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    });
    return { options: { url }, prompt: 'Take your time.' };
  },
  session: async () => ({
    ...(await demo('My name is Ada.')),
    next: { prompt: '/recall', answer: /^You said before: My name is Ada\.$/ },
  }),
};
