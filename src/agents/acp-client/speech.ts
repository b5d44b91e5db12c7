import type { OutputEvent } from '../../domain/agent.js';
import { type JsonLine, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';

/** What an agent says, thinks and warns of, in updates of which some tell a piece and some the whole. */
export interface Speech {
  /** A piece of a message. `isWarning`: the agent says it, and not its model. */
  piece(line: JsonLine, isWarning: boolean): readonly OutputEvent[];
  /** A whole message or thought: nothing, where it was told in pieces. */
  whole(line: JsonLine, options: { readonly thinks: boolean }): readonly OutputEvent[];
  /** A piece of a thought. */
  thought(line: JsonLine): readonly OutputEvent[];
  warn(status: string, text: string): readonly OutputEvent[];
  /** What comes next begins another message, where messages have no names. */
  interrupt(): void;
  /** What was said, message by message, exactly. */
  messages(): readonly string[];
  lastWarning(): string | undefined;
  /** The last piece of a message, as it came. */
  lastPiece(): string | undefined;
}

export function openSpeech(): Speech {
  const messages: string[] = [];
  /** The message that speaks; null: the next words begin one. */
  let speaking: string | undefined | null = null;
  let thinking: string | undefined;
  let lastWarning: string | undefined;
  let lastPiece: string | undefined;

  const say = (text: string, id: string | undefined): readonly OutputEvent[] => {
    if (text === '') return [];
    const startsMessage = speaking === null || speaking !== id;
    if (startsMessage) messages.push('');
    speaking = id;
    messages.push(`${messages.pop() ?? ''}${text}`);
    lastPiece = text;
    return [{ type: 'delta', text, ...(startsMessage ? { startsMessage } : {}) }];
  };

  const warn = (status: string, text: string): readonly OutputEvent[] => {
    lastWarning = text.trim();
    return [{ type: 'status', status, text: lastWarning }];
  };

  return {
    piece(line, isWarning) {
      const update = updateOf(line);
      const content = shapeAt(update, 'content');
      const text = content.type === 'text' ? textAt(content, 'text') : undefined;
      if (text === undefined) return [{ type: 'raw', text: contentOf(line) }];
      return isWarning ? warn('warning', text) : say(text, textAt(update, 'messageId'));
    },
    whole(line, { thinks }) {
      const update = updateOf(line);
      const id = textAt(update, 'messageId');
      const parts = shapesAt(update, 'content');
      const text = parts.map(([part]) => textAt(part, 'text') ?? '').join('');
      const others = parts.flatMap(([part, index]): OutputEvent[] =>
        textAt(part, 'text') === undefined
          ? [{ type: 'raw', text: line.exact('params', 'update', 'content', index) ?? '' }]
          : [],
      );
      if (thinks) return text === '' || thinking === id ? others : [{ type: 'raw', text }, ...others];
      return messages.at(-1) === text && speaking === id ? others : [...say(text, id), ...others];
    },
    thought(line) {
      const update = updateOf(line);
      thinking = textAt(update, 'messageId');
      return [{ type: 'raw', text: textAt(shapeAt(update, 'content'), 'text') ?? contentOf(line) }];
    },
    warn,
    interrupt: () => {
      speaking = null;
    },
    messages: () => messages,
    lastWarning: () => lastWarning,
    lastPiece: () => lastPiece,
  };
}

/** The update that a `session/update` tells. */
export const updateOf = ({ shape }: JsonLine): Shape => shapeAt(shapeAt(shape, 'params'), 'update');

/** The content of an update that is no words, as it was written; the whole update where it has none. */
export const contentOf = (line: JsonLine): string =>
  line.exact('params', 'update', 'content') ?? line.exact('params', 'update') ?? '';
