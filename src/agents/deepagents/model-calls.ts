import type { FinishReason } from '../../domain/agent.js';
import { isShape, type Shape, shapeAt, textAt } from '../kit/json-line.js';

/** What the models of one request were heard to do: the only place where LangChain keeps why an answer ended. */
export interface ModelCalls {
  /** A callback handler of LangChain's, for the request's configuration. */
  readonly handler: Readonly<Record<string, unknown>>;
  /**
   * Why the last answer of the agent's own model ended. `cut`: its provider, which tells a reason, told none;
   * `wantsTools`: it waits for results of tools.
   */
  last(): { readonly reason: FinishReason; readonly cut: boolean; readonly wantsTools: boolean } | undefined;
  /** Tokens of all calls together, subagents' too; undefined where no provider tells. */
  usage(): Readonly<Record<string, number>> | undefined;
  model(): string | undefined;
}

export function modelCalls(): ModelCalls {
  /** Calls of subagents' models, by the id of their run. */
  const nested = new Set<unknown>();
  let last: ReturnType<ModelCalls['last']>;
  let model: string | undefined;
  const tokens: Record<string, number> = {};

  return {
    handler: {
      name: 'kedi-a2a-server',
      // Else the last one might be told after the end of the stream.
      awaitHandlers: true,
      handleChatModelStart: (...[, , run, , , , metadata]: readonly unknown[]) => {
        const place = isShape(metadata) ? (textAt(metadata, 'langgraph_checkpoint_ns') ?? '') : '';
        if (place.includes('|')) nested.add(run);
      },
      handleLLMEnd: (output: unknown, run: unknown) => {
        const generation = firstGeneration(output);
        const message = shapeAt(generation, 'message');
        for (const [name, count] of Object.entries(shapeAt(message, 'usage_metadata'))) {
          if (typeof count === 'number') tokens[name] = (tokens[name] ?? 0) + count;
        }
        if (nested.delete(run)) return;
        const places = [
          shapeAt(generation, 'generationInfo'),
          shapeAt(message, 'response_metadata'),
          shapeAt(message, 'additional_kwargs'),
        ];
        model =
          places.map((place) => textAt(place, 'model_name') ?? textAt(place, 'model')).find(isText) ?? model;
        const word = places.flatMap(reasonsIn).find(isText);
        // Packages that name themselves so are LangChain's own, which tell how an answer ended.
        const cut = word === undefined && isText(shapeAt(message, 'response_metadata').model_provider);
        last = { reason: finishReasonOf(word), cut, wantsTools: /^(tool|function)_/.test(word ?? '') };
      },
    },
    last: () => last,
    usage: () => (Object.keys(tokens).length === 0 ? undefined : tokens),
    model: () => model,
  };
}

function firstGeneration(output: unknown): Shape {
  const generations: unknown = isShape(output) ? output.generations : undefined;
  const first: unknown = Array.isArray(generations) ? generations[0] : undefined;
  const generation: unknown = Array.isArray(first) ? first[0] : undefined;
  return isShape(generation) ? generation : {};
}

/** Each provider has its own name for it; OpenAI's Responses tell it by their status. */
const reasonsIn = (place: Shape): readonly unknown[] => [
  place.finish_reason,
  place.finishReason,
  place.stop_reason,
  place.stopReason,
  place.done_reason,
  place.status,
  shapeAt(place, 'messageStop').stopReason,
];

function finishReasonOf(word: string | undefined): FinishReason {
  switch (word?.toLowerCase()) {
    case undefined:
      return 'other';
    case 'length':
    case 'max_tokens':
    case 'model_length':
    case 'model_context_window_exceeded':
    case 'incomplete':
      return 'length';
    case 'content_filter':
    case 'refusal':
    case 'safety':
    case 'prohibited_content':
    case 'guardrail_intervened':
      return 'content-filter';
    default:
      return 'stop';
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
