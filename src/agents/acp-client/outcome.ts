import { RequestError } from '@agentclientprotocol/sdk';
import type { Outcome } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { readAnswer } from '../kit/instruct.js';
import { isShape, textAt } from '../kit/json-line.js';
import type { OutgoingSchema } from '../kit/outgoing-schema.js';
import { endedEarly, type ProgramEnd } from '../kit/run-program.js';
import { authRequired, type SchemaWay } from './conversation.js';
import type { AcpDecoder } from './decode.js';

/** What a turn came to. Only `end_turn` is a completed answer, and not even that where the agent told of a failure. */
export async function outcomeOf(
  decoder: AcpDecoder,
  {
    way,
    schema,
  }: {
    readonly way: SchemaWay;
    /** The copy of the schema that a model's API takes. */
    readonly schema: OutgoingSchema | undefined;
  },
): Promise<Outcome> {
  const stop = decoder.stop();
  if (stop?.reason !== 'end_turn') {
    const why = stop?.error ?? reasons[stop?.reason ?? ''] ?? `it stopped (${stop?.reason})`;
    throw new KediError('AGENT_FAILED', `The agent did not complete its turn: ${why}`);
  }
  if (schema === undefined) return { kind: 'done' };
  if (way === 'claude-lines') {
    const claude = decoder.claudeDocument();
    if (claude === undefined) {
      throw new KediError(
        'RESULT_MISSING',
        'The agent ended without a document; it answered in words alone.',
      );
    }
    const document = schema.unwrap(claude.text);
    return claude.exact ? { kind: 'json', document } : { kind: 'json', document, parsed: true };
  }
  const messages = decoder.messages();
  if (way !== 'instruction') {
    const document = messages.at(-1);
    if (document === undefined) throw new KediError('RESULT_MISSING', 'The agent ended without a word.');
    return { kind: 'json', document };
  }
  return fromWords(messages);
}

/** The last message is the answer; an agent that sets none apart from another may have said it in pieces. */
async function fromWords(messages: readonly string[]): Promise<Outcome> {
  try {
    return await readAnswer(messages.at(-1) ?? '');
  } catch (error) {
    if (messages.length < 2) throw error;
    return readAnswer(messages.join('\n\n'));
  }
}

const reasons: Readonly<Record<string, string>> = {
  max_tokens: 'its answer was cut off (max_tokens).',
  max_turn_requests: 'it asked its model too often (max_turn_requests).',
  refusal: 'it refused to go on (refusal).',
  cancelled: 'it was cancelled.',
  error: 'its model failed.',
};

/** What went wrong in the conversation itself, in words that name the program. */
export function failureOf(
  error: unknown,
  { bin, end }: { readonly bin: string; readonly end: ProgramEnd | undefined },
): unknown {
  if (error instanceof KediError) return error;
  if (error instanceof RequestError) {
    const code = error.code === authRequired || error.code === 401 ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED';
    return new KediError(code, `${bin} failed: ${wordsOf(error)}`, { cause: error });
  }
  // The connection is over: the program's own end says more about it.
  if (end !== undefined) {
    return endedEarly(`${bin} broke off the conversation and`, { ...end, cause: error });
  }
  return error;
}

function wordsOf({ message, data }: RequestError): string {
  const details = isShape(data) ? (textAt(data, 'details') ?? textAt(data, 'message')) : undefined;
  return details === undefined ? message : `${message}: ${details}`;
}
