import { isShape, shapeAt, textAt } from '../kit/json-line.js';

/** What is kept of a context of ours: the peer's name for it, and the tasks of the peer that wait for an answer. */
export interface Conversation {
  readonly contextId: string | undefined;
  /** The peer's task that asked, by the id of the task of ours that waits because of it. */
  readonly asked: Readonly<Record<string, string>>;
}

/** More questions than these are not left open; the oldest is then asked anew. */
const mostAsked = 32;

/** Reads what `writeConversation` wrote; nothing was kept: an empty conversation. */
export function readConversation(session: string | undefined): Conversation {
  if (session === undefined) return { contextId: undefined, asked: {} };
  const kept: unknown = session.startsWith('{') ? JSON.parse(session) : { contextId: session };
  if (!isShape(kept)) return { contextId: undefined, asked: {} };
  const asked = Object.entries(shapeAt(kept, 'asked')).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return { contextId: textAt(kept, 'contextId'), asked: Object.fromEntries(asked) };
}

/** The conversation as the name of a session: the peer's context id as it is, as long as there is no more to keep. */
export function writeConversation({ contextId, asked }: Conversation): string {
  const open = Object.entries(asked).slice(-mostAsked);
  if (open.length === 0 && contextId !== undefined && !contextId.startsWith('{')) return contextId;
  return JSON.stringify({ contextId, asked: Object.fromEntries(open) });
}

/** The conversation once the peer's task has asked on behalf of ours, or no longer does. */
export function withQuestion(
  { contextId, asked }: Conversation,
  { taskId, question }: { readonly taskId: string; readonly question: string | undefined },
): Conversation {
  const { [taskId]: _, ...others } = asked;
  return { contextId, asked: question === undefined ? others : { ...others, [taskId]: question } };
}
