import { type Answer, isObject, type Json, objects, type Protocol, pieces, string } from './answer.js';
import type { ModelMessage, ModelRequest } from './script.js';

/** OpenAI Chat Completions, as vLLM, Ollama, llama.cpp and the gateways speak it. */
export const chatCompletions: Protocol = {
  read(path, body) {
    if (!path.endsWith('/chat/completions')) return undefined;
    const request: unknown = JSON.parse(body);
    if (!isObject(request)) return undefined;
    return {
      protocol: 'chat-completions',
      model: string(request.model),
      streams: request.stream === true,
      tools: objects(request.tools).map((tool) =>
        isObject(tool.function) ? string(tool.function.name) : '',
      ),
      messages: objects(request.messages).map(readMessage),
    };
  },

  *events(answer, request) {
    yield chunk(request, { choices: [choice({ role: 'assistant', content: '' })] });
    for (const text of pieces(answer.thinking ?? '')) {
      yield chunk(request, { choices: [choice({ reasoning_content: text })] });
    }
    for (const text of pieces(answer.text)) yield chunk(request, { choices: [choice({ content: text })] });
    for (const [index, call] of answer.calls.entries()) {
      const named = { index, id: `call_${request.number}_${index}`, type: 'function' };
      yield chunk(request, {
        choices: [choice({ tool_calls: [{ ...named, function: { name: call.name, arguments: '' } }] })],
      });
      for (const text of pieces(call.input)) {
        yield chunk(request, {
          choices: [choice({ tool_calls: [{ index, function: { arguments: text } }] })],
        });
      }
    }
    yield chunk(request, { choices: [{ index: 0, delta: {}, finish_reason: finishReason(answer) }] });
    const body: unknown = JSON.parse(request.body);
    const options = isObject(body) && isObject(body.stream_options) ? body.stream_options : {};
    if (options.include_usage === true) yield chunk(request, { choices: [], usage });
    yield { data: '[DONE]' };
  },

  whole(answer, request) {
    const calls = answer.calls.map((call, index) => ({
      id: `call_${request.number}_${index}`,
      type: 'function',
      function: { name: call.name, arguments: call.input },
    }));
    const message = {
      role: 'assistant',
      content: answer.text,
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
    return JSON.stringify({
      id: answerId(request),
      object: 'chat.completion',
      created: 1,
      model: request.model,
      choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
      usage,
    });
  },

  error: (status, message) =>
    JSON.stringify({ error: { message, type: `http_${status}`, param: null, code: null } }),
};

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

/** A harness that keeps messages by their ids must not take one answer for another. */
const answerId = (request: ModelRequest): string => `chatcmpl-${request.number}`;

const choice = (delta: Json) => ({ index: 0, delta, finish_reason: null });

const chunk = (request: ModelRequest, rest: Json) => ({
  data: JSON.stringify({
    id: answerId(request),
    object: 'chat.completion.chunk',
    created: 1,
    model: request.model,
    ...rest,
  }),
});

function finishReason(answer: Answer): string {
  if (answer.calls.length > 0) return 'tool_calls';
  return answer.finish === 'content-filter' ? 'content_filter' : answer.finish;
}

function readMessage(message: Json): ModelMessage {
  const { content } = message;
  const text =
    typeof content === 'string'
      ? content
      : objects(content)
          .map((part) => string(part.text))
          .join('');
  const role = string(message.role);
  if (role === 'tool' || role === 'user' || role === 'assistant') return { role, text };
  return { role: 'system', text };
}
