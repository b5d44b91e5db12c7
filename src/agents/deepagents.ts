import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { jsonText } from '../schema/document.js';
import { deepAgentDecoder } from './deepagents/decode.js';
import { failureOf } from './deepagents/failure.js';
import { loadDeepAgents, type MakeAgent } from './deepagents/library.js';
import { type ModelCalls, modelCalls } from './deepagents/model-calls.js';
import { type DeepAgentsSettings, deepAgentsOptions, readDeepAgentsSettings } from './deepagents/options.js';
import { chatMessages } from './kit/chat-messages.js';
import { brokenOff, requireWhole } from './kit/finish.js';
import { instruct, readAnswer } from './kit/instruct.js';
import { pull } from './kit/pull.js';
import { type StreamJson, streamJson } from './kit/stream-json.js';

/** LangChain's Deep Agents, in this process. */
export const deepAgents: AgentKind = {
  kind: 'deepagents',
  summary: 'LangChain’s Deep Agents, with any of its models, or a deep agent of your own.',
  source: 'stream-json',
  options: deepAgentsOptions,
  structured: ({ structured }) => (structured === 'native' ? 'none' : 'instruction'),
  async create(options, surroundings): Promise<Agent> {
    const settings = readDeepAgentsSettings(options, surroundings);
    const make = await loadDeepAgents(settings, surroundings.directory);
    return { run: (turn) => run(turn, { settings, make }) };
  },
};

async function* run(
  turn: Turn,
  { settings, make }: { readonly settings: DeepAgentsSettings; readonly make: MakeAgent },
): AsyncGenerator<Line, Outcome, void> {
  const { recursionLimit, key } = settings;
  const write = streamJson({ sessionId: turn.contextId });
  const decoder = deepAgentDecoder(write);
  const calls = modelCalls();
  // Its work is to end whenever we leave, too.
  const leaving = new AbortController();
  try {
    const agent = await make({ workspace: () => turn.workspace });
    const history = agent.remembers ? [] : await turn.history();
    const messages = chatMessages({ system: undefined, history, prompt: instruct(turn) });
    const stream = await agent.stream(messages, {
      streamMode: ['messages', 'tasks'],
      subgraphs: true,
      recursionLimit,
      configurable: { thread_id: turn.contextId },
      callbacks: [calls.handler],
      signal: AbortSignal.any([turn.signal, leaving.signal]),
    });
    for await (const item of pull(stream, turn.signal)) yield* decoder.take(item);
  } catch (error) {
    turn.signal.throwIfAborted();
    throw failureOf(error, { key, recursionLimit });
  } finally {
    leaving.abort();
  }
  turn.signal.throwIfAborted();
  yield* decoder.end();
  yield resultLine(calls, write);
  requireWholeAnswer(calls);
  return turn.output === undefined ? { kind: 'done' } : readAnswer(decoder.messages().at(-1) ?? '');
}

function resultLine(calls: ModelCalls, write: StreamJson): Line {
  const model = calls.model();
  const usage = calls.usage();
  return write.result({
    finishReason: calls.last()?.reason ?? 'stop',
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage: jsonText(usage) }),
  });
}

function requireWholeAnswer(calls: ModelCalls): void {
  const last = calls.last();
  if (last?.cut === true) throw brokenOff();
  requireWhole(last?.reason ?? 'stop');
  if (last?.wantsTools === true) {
    throw new KediError('AGENT_FAILED', 'The agent stopped before the tools that its model had called.');
  }
}
