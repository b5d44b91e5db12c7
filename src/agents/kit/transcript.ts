import type { Message } from '../../domain/message.js';
import { wordsOf } from './chat-messages.js';

/**
 * What was said before in a context, in words, for an agent that keeps no conversation of its own; the oldest of it is
 * left out where it is long. Undefined: nothing was said.
 */
export function transcript(history: readonly Message[]): string | undefined {
  const said: string[] = [];
  let length = 0;
  for (const { role, parts } of history.toReversed()) {
    const text = wordsOf(parts);
    length += text.length;
    if (length > longest) break;
    if (text !== '') said.unshift(`${role === 'user' ? 'User' : 'You'}: ${text}`);
  }
  return said.length === 0 ? undefined : `The conversation so far:\n\n${said.join('\n\n')}`;
}

/** In UTF-16 units. */
const longest = 200_000;
