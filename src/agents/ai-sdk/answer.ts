import type { FinishReason, Line } from '../../domain/agent.js';
import { jsonText, readDocument } from '../../schema/document.js';
import { isShape, type Shape, shapeAt, textAt } from '../kit/json-line.js';
import type { StreamJson } from '../kit/stream-json.js';
import { wholeCharacters } from '../kit/whole-characters.js';

/** One part of a full stream, by its `type`. */
export interface SdkAnswer {
  /** The lines that a part makes; one that is not of the conversation makes none. */
  take(part: Shape): readonly Line[];
  /** What was said, a text for each block of it, exactly. */
  messages(): readonly string[];
  /** Why it ended; undefined as long as nothing told its end. `wantsTools`: it waits for results of tools. */
  finish(): { readonly reason: FinishReason; readonly wantsTools: boolean } | undefined;
}

export function sdkAnswer(write: StreamJson): SdkAnswer {
  const said: string[] = [];
  let characters = wholeCharacters();
  let thought = '';
  const inputs = new Map<string, string>();
  let finish: ReturnType<SdkAnswer['finish']>;
  let model: string | undefined;
  let files = 0;

  const say = (text: string): readonly Line[] => {
    if (text === '') return [];
    const last = said.pop() ?? '';
    said.push(last + text);
    return [write.delta(text, last === '' && said.length > 1 ? { startsMessage: true } : {})];
  };

  return {
    take(part) {
      const id = textAt(part, 'toolCallId') ?? textAt(part, 'id') ?? '';
      switch (part.type) {
        case 'start-step':
          return warningsOf(part).map((text) => write.status('warning', text));
        case 'text-start':
          if (said.at(-1) !== '') said.push('');
          characters = wholeCharacters();
          return [];
        case 'text-delta':
          return say(characters.push(textAt(part, 'text') ?? ''));
        case 'text-end':
          return say(characters.end());
        case 'reasoning-delta':
          thought += textAt(part, 'text') ?? '';
          return [];
        case 'reasoning-end': {
          const text = thought.trim();
          thought = '';
          return text === '' ? [] : [write.thinking(text)];
        }
        case 'tool-input-delta':
          inputs.set(id, (inputs.get(id) ?? '') + (textAt(part, 'delta') ?? ''));
          return [];
        case 'tool-call':
          return [
            write.toolCall({
              id,
              name: textAt(part, 'toolName') ?? '',
              input: inputOf(part, inputs.get(id)),
            }),
          ];
        case 'tool-result':
          return [write.toolResult({ id, ok: true, text: wordsOf(part.output) })];
        case 'tool-error':
          return [write.toolResult({ id, ok: false, text: messageOf(part.error) })];
        case 'source':
          return [write.status('source', [part.title, part.url].filter(isText).join(' '))];
        case 'file': {
          const line = fileLine(part, { write, number: files + 1 });
          if (line !== undefined) files += 1;
          return line === undefined ? [] : [line];
        }
        case 'finish-step':
          model = textAt(shapeAt(part, 'response'), 'modelId') ?? model;
          finish = finishOf(part);
          return [];
        case 'finish':
          return [
            write.result({
              finishReason: finish?.reason ?? 'error',
              ...(model !== undefined && { model }),
              ...(isShape(part.totalUsage) && { usage: jsonText(part.totalUsage) }),
            }),
          ];
        default:
          return [];
      }
    },
    messages: () => said.filter((text) => text !== ''),
    finish: () => finish,
  };
}

/** Whether a model tells with this part that it passed over the schema that it was given. */
export const passesOverSchema = (part: Shape): boolean =>
  part.type === 'start-step' &&
  warnings(part).some(
    (warning) => warning.feature === 'responseFormat' || warning.setting === 'responseFormat',
  );

const warnings = ({ warnings: list }: Shape): readonly Shape[] =>
  Array.isArray(list) ? list.filter(isShape) : [];

const warningsOf = (part: Shape): readonly string[] =>
  warnings(part).map((warning) =>
    [warning.feature ?? warning.setting, warning.details ?? warning.message].filter(isText).join(': '),
  );

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  error: 'error',
};

/** A stream that merely stops has no reason of its provider's, and the SDK makes one up. */
function finishOf(part: Shape): ReturnType<SdkAnswer['finish']> {
  const reason = textAt(part, 'finishReason') ?? 'unknown';
  if (reason === 'unknown' || (reason === 'other' && !isText(part.rawFinishReason))) return undefined;
  return { reason: reasons[reason] ?? 'other', wantsTools: reason === 'tool-calls' };
}

/** The arguments as the model wrote them where they came in pieces; else the SDK's own value of them. */
function inputOf({ input }: Shape, written: string | undefined) {
  const read = written === undefined ? undefined : readDocument(written);
  return read?.ok === true ? read.json : jsonText(input ?? {});
}

const wordsOf = (output: unknown): string => (isText(output) ? output : jsonText(output ?? null));

const messageOf = (error: unknown): string =>
  isShape(error) && isText(error.message) ? error.message : String(error);

function fileLine(
  part: Shape,
  { write, number }: { readonly write: StreamJson; readonly number: number },
): Line | undefined {
  const file = shapeAt(part, 'file');
  const bytes = file.uint8Array;
  if (!(bytes instanceof Uint8Array)) return undefined;
  const mediaType = textAt(file, 'mediaType');
  return write.artifact({
    artifactId: `file-${number}`,
    parts: [{ kind: 'raw', bytes, ...(mediaType !== undefined && { mediaType }) }],
    append: false,
    lastChunk: true,
  });
}

const isText = (value: unknown): value is string => typeof value === 'string';
