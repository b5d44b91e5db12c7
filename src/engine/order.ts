import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import type { Message, Part } from '../domain/message.js';
import type { OutputSchema } from '../domain/schema.js';
import type { Entry, StructuredRequest } from '../domain/task.js';

/** What a client asks of the agent with one message. */
export interface Order {
  readonly principal: string;
  readonly contextId: string;
  /** The server has made up the context for this very order: nothing is kept of it yet. */
  readonly contextIsNew: boolean;
  readonly message: Message;
  /** `SendMessageRequest.metadata`. */
  readonly metadata: JsonText | undefined;
  readonly acceptedOutputModes: readonly string[];
  /** The typed request, its schema already accepted; undefined: a text request. */
  readonly structured: (StructuredRequest & { readonly output: OutputSchema }) | undefined;
  /** Why the request cannot be carried out: its task is opened and fails at once, and no agent runs. */
  readonly refusal: KediError | undefined;
}

/** What the agent is asked: the text parts, then the data parts as JSON, a blank line between. */
export const promptOf = (parts: readonly Part[]): string => {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return only.text;
  return [
    ...parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])),
    ...parts.flatMap((part) => (part.kind === 'data' ? [part.json] : [])),
  ].join('\n\n');
};

/** Why this order cannot be carried out, if it cannot: it says so itself, or its prompt is over the bound. */
export function refusalOf(order: Order, promptBytes: number): KediError | undefined {
  if (order.refusal !== undefined) return order.refusal;
  const bytes = Buffer.byteLength(promptOf(order.message.parts));
  if (bytes <= promptBytes) return undefined;
  return new KediError(
    'REQUEST_MALFORMED',
    `The prompt has ${bytes} bytes; ${promptBytes} are the most that is taken.`,
  );
}

/** The entry with which the order stands in its task's log; a follow-up leaves the typed request to the first one. */
export function messageEntry(order: Order, at: number): Entry {
  const { message, metadata, acceptedOutputModes } = order;
  if (order.structured === undefined) return { type: 'message', at, message, acceptedOutputModes, metadata };
  const { schema, resultEncoding } = order.structured;
  const structured = { schema, resultEncoding };
  return { type: 'message', at, message, acceptedOutputModes, metadata, structured };
}
