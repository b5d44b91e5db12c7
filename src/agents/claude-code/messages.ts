import type { OutputEvent } from '../../domain/agent.js';
import { isShape, type Shape, shapeAt, textAt } from '../kit/json-line.js';

/** The partial messages of a run: what was already said in pieces, and the exact text of what tools were given. */
export interface Messages {
  /** What a `stream_event` means; undefined where it is not understood. */
  event(event: Shape, parent: string | undefined): readonly OutputEvent[] | undefined;
  /** Whether a block of the completed message was shown in pieces before. */
  wasShown(block: 'text' | 'thinking', text: string, parent: string | undefined): boolean;
  /** Whether nothing was said yet of this message; asking makes it so no more. */
  starts(messageId: string, parent: string | undefined): boolean;
  /** The input of a tool call, joined from its pieces as the model wrote them, so far as they came. */
  input(callId: string): string | undefined;
  /** The same, once the model's message was complete: what is cut off by a lost connection never is. */
  wholeInput(callId: string): string | undefined;
}

interface Message {
  readonly id: string;
  said: boolean;
  complete: boolean;
  readonly blocks: Map<number, Block>;
}

type Block =
  | { readonly type: 'text' | 'thinking'; text: string }
  | { readonly type: 'tool'; readonly id: string; json: string };

/** `keepInputOf`: the tool whose inputs are kept to the end of the run, beyond their own message. */
export function openMessages({ keepInputOf }: { readonly keepInputOf: string }): Messages {
  // One message at a time for each who speaks: the agent itself ('') and its subagents by their tool call.
  const speaking = new Map<string, Message>();
  const inputs = new Map<string, string>();
  const kept = new Set<string>();
  const whole = new Map<string, string>();

  const begin = (id: string, parent: string | undefined): Message => {
    const message: Message = { id, said: false, complete: false, blocks: new Map() };
    speaking.set(parent ?? '', message);
    return message;
  };

  const blockStart = (message: Message, { index, content_block: content }: Shape): void => {
    if (typeof index !== 'number' || !isShape(content)) return;
    const id = textAt(content, 'id');
    if (content.type === 'text' || content.type === 'thinking') {
      message.blocks.set(index, { type: content.type, text: '' });
    } else if (id !== undefined) {
      message.blocks.set(index, { type: 'tool', id, json: '' });
      if (content.name === keepInputOf) kept.add(id);
    }
  };

  const blockDelta = (
    message: Message,
    event: Shape,
    parent: string | undefined,
  ): readonly OutputEvent[] | undefined => {
    const block = typeof event.index === 'number' ? message.blocks.get(event.index) : undefined;
    const delta = shapeAt(event, 'delta');
    const by = parent === undefined ? {} : { parent };
    switch (delta.type) {
      case 'text_delta': {
        const text = textAt(delta, 'text') ?? '';
        if (block?.type === 'text') block.text += text;
        if (text === '') return [];
        const startsMessage = !message.said;
        message.said = true;
        return [{ type: 'delta', text, ...(startsMessage ? { startsMessage } : {}), ...by }];
      }
      case 'thinking_delta': {
        const text = textAt(delta, 'thinking') ?? '';
        if (block?.type === 'thinking') block.text += text;
        return text === '' ? [] : [{ type: 'raw', text, ...by }];
      }
      case 'input_json_delta':
        if (block?.type === 'tool') {
          block.json += textAt(delta, 'partial_json') ?? '';
          inputs.set(block.id, block.json);
        }
        return [];
      case 'signature_delta':
        return [];
      default:
        return undefined;
    }
  };

  return {
    event(event, parent) {
      if (event.type === 'message_start') {
        begin(textAt(shapeAt(event, 'message'), 'id') ?? '', parent);
        if (parent === undefined) for (const id of inputs.keys()) if (!kept.has(id)) inputs.delete(id);
        return [];
      }
      const message = speaking.get(parent ?? '') ?? begin('', parent);
      switch (event.type) {
        case 'content_block_start':
          blockStart(message, event);
          return [];
        case 'content_block_delta':
          return blockDelta(message, event, parent);
        case 'message_delta':
          message.complete = true;
          for (const block of message.blocks.values()) {
            if (block.type === 'tool' && kept.has(block.id)) whole.set(block.id, block.json);
          }
          return [];
        case 'message_stop': {
          if (!message.said || message.complete) return [];
          const text = 'The model broke off here; what it says next is said anew.';
          return [
            { type: 'status', status: 'broken_off', text, ...(parent === undefined ? {} : { parent }) },
          ];
        }
        case 'content_block_stop':
        case 'ping':
          return [];
        default:
          return undefined;
      }
    },
    wasShown(type, text, parent) {
      const blocks = speaking.get(parent ?? '')?.blocks.values() ?? [];
      return [...blocks].some((block) => block.type === type && block.text === text);
    },
    starts(messageId, parent) {
      const present = speaking.get(parent ?? '');
      const message = present?.id === messageId ? present : begin(messageId, parent);
      const starts = !message.said;
      message.said = true;
      return starts;
    },
    input: (callId) => inputs.get(callId),
    wholeInput: (callId) => whole.get(callId),
  };
}
