import type { Outcome } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import type { OutgoingSchema } from '../kit/outgoing-schema.js';
import { endedEarly, type ProgramEnd } from '../kit/run-program.js';
import type { CodexDecoder } from './decode.js';

/** What a run of the program came to. */
export type Ran = ProgramEnd & { readonly decoder: CodexDecoder };

/** Codex says so on stderr alone, before its first line. */
export const isUnknownSession = ({ decoder, errors }: Ran): boolean =>
  decoder.turn() === undefined && /no rollout found for thread id/.test(errors);

/** Its exit code says nothing: `turn.failed` comes with 0 too, and so does prose where a document was asked for. */
export function outcomeOf(ran: Ran, schema: OutgoingSchema | undefined): Outcome {
  const turn = ran.decoder.turn();
  if (turn === undefined) {
    throw endedEarly('Codex did not bring its turn to an end and', ran);
  }
  if (!turn.ok) {
    const code = /unexpected status 40[13]/.test(turn.message) ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED';
    throw new KediError(code, `Codex failed: ${turn.message}`);
  }
  if (schema === undefined) return { kind: 'done' };
  const document = ran.decoder.lastMessage();
  if (document === undefined) throw new KediError('RESULT_MISSING', 'Codex ended without a word.');
  return { kind: 'json', document: schema.unwrap(document) };
}
