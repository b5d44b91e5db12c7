import { type Answer, isObject, type Json, objects, type Protocol, pieces, string } from './answer.js';
import type { ModelMessage, ModelRequest } from './script.js';

/** OpenAI Responses. */
export const responses: Protocol = {
  read(path, body) {
    if (!path.endsWith('/responses')) return undefined;
    const request: unknown = JSON.parse(body);
    if (!isObject(request)) return undefined;
    return {
      protocol: 'responses',
      model: string(request.model),
      streams: request.stream === true,
      tools: objects(request.tools).map((tool) => string(tool.name) || string(tool.type)),
      messages:
        typeof request.input === 'string'
          ? [{ role: 'user', text: request.input }]
          : objects(request.input).flatMap(readItem),
    };
  },

  *events(answer, request) {
    const id = `resp_${request.number}`;
    let sequence = 0;
    const event = (type: string, rest: Json) => ({
      event: type,
      data: JSON.stringify({ type, sequence_number: sequence++, ...rest }),
    });
    yield event('response.created', {
      response: { id, object: 'response', status: 'in_progress', output: [] },
    });
    for (const [index, item] of items(answer, request).entries()) {
      const at = { output_index: index, item_id: item.id };
      yield event('response.output_item.added', { output_index: index, item: emptied(item) });
      if (item.type === 'message') {
        const part = { type: 'output_text', text: '', annotations: [] };
        yield event('response.content_part.added', { ...at, content_index: 0, part });
        for (const delta of pieces(answer.text)) {
          yield event('response.output_text.delta', { ...at, content_index: 0, delta });
        }
        yield event('response.output_text.done', { ...at, content_index: 0, text: answer.text });
        yield event('response.content_part.done', {
          ...at,
          content_index: 0,
          part: { ...part, text: answer.text },
        });
      } else if (item.type === 'function_call') {
        for (const delta of pieces(string(item.arguments))) {
          yield event('response.function_call_arguments.delta', { ...at, delta });
        }
        yield event('response.function_call_arguments.done', { ...at, arguments: item.arguments });
      } else {
        for (const delta of pieces(answer.thinking ?? '')) {
          yield event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta });
        }
      }
      yield event('response.output_item.done', { output_index: index, item });
    }
    const type = answer.finish === 'stop' ? 'response.completed' : 'response.incomplete';
    yield event(type, { response: response(answer, request) });
  },

  whole: (answer, request) => JSON.stringify(response(answer, request)),

  error: (status, message) =>
    JSON.stringify({ error: { message, type: `http_${status}`, param: null, code: null } }),
};

function response(answer: Answer, request: ModelRequest): Json {
  return {
    id: `resp_${request.number}`,
    object: 'response',
    created_at: 1,
    model: request.model,
    status: answer.finish === 'stop' ? 'completed' : 'incomplete',
    ...(answer.finish === 'stop'
      ? {}
      : {
          incomplete_details: { reason: answer.finish === 'length' ? 'max_output_tokens' : 'content_filter' },
        }),
    output: items(answer, request),
    usage: {
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 3 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 18,
    },
  };
}

function items(answer: Answer, request: ModelRequest): readonly Json[] {
  const base = request.number;
  const list: Json[] = [];
  if (answer.thinking !== undefined) {
    list.push({
      type: 'reasoning',
      id: `rs_${base}`,
      summary: [{ type: 'summary_text', text: answer.thinking }],
      encrypted_content: null,
    });
  }
  if (answer.text !== '') {
    list.push({
      type: 'message',
      id: `msg_${base}`,
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: answer.text, annotations: [] }],
    });
  }
  for (const [index, call] of answer.calls.entries()) {
    list.push({
      type: 'function_call',
      id: `fc_${base}_${index}`,
      call_id: `call_${base}_${index}`,
      name: call.name,
      ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
      arguments: call.input,
      status: 'completed',
    });
  }
  return list;
}

const emptied = (item: Json): Json => ({
  ...item,
  ...(item.type === 'message' ? { content: [], status: 'in_progress' } : {}),
  ...(item.type === 'function_call' ? { arguments: '' } : {}),
  ...(item.type === 'reasoning' ? { summary: [] } : {}),
});

function readItem(item: Json): readonly ModelMessage[] {
  if (string(item.type).endsWith('_call_output')) {
    return [
      { role: 'tool', text: typeof item.output === 'string' ? item.output : JSON.stringify(item.output) },
    ];
  }
  if (string(item.type).endsWith('_call')) return [{ role: 'assistant', text: '' }];
  if (item.type !== undefined && item.type !== 'message') return [];
  const text =
    typeof item.content === 'string'
      ? item.content
      : objects(item.content)
          .map((part) => string(part.text))
          .join('');
  const role = string(item.role);
  return [{ role: role === 'user' || role === 'assistant' ? role : 'system', text }];
}
