import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDefinition, AgentResult, AgentSaying } from '../../src/agents/define-agent.js';
import type { Turn } from '../../src/domain/agent.js';

/**
 * An agent for `--agent module` that does what the official compatibility kit asks of an implementation: the beginning of
 * the message's id says which of the kit's scenarios is played. Any other message is answered in words; a typed request
 * gets its own prompt back as the document, character for character.
 */
const conformanceAgent: AgentDefinition = {
  async *run(turn) {
    if (turn.output !== undefined) return turn.prompt;
    return yield* scenarioOf(turn.messageId)(turn);
  },
  async reply({ messageId }) {
    return direct.some((prefix) => messageId.startsWith(prefix)) ? 'Direct message response' : undefined;
  },
};

export default conformanceAgent;

type Scenario = (turn: Turn) => AsyncGenerator<AgentSaying, AgentResult, void>;

/** Longer than the kit waits for events of a stream that it has left. */
const longRunMs = 5_000;

const answers = (text: string): Scenario =>
  async function* () {
    yield text;
  };

const yields = (...sayings: readonly AgentSaying[]): Scenario =>
  async function* () {
    yield* sayings;
  };

const ends = (result: AgentResult): Scenario =>
  // biome-ignore lint/correctness/useYield: it has nothing to say before it ends.
  async function* () {
    return result;
  };

const file = { filename: 'output.txt', mediaType: 'text/plain' } as const;
const fileArtifact = {
  type: 'artifact',
  id: 'file',
  name: 'file',
  parts: [{ bytes: Buffer.from('Generated file content\n'), ...file }],
} as const;

/** The first whose prefix fits is played, so the longer prefixes come first. */
const scenarios: readonly (readonly [prefix: string, Scenario])[] = [
  ['tck-artifact-text', answers('Generated text content')],
  [
    'tck-artifact-file-url',
    yields({
      type: 'artifact',
      id: 'file-url',
      name: 'file-url',
      parts: [{ url: 'https://example.com/output.txt', ...file }],
    }),
  ],
  ['tck-artifact-file', yields(fileArtifact)],
  [
    'tck-artifact-data',
    yields({
      type: 'artifact',
      id: 'data',
      name: 'data',
      parts: [{ json: '{"key": "value", "count": 42}' }],
    }),
  ],
  ['tck-input-required', ends({ question: 'What more is there to say?' })],
  ['tck-reject-task', ends({ rejected: 'rejected' })],
  ['tck-stream-001', answers('Stream hello from TCK')],
  ['tck-stream-003', answers('Stream task lifecycle')],
  ['tck-stream-ordering-001', answers('Ordered output')],
  ['tck-stream-artifact-text', answers('Streamed text content')],
  ['tck-stream-artifact-file', yields(fileArtifact)],
  [
    'tck-stream-artifact-chunked',
    yields(
      { type: 'artifact', id: 'chunked', parts: [{ text: 'chunk-1 ' }], last: false },
      { type: 'artifact', id: 'chunked', parts: [{ text: 'chunk-2' }], append: true, last: true },
    ),
  ],
  [
    'test-resubscribe-message-id',
    async function* ({ signal }) {
      yield 'Working';
      await delay(longRunMs, undefined, { signal });
      yield ' and done';
    },
  ],
];

/** Scenarios whose answer is a message and no task. */
const direct = ['tck-message-response', 'tck-stream-002'];

const scenarioOf = (messageId: string): Scenario =>
  scenarios.find(([prefix]) => messageId.startsWith(prefix))?.[1] ?? answers('Hello from TCK');
