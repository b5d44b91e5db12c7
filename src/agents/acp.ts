import type { Agent, AgentKind } from '../domain/agent.js';
import { acpOptions, acpStructured, readAcpSettings } from './acp-client/options.js';

/** Any agent that speaks the Agent Client Protocol on stdio, one process of it a request. */
export const acp: AgentKind = {
  kind: 'acp',
  summary:
    'Any agent that speaks the Agent Client Protocol: OpenCode, Gemini, Copilot, Cline, Claude, Codex, Cursor, Pi, Goose.',
  source: 'acp',
  options: acpOptions,
  structured: acpStructured,
  create: async (options, surroundings): Promise<Agent> => {
    const settings = readAcpSettings(options, surroundings);
    // The protocol's SDK takes long to load, and no other agent needs it.
    const { run } = await import('./acp-client/run.js');
    return { run: (turn) => run(turn, settings) };
  },
};
