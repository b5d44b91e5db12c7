import { askLive, type Question } from '../client/ask.js';
import { openPeer, type Peer } from '../client/peer.js';
import { produceLive } from '../client/produce.js';
import { textOfParts } from '../client/task-view.js';
import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { Part } from '../domain/message.js';
import type { OutputSchema } from '../domain/schema.js';
import {
  KEDI_STRUCTURED_OUTPUT_URI,
  readOffer,
  writeStructuredRequest,
} from '../protocol/structured-output.js';
import type { StreamEvent } from '../protocol/task-fold.js';
import { type Conversation, readConversation, withQuestion, writeConversation } from './a2a/conversation.js';
import { failureOf, isForgotten } from './a2a/failure.js';
import { type A2aSettings, a2aOptions, a2aStructured, readA2aSettings } from './a2a/options.js';
import { cancelable } from './kit/cancelable.js';
import { instruct, readAnswer } from './kit/instruct.js';
import { remind } from './kit/remind.js';
import { type StreamJson, streamJson } from './kit/stream-json.js';

/** Another agent behind A2A, which so becomes one with typed answers. */
export const a2a: AgentKind = {
  kind: 'a2a',
  summary: 'Another A2A agent: typed requests are passed on where it takes them, else it is asked by words.',
  source: 'stream-json',
  options: a2aOptions,
  structured: a2aStructured,
  // What the peer cannot take it refuses itself.
  inputModes: ['*/*'],
  create(options, surroundings): Agent {
    const settings = readA2aSettings(options, surroundings);
    const served = { settings, peers: knownPeers(settings), warn: surroundings.warn };
    return { run: (turn) => run(turn, served) };
  },
};

interface Served {
  readonly settings: A2aSettings;
  readonly peers: Peers;
  readonly warn: (message: string) => void;
}

async function* run(turn: Turn, { settings, peers, warn }: Served): AsyncGenerator<Line, Outcome, void> {
  const write = streamJson({ sessionId: turn.contextId });
  try {
    const peer = await peers.open({ typed: turn.output !== undefined, signal: turn.signal });
    return yield* converse({ turn, peer, settings, write });
  } catch (error) {
    peers.forget();
    if (!(error instanceof KediError)) {
      turn.signal.throwIfAborted();
      throw error;
    }
    if (turn.signal.aborted) {
      // The peer's task may not have been canceled, and nobody else will hear of it.
      if (error !== turn.signal.reason) warn(error.message);
      throw turn.signal.reason;
    }
    if (error.code === 'REJECTED') return { kind: 'rejected', reason: error.message };
    const failure = failureOf(error);
    if (failure !== error) warn(error.message);
    throw failure;
  }
}

interface Conversing {
  readonly turn: Turn;
  readonly peer: Peer;
  readonly settings: A2aSettings;
  readonly write: StreamJson;
}

/** What the peer's turn came to, and where: `asked` is its task that waits for an answer. */
interface Reply {
  readonly outcome: Outcome;
  readonly contextId: string | undefined;
  readonly asked?: string;
}

/** Goes on with the peer's context, and with its task where that is what asked; notes both for the next turn. */
async function* converse(conversing: Conversing): AsyncGenerator<Line, Outcome, void> {
  const { turn, write } = conversing;
  const known = readConversation(turn.session);
  const note = function* (contextId: string | undefined, asked?: string): Generator<Line> {
    const now: Conversation = { ...known, contextId: contextId ?? known.contextId };
    const session = writeConversation(withQuestion(now, { taskId: turn.taskId, question: asked }));
    if (now.contextId !== undefined && session !== turn.session) yield write.session(session);
  };
  try {
    const reply = yield* answerOrAsk(conversing, known);
    yield* note(reply.contextId, reply.asked);
    return reply.outcome;
  } catch (error) {
    if (error instanceof KediError) yield* note(error.info.contextId);
    throw error;
  }
}

async function* answerOrAsk(
  conversing: Conversing,
  { contextId, asked }: Conversation,
): AsyncGenerator<Line, Reply, void> {
  const { turn, write } = conversing;
  const place = contextId === undefined ? {} : { contextId };
  const taskId = asked[turn.taskId];
  if (taskId === undefined) return yield* ask(conversing, place);
  try {
    return yield* ask(conversing, { ...place, taskId });
  } catch (error) {
    if (!isForgotten(error)) throw error;
  }
  yield write.status(
    'session_lost',
    'The agent takes no answer to its question any more, and is asked anew.',
  );
  return yield* ask(conversing, place);
}

interface Place {
  readonly contextId?: string;
  readonly taskId?: string;
}

async function* ask(conversing: Conversing, place: Place): AsyncGenerator<Line, Reply, void> {
  const { turn, settings, peer, write } = conversing;
  const { output } = turn;
  if (output === undefined) return yield* askInWords(conversing, { place, parts: turn.parts });
  const refusal = settings.structured === 'instruction' ? undefined : whyNotTyped(peer, output);
  if (refusal === undefined && settings.structured !== 'instruction') {
    return yield* askTyped(conversing, { place, output });
  }
  if (refusal !== undefined) {
    if (settings.structured === 'native') throw refusal;
    yield write.status('instruction', `${refusal.message} It is asked by words.`);
  }
  const files = turn.parts.filter(isFile);
  return yield* askInWords(conversing, { place, parts: [{ kind: 'text', text: instruct(turn) }, ...files] });
}

/** Why a typed request cannot be passed on; undefined: it can. */
function whyNotTyped({ card }: Peer, { text }: OutputSchema): KediError | undefined {
  if (!card.extensions.has(KEDI_STRUCTURED_OUTPUT_URI)) {
    return new KediError('UNSUPPORTED', 'The agent behind this one does not offer typed answers.');
  }
  try {
    writeStructuredRequest(text, readOffer(card.extensions.get(KEDI_STRUCTURED_OUTPUT_URI)));
    return undefined;
  } catch (error) {
    if (!(error instanceof KediError)) throw error;
    return error.code === 'PEER_UNSUITABLE'
      ? new KediError('UNSUPPORTED', error.message, { cause: error })
      : error;
  }
}

async function* askTyped(
  { turn, peer, write }: Conversing,
  { place, output }: { readonly place: Place; readonly output: OutputSchema },
): AsyncGenerator<Line, Reply, void> {
  const { refused } = turn;
  const reminder = remind({ prompt: '', refused }).trim();
  const prompt: readonly Part[] = [
    ...turn.parts,
    ...(reminder === '' ? [] : [{ kind: 'text', text: reminder } as const]),
  ];
  const request = { ...place, prompt, schema: output };
  const product = yield* cancelable((signal) => produceLive(peer, request, signal), {
    signal: turn.signal,
    tell: (event) => progressOf(event, write),
  });
  if (product.kind === 'question') return questionOf(product);
  const { resultEncodings } = readOffer(peer.card.extensions.get(KEDI_STRUCTURED_OUTPUT_URI));
  const exact = resultEncodings.includes('json-utf8');
  const { document, contextId } = product;
  return { contextId, outcome: { kind: 'json', document, ...(!exact && { parsed: true }) } };
}

async function* askInWords(
  { turn, peer, write }: Conversing,
  { place, parts }: { readonly place: Place; readonly parts: readonly Part[] },
): AsyncGenerator<Line, Reply, void> {
  const request = { ...place, prompt: parts };
  const answer = yield* cancelable((signal) => askLive(peer, request, signal), {
    signal: turn.signal,
    tell: (text) => [write.delta(text)],
  });
  if (answer.kind === 'question') return questionOf(answer);
  const files = answer.parts.filter(isFile);
  for (const [index, part] of files.entries()) {
    const artifactId = `file-${index + 1}`;
    yield write.artifact({ artifactId, parts: [part], append: false, lastChunk: true });
  }
  const { text, contextId } = answer;
  const outcome: Outcome = turn.output === undefined ? { kind: 'text', text } : await readAnswer(text);
  return { contextId, outcome };
}

const questionOf = ({ text, auth, contextId, taskId }: Question): Reply => ({
  contextId,
  asked: taskId,
  outcome: { kind: 'question', text: text || 'The agent asks for more.', ...(auth && { auth }) },
});

/** What a peer says of its progress; none of it is the result. */
function* progressOf(event: StreamEvent, write: StreamJson): Generator<Line> {
  if (event.kind !== 'status' || event.status.state !== 'working') return;
  const text = textOfParts(event.status.message?.parts ?? []);
  if (text !== '') yield write.status('working', text);
}

const isFile = ({ kind }: Part): boolean => kind === 'raw' || kind === 'url';

/** The peer as its card was a short while ago. */
interface Peers {
  open(call: { readonly typed: boolean; readonly signal: AbortSignal }): Promise<Peer>;
  forget(): void;
}

const cardMs = 60_000;

function knownPeers({ url, secret }: A2aSettings): Peers {
  const known = new Map<boolean, { readonly peer: Peer; readonly until: number }>();
  return {
    async open({ typed, signal }) {
      const found = known.get(typed);
      if (found !== undefined && Date.now() < found.until) return found.peer;
      const extensions = typed ? [KEDI_STRUCTURED_OUTPUT_URI] : [];
      const peer = await openPeer(url, { credentials: secret(), extensions, signal });
      known.set(typed, { peer, until: Date.now() + cardMs });
      return peer;
    },
    forget: () => known.clear(),
  };
}
