import type { Message } from '../../domain/message.js';

/**
 * What was said before in a context, in words, for an agent that keeps no conversation of its own; the oldest of it is
 * left out where it is long. Undefined: nothing was said.
 */
export function transcript(history: readonly Message[]): string | undefined {
  const said: string[] = [];
  let length = 0;
  for (const { role, parts } of history.toReversed()) {
    const text = parts
      .map((part) => (part.kind === 'text' ? part.text : part.kind === 'data' ? part.json : ''))
      .join('\n');
    length += text.length;
    if (length > longest) break;
    if (text !== '') said.unshift(`${role === 'user' ? 'User' : 'You'}: ${text}`);
  }
  return said.length === 0 ? undefined : `The conversation so far:\n\n${said.join('\n\n')}`;
}

/** In UTF-16 units. */
const longest = 200_000;
