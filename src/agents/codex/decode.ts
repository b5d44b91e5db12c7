import type { OutputEvent } from '../../domain/agent.js';
import { readJsonLine, shapeAt, textAt } from '../kit/json-line.js';
import { decodeItem } from './item.js';

/** Reads the JSON Lines of one run of `codex exec --json`. */
export interface CodexDecoder {
  /** What a line means; undefined where it is not understood. Never throws. */
  decode(line: Uint8Array): readonly OutputEvent[] | undefined;
  /** The last thing it said, exactly. */
  lastMessage(): string | undefined;
  /** How the turn ended; undefined as long as it has not. */
  turn(): { readonly ok: true } | { readonly ok: false; readonly message: string } | undefined;
}

const calls = ['command_execution', 'file_change', 'mcp_tool_call', 'collab_tool_call', 'web_search'];

/** Understood and silent: kinds of lines that make no event, and when. */
export const silentKinds: readonly string[] = [
  'turn.started',
  'turn.completed, held back for the end of the task',
  'turn.failed, told at the end of the task',
  'item.started/agent_message',
  'item.started/reasoning',
  ...calls.map((call) => `item.started/${call}, where it was told before`),
  'item.updated/agent_message',
  'item.updated/reasoning',
  ...calls.map((call) => `item.updated/${call}, whose end is still to come`),
  'item.completed/agent_message, where it has no text',
  'item.completed/reasoning, where it has no text',
];

export function codexDecoder(): CodexDecoder {
  let lastMessage: string | undefined;
  let turn: ReturnType<CodexDecoder['turn']>;
  const called = new Set<string>();
  return {
    decode(bytes) {
      const line = readJsonLine(bytes);
      if (line === undefined) return undefined;
      const { shape } = line;
      switch (shape.type) {
        case 'thread.started': {
          const id = textAt(shape, 'thread_id');
          if (id === undefined) return undefined;
          return [
            { type: 'session', id },
            { type: 'status', status: 'init', text: 'Session begun.' },
          ];
        }
        case 'turn.started':
          return [];
        case 'turn.completed': {
          turn = { ok: true };
          const usage = line.exact('usage');
          return [{ type: 'usage', finishReason: 'stop', ...(usage === undefined ? {} : { usage }) }];
        }
        case 'turn.failed': {
          turn = {
            ok: false,
            message: plain(textAt(shapeAt(shape, 'error'), 'message') ?? 'no reason given'),
          };
          return [{ type: 'usage', finishReason: 'error' }];
        }
        case 'error': {
          const text = plain(textAt(shape, 'message') ?? '');
          return [{ type: 'status', status: text.startsWith('Reconnecting') ? 'retry' : 'error', text }];
        }
        case 'item.started':
        case 'item.updated':
        case 'item.completed': {
          const item = shapeAt(shape, 'item');
          const completed = shape.type === 'item.completed';
          if (completed && item.type === 'agent_message') lastMessage = textAt(item, 'text') ?? lastMessage;
          return decodeItem(line, { completed, called });
        }
        default:
          return undefined;
      }
    },
    lastMessage: () => lastMessage,
    turn: () => turn,
  };
}

/** A model's refusal comes as the JSON body of its answer: what it says in words is enough. */
function plain(message: string): string {
  const body = readJsonLine(Buffer.from(message));
  const error = body === undefined ? undefined : shapeAt(body.shape, 'error');
  return (error && textAt(error, 'message')) ?? message;
}
