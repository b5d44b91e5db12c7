import type { Message, Part } from '../../domain/message.js';

/** One message in the way that every chat model takes it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/**
 * What a model is told that keeps no conversation: the operator's instructions, what was said before, and the prompt.
 * Neighbours of one role become one message, since some models take roles in turn alone.
 */
export function chatMessages({
  system,
  history,
  prompt,
}: {
  readonly system: string | undefined;
  readonly history: readonly Message[];
  readonly prompt: string;
}): readonly ChatMessage[] {
  const messages: ChatMessage[] = system === undefined ? [] : [{ role: 'system', content: system }];
  const add = (message: ChatMessage): void => {
    const last = messages.at(-1);
    if (last?.role !== message.role) messages.push(message);
    else messages.splice(-1, 1, { ...last, content: `${last.content}\n\n${message.content}` });
  };
  for (const { role, parts } of history) {
    const content = wordsOf(parts);
    if (content !== '') add({ role: role === 'user' ? 'user' : 'assistant', content });
  }
  add({ role: 'user', content: prompt });
  return messages;
}

/** What a message says in words: its text, its data, and documents that it carries as bytes; other files do not count. */
export const wordsOf = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => {
      if (part.kind === 'text') return [part.text];
      if (part.kind === 'data') return [part.json];
      const readable = /^(text\/|application\/json\b)/.test(part.mediaType ?? '');
      return part.kind === 'raw' && readable ? [Buffer.from(part.bytes).toString()] : [];
    })
    .join('\n\n');
