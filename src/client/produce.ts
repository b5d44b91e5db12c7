import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { OutputSchema } from '../domain/schema.js';
import {
  KEDI_STRUCTURED_OUTPUT_URI,
  type Offer,
  readOffer,
  readResult,
  writeStructuredRequest,
} from '../protocol/structured-output.js';
import type { StreamEvent } from '../protocol/task-fold.js';
import { completedTask, last, orderOf, type Question, type Request } from './ask.js';
import { type Peer, peerName } from './peer.js';
import { type Order, runTurn } from './turn.js';

/** A typed answer: the document exactly as the peer sent it, checked here too; or the peer has a question first. */
export type Product =
  | {
      readonly kind: 'document';
      readonly document: JsonText;
      readonly contextId: string;
      readonly taskId: string;
    }
  | Question;

/** What is asked, and the schema that the answer must fulfil. */
export interface TypedRequest extends Request {
  readonly schema: OutputSchema;
  /** A larger document is RESULT_TOO_LARGE; 8 MiB unless said. */
  readonly maxResultBytes?: number;
}

/**
 * Asks a peer for a document that fulfils a schema (Kedi structured output v1). Before anything is sent: KediError
 * PEER_UNSUITABLE where the peer does not offer it, SCHEMA_TOO_LARGE over its limit, SCHEMA_LOSSY where it knows only
 * the older encoding and the schema's numbers do not fit into it. A task that fails is thrown under the peer's code, a
 * document that is missing or does not fulfil the schema as `RESULT_…`; an abort of `signal` cancels the task.
 */
export const produce = (peer: Peer, request: TypedRequest, signal: AbortSignal): Promise<Product> =>
  last(produceLive(peer, request, signal));

/** As `produce`, and yields what the peer tells of its progress, none of which is the result. */
export async function* produceLive(
  peer: Peer,
  request: TypedRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent, Product, void> {
  const { schema, maxResultBytes } = request;
  const order: Order = {
    ...orderOf(request),
    acceptedOutputModes: ['application/json'],
    extensions: [KEDI_STRUCTURED_OUTPUT_URI],
    metadata: writeStructuredRequest(schema.text, offerOf(peer)),
  };
  const end = yield* runTurn(peer, order, signal);
  if (end.kind === 'message') {
    throw new KediError('RESULT_MISSING', `${peerName(peer.card)} answered a typed request with a message.`);
  }
  const task = completedTask(end.task);
  if ('kind' in task) return task;
  const document = readResult(
    task.artifacts,
    maxResultBytes === undefined ? {} : { maxBytes: maxResultBytes },
  );
  const verdict = await schema.check(document);
  const place = { taskId: task.id, contextId: task.contextId };
  if (verdict.ok) return { kind: 'document', document: verdict.json, ...place };
  const { pointer, message } = verdict.violation;
  throw new KediError(verdict.code, `The peer's document does not fulfil the schema: ${message}`, {
    pointer,
    info: place,
  });
}

function offerOf({ card }: Peer): Offer {
  if (card.extensions.has(KEDI_STRUCTURED_OUTPUT_URI)) {
    return readOffer(card.extensions.get(KEDI_STRUCTURED_OUTPUT_URI));
  }
  throw new KediError(
    'PEER_UNSUITABLE',
    `${peerName(card)} does not offer typed answers (${KEDI_STRUCTURED_OUTPUT_URI}).`,
  );
}
