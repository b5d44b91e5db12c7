import {
  type Answer,
  isObject,
  type Json,
  objects,
  type Protocol,
  pieces,
  type ServerEvent,
  spliced,
  string,
} from './answer.js';
import type { ModelMessage, ModelRequest } from './script.js';

/** Anthropic Messages. */
export const anthropic: Protocol = {
  read(path, body) {
    if (!path.endsWith('/v1/messages')) return undefined;
    const request: unknown = JSON.parse(body);
    if (!isObject(request)) return undefined;
    return {
      protocol: 'anthropic',
      model: string(request.model),
      streams: request.stream === true,
      tools: objects(request.tools).map((tool) => string(tool.name)),
      messages: objects(request.messages).flatMap(readMessage),
    };
  },

  *events(answer, request) {
    yield event('message_start', { message: { ...opening(request), content: [], stop_reason: null, usage } });
    let index = 0;
    if (answer.thinking !== undefined) {
      yield* block(
        index++,
        { type: 'thinking', thinking: '', signature: '' },
        pieces(answer.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      );
    }
    if (answer.text !== '') {
      yield* block(
        index++,
        { type: 'text', text: '' },
        pieces(answer.text).map((text) => ({ type: 'text_delta', text })),
      );
    }
    for (const call of answer.calls) {
      const named = { type: 'tool_use', id: toolId(request, index), name: call.name, input: {} };
      yield* block(
        index++,
        named,
        pieces(call.input).map((text) => ({ type: 'input_json_delta', partial_json: text })),
      );
    }
    yield event('message_delta', {
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: { output_tokens: 7 },
    });
    yield event('message_stop', {});
  },

  whole(answer, request) {
    const slots: Record<string, string> = {};
    const content: Json[] = answer.text === '' ? [] : [{ type: 'text', text: answer.text }];
    for (const call of answer.calls) {
      const slot = `@@input-${content.length}@@`;
      slots[slot] = call.input;
      content.push({ type: 'tool_use', id: toolId(request, content.length), name: call.name, input: slot });
    }
    return spliced({ ...opening(request), content, stop_reason: stopReason(answer), usage }, slots);
  },

  error: (status, message) =>
    JSON.stringify({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message } }),

  outputTool: (request) => request.tools.find((name) => name === 'StructuredOutput'),
};

const usage = {
  input_tokens: 11,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const opening = (request: ModelRequest) => ({
  id: `msg_${request.number}`,
  type: 'message',
  role: 'assistant',
  model: request.model,
  stop_sequence: null,
});

// A harness pairs calls with results by their ids.
const toolId = (request: ModelRequest, index: number) => `toolu_${request.number}_${index}`;

function stopReason(answer: Answer): string {
  if (answer.calls.length > 0) return 'tool_use';
  if (answer.finish === 'length') return 'max_tokens';
  return answer.finish === 'content-filter' ? 'refusal' : 'end_turn';
}

const event = (type: string, rest: Json): ServerEvent => ({
  event: type,
  data: JSON.stringify({ type, ...rest }),
});

function* block(index: number, content: Json, deltas: readonly Json[]): Generator<ServerEvent> {
  yield event('content_block_start', { index, content_block: content });
  for (const delta of deltas) yield event('content_block_delta', { index, delta });
  yield event('content_block_stop', { index });
}

/** A message whose content mixes a tool's results with words counts as several. */
function readMessage(message: Json): readonly ModelMessage[] {
  const role = message.role === 'assistant' ? 'assistant' : 'user';
  if (typeof message.content === 'string') return [{ role, text: message.content }];
  return objects(message.content).flatMap((part): readonly ModelMessage[] => {
    if (part.type === 'text') return [{ role, text: string(part.text) }];
    if (part.type === 'tool_use') return [{ role, text: '' }];
    if (part.type !== 'tool_result') return [];
    const text = typeof part.content === 'string' ? part.content : JSON.stringify(part.content ?? '');
    return [{ role: 'tool', text, failed: part.is_error === true }];
  });
}
