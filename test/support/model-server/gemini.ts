import {
  type Answer,
  isObject,
  type Json,
  objects,
  type Protocol,
  pieces,
  spliced,
  string,
} from './answer.js';
import type { ModelMessage, ModelRequest } from './script.js';

/** Google's Gemini API, `generateContent` and `streamGenerateContent`. */
export const gemini: Protocol = {
  read(path, body) {
    const [, model, method] = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? [];
    if (model === undefined) return undefined;
    const request: unknown = JSON.parse(body);
    if (!isObject(request)) return undefined;
    return {
      protocol: 'gemini',
      model,
      streams: method === 'streamGenerateContent',
      tools: objects(request.tools)
        .flatMap((tool) => objects(tool.functionDeclarations))
        .map((tool) => string(tool.name)),
      messages: objects(request.contents).flatMap(readContent),
    };
  },

  *events(answer, request) {
    if (answer.thinking !== undefined) {
      yield chunk(request, { parts: [{ text: answer.thinking, thought: true }] });
    }
    for (const text of pieces(answer.text)) yield chunk(request, { parts: [{ text }] });
    for (const call of answer.calls) {
      yield chunk(request, { parts: [functionCall(call.name)], slots: { [inputSlot]: call.input } });
    }
    yield chunk(request, { parts: [{ text: '' }], finishReason: finishReason(answer) });
  },

  whole(answer, request) {
    const slots = Object.fromEntries(answer.calls.map((call, at) => [`${inputSlot}${at}`, call.input]));
    const calls = answer.calls.map((call, at) => functionCall(call.name, `${inputSlot}${at}`));
    const said = answer.text === '' ? [] : [{ text: answer.text }];
    return chunk(request, { parts: [...said, ...calls], slots, finishReason: finishReason(answer) }).data;
  },

  error: (status, message) =>
    JSON.stringify({ error: { code: status, message, status: errorNames[status] ?? 'INTERNAL' } }),
};

const inputSlot = '@@input@@';

const errorNames: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
};

const functionCall = (name: string, args = inputSlot) => ({ functionCall: { name, args } });

function chunk(
  request: ModelRequest,
  rest: { parts: readonly Json[]; slots?: Readonly<Record<string, string>>; finishReason?: string },
) {
  const candidate = {
    index: 0,
    content: { role: 'model', parts: rest.parts },
    ...(rest.finishReason === undefined ? {} : { finishReason: rest.finishReason }),
  };
  const value = {
    candidates: [candidate],
    usageMetadata: { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 },
    modelVersion: request.model,
    responseId: `r${request.number}`,
  };
  return { data: spliced(value, rest.slots ?? {}) };
}

function finishReason(answer: Answer): string {
  if (answer.finish === 'length') return 'MAX_TOKENS';
  return answer.finish === 'content-filter' ? 'SAFETY' : 'STOP';
}

function readContent(content: Json): readonly ModelMessage[] {
  const role = content.role === 'model' ? 'assistant' : 'user';
  return objects(content.parts).map((part): ModelMessage => {
    if (part.functionResponse !== undefined)
      return { role: 'tool', text: JSON.stringify(part.functionResponse) };
    return { role, text: string(part.text) };
  });
}
