import { KediError } from '../domain/errors.js';
import type { SchemaJudge } from '../domain/schema.js';
import type { StructuredRequest } from '../domain/task.js';
import type { Order } from '../engine/index.js';
import type { SendMessageRequest } from '../protocol/a2a-read.js';
import { invalidParams } from '../protocol/fields.js';
import { readStructuredRequest } from '../protocol/structured-output.js';
import { acceptParts } from './input-modes.js';
import type { Offering } from './offering.js';
import type { CallContext } from './service.js';

/**
 * What a message orders of the engine. What is wrong with a typed request is in the order as its refusal: the task is
 * opened and fails (Kedi structured output v1). A part that the agent cannot take: KediError CONTENT_TYPE_NOT_SUPPORTED.
 */
export async function readOrder(
  request: SendMessageRequest,
  {
    context,
    contextId,
    judge,
    offering,
  }: {
    readonly context: CallContext;
    readonly contextId: string;
    readonly judge: SchemaJudge;
    readonly offering: Pick<Offering, 'inputModes' | 'structured'>;
  },
): Promise<Order> {
  acceptParts(request.message.parts, offering.inputModes);
  const typed = await readTyped(request, context, { judge, offering });
  return orderOf(request, { context, contextId, typed });
}

/**
 * What a follow-up orders. The task keeps what its first message asked for (`asked`); another schema or encoding in the
 * follow-up is KediError INVALID_PARAMS, and leaves the task as it is.
 */
export function readFollowUp(
  request: SendMessageRequest,
  {
    context,
    contextId,
    asked,
    offering,
  }: {
    readonly context: CallContext;
    readonly contextId: string;
    readonly asked: StructuredRequest | undefined;
    readonly offering: Pick<Offering, 'inputModes' | 'structured'>;
  },
): Order {
  acceptParts(request.message.parts, offering.inputModes);
  const again = readAgain(request, context);
  if (
    again !== undefined &&
    (again.schema !== asked?.schema || again.resultEncoding !== asked.resultEncoding)
  ) {
    throw differs('asks for something else than the message that opened the task');
  }
  return orderOf(request, { context, contextId, typed: {} });
}

type Typed = Partial<Pick<Order, 'structured' | 'refusal'>>;

// Written out, and so is what it is made of, since spreads cost more than all else here.
const orderOf = (
  { message, metadata, acceptedOutputModes }: SendMessageRequest,
  {
    context,
    contextId,
    typed,
  }: { readonly context: CallContext; readonly contextId: string; readonly typed: Typed },
): Order => ({
  principal: context.caller.principal,
  contextId,
  contextIsNew: message.contextId === undefined && message.taskId === undefined,
  message,
  metadata,
  acceptedOutputModes,
  structured: typed.structured,
  refusal: typed.refusal,
});

async function readTyped(
  request: SendMessageRequest,
  context: CallContext,
  {
    judge,
    offering,
  }: { readonly judge: SchemaJudge; readonly offering: Pick<Offering, 'inputModes' | 'structured'> },
): Promise<Typed> {
  try {
    const asked = readKedi(request, context);
    if (asked === undefined) return {};
    if (offering.structured === 'none') {
      throw new KediError('UNSUPPORTED', 'This agent gives no typed answers; its card does not offer them.');
    }
    const { schema, resultEncoding } = asked;
    const output = await judge.compile(schema);
    return { structured: { schema, resultEncoding, output } };
  } catch (error) {
    if (error instanceof KediError && endsTask(error)) return { refusal: error };
    throw error;
  }
}

const endsTask = ({ code }: KediError): boolean =>
  code === 'REQUEST_MALFORMED' || code === 'UNSUPPORTED' || code.startsWith('SCHEMA_');

function readAgain(request: SendMessageRequest, context: CallContext): StructuredRequest | undefined {
  try {
    return readKedi(request, context);
  } catch (error) {
    if (error instanceof KediError && endsTask(error)) throw differs(`is wrong: ${error.message}`);
    throw error;
  }
}

function readKedi(request: SendMessageRequest, context: CallContext): StructuredRequest | undefined {
  if (request.flawedMetadata !== undefined) {
    const sentence = `The request's metadata cannot be read: ${request.flawedMetadata}.`;
    throw new KediError('REQUEST_MALFORMED', sentence, { pointer: '/metadata' });
  }
  return readStructuredRequest({
    metadata: request.metadata,
    messageExtensions: request.message.extensions,
    headerExtensions: context.extensions,
    acceptedOutputModes: request.acceptedOutputModes,
  });
}

const differs = (description: string): KediError =>
  invalidParams([{ field: 'metadata.kediStructuredOutput', description }]);
