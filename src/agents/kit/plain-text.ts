import type { OutputEvent } from '../../domain/agent.js';

/** Takes a program's text as it comes, and gives deltas. */
export interface PlainText {
  /** What these bytes add to the answer: nothing where they end within a character, or in line breaks alone. */
  push(bytes: Uint8Array): readonly OutputEvent[];
}

/**
 * Makes the deltas of a program that answers in plain text, as it writes it, cut anywhere. Joined they are its text
 * exactly, without the line breaks at the very end (as `$(…)` in a shell drops them): each is held back until something
 * follows. A byte that is no UTF-8 becomes U+FFFD.
 */
export function plainText(): PlainText {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let heldBreaks = '';
  return {
    push(bytes) {
      const piece = decoder.decode(bytes, { stream: true });
      const length = lengthWithoutBreaks(piece);
      if (length === 0) {
        heldBreaks += piece;
        return [];
      }
      const text = heldBreaks + piece.slice(0, length);
      heldBreaks = piece.slice(length);
      return [{ type: 'delta', text }];
    },
  };
}

/** Counted from the end, since a pattern for it would look at every break of a long text. */
function lengthWithoutBreaks(text: string): number {
  let length = text.length;
  while (length > 0 && (text[length - 1] === '\n' || text[length - 1] === '\r')) length -= 1;
  return length;
}
