import type { FinishReason, Line } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import type { JsonText } from '../../domain/json.js';
import {
  isShape,
  type JsonLine,
  readJsonLine,
  type Shape,
  shapeAt,
  shapesAt,
  textAt,
} from '../kit/json-line.js';
import type { StreamJson } from '../kit/stream-json.js';
import { type ToolCalls, toolCalls } from '../kit/tool-calls.js';
import { wholeCharacters } from '../kit/whole-characters.js';
import { messageOf } from './refusal.js';

/** An answer of Chat Completions as it comes, chunk by chunk. */
export interface StreamedAnswer {
  /** The lines that a chunk makes. An error of the endpoint's within its answer: KediError AGENT_FAILED. */
  take(chunk: string): readonly Line[];
  /** The lines that are due when no chunk comes any more; the last tells how it ended and what it cost. */
  end(): readonly Line[];
  /** All that was said, exactly. */
  text(): string;
  /** The words with which the model declined. */
  refusal(): string | undefined;
  /** Why it ended; undefined as long as nothing told its end. */
  finish(): { readonly reason: FinishReason; readonly raw: string } | undefined;
}

/** The chunk that ends a stream, beyond which nothing is read. */
export const lastChunk = '[DONE]';

export function streamedAnswer(write: StreamJson): StreamedAnswer {
  const said: string[] = [];
  const refused: string[] = [];
  const characters = wholeCharacters();
  const thoughts = paragraphs();
  const calls = toolCalls(write);
  let finish: ReturnType<StreamedAnswer['finish']>;
  let model: string | undefined;
  let usage: JsonText | undefined;

  const say = (text: string): readonly Line[] => {
    if (text === '') return [];
    said.push(text);
    return [write.delta(text)];
  };
  const think = (thought: string): readonly Line[] => (thought === '' ? [] : [write.thinking(thought)]);

  const takeChoice = (choice: Shape): readonly Line[] => {
    // A gateway that cannot stream gives the whole message at once.
    const delta = isShape(choice.delta) ? choice.delta : shapeAt(choice, 'message');
    const thought = textAt(delta, 'reasoning_content') ?? textAt(delta, 'reasoning') ?? '';
    const text = textAt(delta, 'content') ?? textOfParts(delta);
    const refusal = textAt(delta, 'refusal') ?? '';
    if (refusal !== '') refused.push(refusal);
    const ended = textAt(choice, 'finish_reason');
    if (ended !== undefined) finish = { reason: finishReasons[ended] ?? 'other', raw: ended };
    return [
      ...think(thoughts.push(thought)),
      ...(text === '' ? [] : [...think(thoughts.end()), ...say(characters.push(text))]),
      ...takeCalls(delta, calls),
    ];
  };

  return {
    take(chunk) {
      if (chunk.trim() === lastChunk) {
        finish ??= { reason: 'stop', raw: lastChunk };
        return [];
      }
      const line = readJsonLine(Buffer.from(chunk));
      if (line === undefined)
        throw new KediError('AGENT_FAILED', 'The model’s endpoint sent what is no JSON.');
      const { shape } = line;
      refuseError(shape);
      model = textAt(shape, 'model') ?? model;
      usage = usageIn(line) ?? usage;
      const [choice] = shapesAt(shape, 'choices').flatMap(([each]) =>
        Number(each.index ?? 0) === 0 ? [each] : [],
      );
      return choice === undefined ? [] : takeChoice(choice);
    },
    end: () => [
      ...think(thoughts.end()),
      ...say(characters.end()),
      ...calls.end(),
      write.result({
        finishReason: finish?.reason ?? 'error',
        ...(model !== undefined && { model }),
        ...(usage !== undefined && { usage }),
      }),
    ],
    text: () => said.join(''),
    refusal: () => (refused.length === 0 ? undefined : refused.join('')),
    finish: () => finish,
  };
}

/** Some models write their content as a list of parts. */
const textOfParts = (delta: Shape): string =>
  shapesAt(delta, 'content')
    .map(([part]) => textAt(part, 'text') ?? '')
    .join('');

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  error: 'error',
};

function takeCalls(delta: Shape, calls: ToolCalls): readonly Line[] {
  return shapesAt(delta, 'tool_calls').flatMap(([call, place]) => {
    const named = shapeAt(call, 'function');
    return calls.push(typeof call.index === 'number' ? call.index : place, {
      id: textAt(call, 'id'),
      name: textAt(named, 'name'),
      input: textAt(named, 'arguments') ?? '',
    });
  });
}

const usageIn = (line: JsonLine): JsonText | undefined =>
  isShape(line.shape.usage) ? line.exact('usage') : undefined;

function refuseError({ error }: Shape): void {
  if (error === undefined || error === null) return;
  throw new KediError(
    'AGENT_FAILED',
    `The model broke off its answer: ${messageOf(error) ?? 'without a reason'}`,
  );
}

/** Thinking comes a word at a time and is shown a paragraph at a time. */
function paragraphs() {
  let held = '';
  return {
    push(text: string): string {
      held += text;
      const end = held.lastIndexOf('\n');
      const whole = held.slice(0, Math.max(end, 0)).trim();
      if (end >= 0) held = held.slice(end + 1);
      return whole;
    },
    end(): string {
      const rest = held.trim();
      held = '';
      return rest;
    },
  };
}
