import type { Outcome } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import type { OutgoingSchema } from '../kit/outgoing-schema.js';
import { endedEarly, type ProgramEnd } from '../kit/run-program.js';
import type { ClaudeDecoder, ClaudeResult } from './decode.js';

/** What a run of the program came to. */
export type Ran = ProgramEnd & { readonly decoder: ClaudeDecoder };

/** Claude Code names a session that it does not know in a result of its own, before it asks any model. */
export const isUnknownSession = (result: ClaudeResult | undefined): boolean =>
  result !== undefined && !result.ok && result.errors.some((error) => /^No conversation found/i.test(error));

/** Neither its exit code nor `subtype: success` alone says that a run was one. */
export function outcomeOf(ran: Ran, schema: OutgoingSchema | undefined): Outcome {
  const { decoder, spoke } = ran;
  const result = decoder.result();
  if (result === undefined) {
    throw endedEarly('Claude Code gave no result and', ran);
  }
  if (!result.ok) throw failureOf(result);
  if (schema === undefined) {
    return spoke || result.text === undefined ? { kind: 'done' } : { kind: 'text', text: result.text };
  }
  const document = decoder.document();
  if (document === undefined) {
    throw new KediError(
      'RESULT_MISSING',
      'Claude Code ended without a document; it answered in words alone.',
    );
  }
  const text = schema.unwrap(document.text);
  return document.exact ? { kind: 'json', document: text } : { kind: 'json', document: text, parsed: true };
}

function failureOf({ subtype, text, errors, status }: ClaudeResult): KediError {
  const why = errors.join(' ') || text || subtype;
  if (subtype === 'error_max_structured_output_retries') {
    return new KediError('RESULT_INVALID', `Claude Code gave up on the document: ${why}`);
  }
  const code = status === 401 || status === 403 ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED';
  return new KediError(code, `Claude Code failed: ${why}`, {
    info: { subtype, ...(status === undefined ? {} : { status: String(status) }) },
  });
}
