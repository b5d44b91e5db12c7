import type { FinishReason, OutputEvent } from '../../domain/agent.js';
import type { JsonText } from '../../domain/json.js';
import { type JsonLine, readJsonLine, type Shape, shapeAt, textAt } from '../kit/json-line.js';
import { blocksOf, exactInput, hasContent, isToolCall, isToolResult, toolResult } from './blocks.js';
import { openMessages } from './messages.js';
import { decodeSystem } from './system.js';

/** The tool by which Claude Code takes a document from its model. */
export const outputTool = 'StructuredOutput';

/** Reads the stream-json of one run of Claude Code, line by line. */
export interface ClaudeDecoder {
  /** What a line means; undefined where it is not understood. Never throws. */
  decode(line: Uint8Array): readonly OutputEvent[] | undefined;
  /** The last `result` line, or undefined as long as there was none. */
  result(): ClaudeResult | undefined;
  /** The last document that Claude Code took from its model. */
  document(): ClaudeDocument | undefined;
  /** Whether tasks go on in the background, so that more will be said after a result. */
  busy(): boolean;
}

export interface ClaudeResult {
  readonly ok: boolean;
  /** `success`, `error_max_turns` and the like. */
  readonly subtype: string;
  readonly text: string | undefined;
  readonly errors: readonly string[];
  /** HTTP status of the model's refusal. */
  readonly status: number | undefined;
}

/** `exact`: as the model wrote it, from its pieces; else only what Claude Code had parsed and printed again is left. */
export interface ClaudeDocument {
  readonly text: string;
  readonly exact: boolean;
}

/** Understood and silent: kinds of lines that make no event, and the parts of partial messages that carry no words. */
export const silentKinds: readonly string[] = [
  'stream_event/message_start',
  'stream_event/content_block_start',
  'stream_event/content_block_delta/text_delta, where it has no text',
  'stream_event/content_block_delta/thinking_delta, where it has no text',
  'stream_event/content_block_delta/input_json_delta',
  'stream_event/content_block_delta/signature_delta',
  'stream_event/content_block_stop',
  'stream_event/message_delta',
  'stream_event/message_stop',
  'stream_event/ping',
  'assistant, where its words were shown in pieces',
  'user, where it repeats what was asked',
  'result, held back for the end of the task',
  'control_response',
  'keep_alive',
  'tool_progress',
  'system/status, where it tells of a request to the model or has no text',
  'system/thinking_tokens',
  'system/ui_invalidate',
  'system/background_tasks_changed',
  'system/task_updated',
  'system/task_progress',
  'system/session_state_changed',
];

/** Begins with the first line of a run. */
export function claudeDecoder(): ClaudeDecoder {
  const messages = openMessages({ keepInputOf: outputTool });
  const parsedInputs = new Map<string, JsonText>();
  let model: string | undefined;
  let result: ClaudeResult | undefined;
  let accepted: string | undefined;
  let structuredOutput: JsonText | undefined;
  let background = 0;

  const assistant = (line: JsonLine, parent: string | undefined): readonly OutputEvent[] | undefined => {
    const message = shapeAt(line.shape, 'message');
    if (!hasContent(message)) return undefined;
    const by = parent === undefined ? {} : { parent };
    if (parent === undefined && typeof message.model === 'string' && message.model !== '<synthetic>') {
      model = message.model;
    }
    const events: OutputEvent[] = [];
    const say = (text: string): void => {
      // Claude Code words the API's refusals as if its model had said them.
      if (line.shape.is_api_error_message === true || line.shape.error !== undefined) {
        events.push({ type: 'status', status: 'api_error', text, ...by });
      } else if (text !== '' && !messages.wasShown('text', text, parent)) {
        const starts = messages.starts(textAt(message, 'id') ?? '', parent);
        events.push({ type: 'delta', text, ...(starts ? { startsMessage: true } : {}), ...by });
      }
    };
    if (typeof message.content === 'string') say(message.content);
    for (const [block, index] of blocksOf(message)) {
      if (block.type === 'text' && typeof block.text === 'string') {
        say(block.text);
      } else if (block.type === 'thinking' && typeof block.thinking === 'string') {
        const { thinking } = block;
        if (thinking !== '' && !messages.wasShown('thinking', thinking, parent)) {
          events.push({ type: 'raw', text: thinking, ...by });
        }
      } else if (isToolCall(block)) {
        const printed = line.exact('message', 'content', index, 'input');
        if (printed === undefined) return undefined;
        const input = exactInput(messages.input(block.id)) ?? printed;
        if (parent === undefined && block.name === outputTool) parsedInputs.set(block.id, printed);
        events.push({ type: 'tool_call', id: block.id, name: block.name, input, ...by });
      } else if (isToolResult(block)) {
        events.push(...toolResult(line, { block, index, by }));
      } else {
        events.push({ type: 'raw', text: line.exact('message', 'content', index) ?? '', ...by });
      }
    }
    return events;
  };

  const user = (line: JsonLine, parent: string | undefined): readonly OutputEvent[] | undefined => {
    const message = shapeAt(line.shape, 'message');
    const by = parent === undefined ? {} : { parent };
    if (line.shape.isReplay === true) return [];
    if (!hasContent(message)) return undefined;
    if (typeof message.content === 'string') {
      return [{ type: 'status', status: 'note', text: message.content, ...by }];
    }
    return blocksOf(message).flatMap(([block, index]): readonly OutputEvent[] => {
      if (block.type === 'text' && typeof block.text === 'string') {
        return [{ type: 'status', status: 'note', text: block.text, ...by }];
      }
      if (isToolResult(block)) {
        if (block.is_error !== true && parsedInputs.has(block.tool_use_id)) accepted = block.tool_use_id;
        return toolResult(line, { block, index, by });
      }
      return [{ type: 'raw', text: line.exact('message', 'content', index) ?? '', ...by }];
    });
  };

  const ended = (line: JsonLine): readonly OutputEvent[] => {
    const { shape } = line;
    const subtype = textAt(shape, 'subtype') ?? '';
    const ok = subtype === 'success' && shape.is_error !== true;
    const errors = Array.isArray(shape.errors) ? shape.errors.filter((each) => typeof each === 'string') : [];
    const status = typeof shape.api_error_status === 'number' ? shape.api_error_status : undefined;
    result = { ok, subtype, text: textAt(shape, 'result'), errors, status };
    structuredOutput = line.exact('structured_output');
    const usage = line.exact('usage');
    const costUsd = line.exact('total_cost_usd');
    return [
      {
        type: 'usage',
        finishReason: finishReason(shape, ok),
        ...(model === undefined ? {} : { model }),
        ...(usage === undefined ? {} : { usage }),
        ...(costUsd === undefined ? {} : { costUsd }),
        ...(ok && result.text !== undefined ? { text: result.text } : {}),
      },
    ];
  };

  return {
    decode(bytes) {
      const line = readJsonLine(bytes);
      if (line === undefined) return undefined;
      const { shape } = line;
      const parent = textAt(shape, 'parent_tool_use_id');
      switch (shape.type) {
        case 'stream_event':
          return messages.event(shapeAt(shape, 'event'), parent);
        case 'assistant':
          return assistant(line, parent);
        case 'user':
          return user(line, parent);
        case 'result':
          return ended(line);
        case 'system':
          if (shape.subtype === 'background_tasks_changed' && Array.isArray(shape.tasks)) {
            background = shape.tasks.length;
          }
          return decodeSystem(line);
        case 'rate_limit_event':
          return [
            {
              type: 'status',
              status: 'rate_limit',
              text: line.exact('rate_limit_info') ?? 'The model limits the rate of requests.',
            },
          ];
        case 'tool_use_summary':
          return [{ type: 'status', status: 'summary', text: textAt(shape, 'summary') ?? '' }];
        case 'control_response':
        case 'keep_alive':
        case 'tool_progress':
          return [];
        default:
          return undefined;
      }
    },
    result: () => result,
    document() {
      const exact = accepted === undefined ? undefined : messages.wholeInput(accepted);
      if (exact !== undefined) return { text: exact, exact: true };
      const printed = accepted === undefined ? structuredOutput : parsedInputs.get(accepted);
      return printed === undefined ? undefined : { text: printed, exact: false };
    },
    busy: () => background > 0,
  };
}

function finishReason({ stop_reason: reason }: Shape, ok: boolean): FinishReason {
  if (!ok) return 'error';
  switch (reason) {
    // With a document the last that the model did was to call the tool that takes it.
    case 'tool_use':
    case 'end_turn':
    case 'stop_sequence':
    case null:
    case undefined:
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'refusal':
      return 'content-filter';
    default:
      return 'other';
  }
}
