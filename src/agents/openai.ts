import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { decodeSse } from '../protocol/sse.js';
import { brokenOff, requireWhole, toolWanted } from './kit/finish.js';
import { readAnswer } from './kit/instruct.js';
import { type OutgoingSchema, outgoingSchema } from './kit/outgoing-schema.js';
import { streamJson } from './kit/stream-json.js';
import { lastChunk, type StreamedAnswer, streamedAnswer } from './openai/answer.js';
import { bytesOf } from './openai/bytes.js';
import { type OpenaiSettings, openaiOptions, readOpenaiSettings } from './openai/options.js';
import { post } from './openai/post.js';
import { lost, withoutSecrets } from './openai/refusal.js';
import { writeBody } from './openai/request.js';

/** A model behind any endpoint that speaks OpenAI's Chat Completions. */
export const openai: AgentKind = {
  kind: 'openai',
  summary:
    'A model behind any OpenAI-compatible Chat Completions endpoint (OpenAI, vLLM, Ollama, llama.cpp, LM Studio, OpenRouter, gateways).',
  source: 'stream-json',
  options: openaiOptions,
  structured: (options) => (options.structured === 'instruction' ? 'instruction' : 'native'),
  create: (options, surroundings): Agent => {
    const settings = readOpenaiSettings(options, surroundings);
    return { run: (turn) => run(turn, settings) };
  },
};

async function* run(turn: Turn, settings: OpenaiSettings): AsyncGenerator<Line, Outcome, void> {
  const { signal, output } = turn;
  const { native, strict } = settings;
  const schema =
    output === undefined || !native ? undefined : outgoingSchema(output.text, { closed: strict });
  const write = streamJson({ sessionId: turn.contextId });
  const answer = streamedAnswer(write);
  const body = await writeBody(turn, { settings, schema });
  const response = yield* post(body, { settings, write, signal });
  try {
    for await (const chunk of chunksOf(response)) yield* answer.take(chunk);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof KediError) {
      throw new KediError(error.code, withoutSecrets(error.message, settings), { cause: error });
    }
    // An answer that was told to be whole may lose what comes after it.
    if (answer.finish() === undefined) throw lost(error, { began: true });
  }
  yield* answer.end();
  return outcomeOf(answer, { typed: output !== undefined, schema });
}

/** An endpoint that cannot stream answers with one JSON object, which is then the only chunk. */
async function* chunksOf(response: Response): AsyncGenerator<string, void, void> {
  const bytes = bytesOf(response);
  if (!response.headers.get('content-type')?.startsWith('application/json')) {
    for await (const { data } of decodeSse(bytes)) {
      yield data;
      if (data.trim() === lastChunk) return;
    }
    return;
  }
  const utf8 = new TextDecoder();
  let text = '';
  for await (const piece of bytes) {
    text += utf8.decode(piece, { stream: true });
    if (text.length > longestAnswer)
      throw new KediError('OUTPUT_TOO_LARGE', 'The model’s answer is too long.');
  }
  yield text;
}

const longestAnswer = 16_000_000;

async function outcomeOf(
  answer: StreamedAnswer,
  { typed, schema }: { readonly typed: boolean; readonly schema: OutgoingSchema | undefined },
): Promise<Outcome> {
  const finish = answer.finish();
  const refusal = answer.refusal();
  if (refusal !== undefined) return { kind: 'rejected', reason: refusal };
  if (finish === undefined) throw brokenOff();
  requireWhole(finish.reason);
  if (/^(tool_calls|function_call)$/.test(finish.raw)) throw toolWanted();
  if (!typed) return { kind: 'done' };
  const text = answer.text();
  if (schema === undefined) return readAnswer(text);
  if (text.trim() === '') throw new KediError('RESULT_MISSING', 'The model ended without a word.');
  return { kind: 'json', document: schema.unwrap(text) };
}
