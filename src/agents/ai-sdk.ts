import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { findLossyNumber } from '../protocol/lossless.js';
import { readSpans } from '../schema/document.js';
import { passesOverSchema, type SdkAnswer, sdkAnswer } from './ai-sdk/answer.js';
import { failureOf } from './ai-sdk/failure.js';
import { type AiSdkSettings, aiSdkOptions, aiSdkStructured, readAiSdkSettings } from './ai-sdk/options.js';
import { type AiSdk, loadAiSdk } from './ai-sdk/sdk.js';
import { chatMessages } from './kit/chat-messages.js';
import { brokenOff, requireWhole, toolWanted } from './kit/finish.js';
import { instruct, readAnswer } from './kit/instruct.js';
import { isShape } from './kit/json-line.js';
import { outgoingSchema } from './kit/outgoing-schema.js';
import { pull } from './kit/pull.js';
import { remind } from './kit/remind.js';
import { type StreamJson, streamJson } from './kit/stream-json.js';

/** Any model of Vercel's AI SDK, in this process. */
export const aiSdk: AgentKind = {
  kind: 'ai-sdk',
  summary: 'Any model of Vercel’s AI SDK, by a provider package that is installed in your project.',
  source: 'stream-json',
  options: aiSdkOptions,
  structured: aiSdkStructured,
  async create(options, surroundings): Promise<Agent> {
    const settings = readAiSdkSettings(options, surroundings);
    const sdk = await loadAiSdk(settings, surroundings.directory);
    const model: Model = { sdk, settings, takesSchema: settings.structured !== 'instruction' };
    return { run: (turn) => run(turn, model) };
  },
};

interface Model {
  readonly sdk: AiSdk;
  readonly settings: AiSdkSettings;
  /** Whether the model is given schemas; false from the time on when it has told that it passes them over. */
  takesSchema: boolean;
}

async function* run(turn: Turn, model: Model): AsyncGenerator<Line, Outcome, void> {
  const { structured } = model.settings;
  const write = streamJson({ sessionId: turn.contextId });
  const native = nativeSchema(turn, model);
  if (native !== undefined && (structured === 'native' || keepsItsNumbers(native.text))) {
    const answer = yield* ask(turn, { model, write, schema: native.text });
    if (answer !== undefined) return fromNative(answer, native.unwrap);
    if (structured === 'native') {
      throw new KediError(
        'UNSUPPORTED',
        'The model takes no schema, and it may not be asked by words instead.',
      );
    }
    model.takesSchema = false;
    yield write.status('instruction', 'The model takes no schema; it is asked again, by words.');
  } else if (native !== undefined) {
    yield write.status(
      'instruction',
      'The schema has a number that the AI SDK would change; it goes as words.',
    );
  }
  const answer = yield* ask(turn, { model, write, schema: undefined });
  const messages = answer?.messages() ?? [];
  return turn.output === undefined ? { kind: 'done' } : readAnswer(messages.at(-1) ?? '');
}

const nativeSchema = ({ output }: Turn, { settings, takesSchema }: Model) =>
  output === undefined || !takesSchema ? undefined : outgoingSchema(output.text, { closed: settings.closed });

/** The SDK takes a schema as a value, in which a number that no double holds is another one. */
function keepsItsNumbers(schema: string): boolean {
  const read = readSpans(schema, { depth: 200 });
  return read.ok && findLossyNumber(read.span) === undefined;
}

/** Asks the model, and returns its whole answer; undefined: it passes over the schema, and was left. */
async function* ask(
  turn: Turn,
  {
    model,
    write,
    schema,
  }: { readonly model: Model; readonly write: StreamJson; readonly schema: string | undefined },
): AsyncGenerator<Line, SdkAnswer | undefined, void> {
  const { sdk, settings } = model;
  const prompt = schema === undefined ? instruct(turn) : remind(turn);
  const messages = chatMessages({ system: undefined, history: await turn.history(), prompt });
  const answer = sdkAnswer(write);
  // Its connection is to be closed whenever we leave, too.
  const leaving = new AbortController();
  const signal = AbortSignal.any([turn.signal, leaving.signal]);
  const value: unknown = schema === undefined ? undefined : JSON.parse(schema);
  try {
    const parts = sdk.stream({ messages, schema: value, signal });
    for await (const part of pull(parts, turn.signal)) {
      if (!isShape(part)) continue;
      if (part.type === 'error') throw failureOf(part.error, settings.key);
      if (schema !== undefined && passesOverSchema(part)) return undefined;
      yield* answer.take(part);
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    throw failureOf(error, settings.key);
  } finally {
    leaving.abort();
  }
  turn.signal.throwIfAborted();
  const finish = answer.finish();
  if (finish === undefined) throw brokenOff();
  requireWhole(finish.reason);
  if (finish.wantsTools) throw toolWanted();
  return answer;
}

function fromNative(answer: SdkAnswer, unwrap: (document: string) => string): Outcome {
  const document = answer.messages().at(-1);
  if (document === undefined) throw new KediError('RESULT_MISSING', 'The model ended without a word.');
  return { kind: 'json', document: unwrap(document) };
}
