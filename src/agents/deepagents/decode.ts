import type { Line } from '../../domain/agent.js';
import { jsonText } from '../../schema/document.js';
import { isShape, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';
import type { StreamJson } from '../kit/stream-json.js';
import { type ToolCalls, toolCalls } from '../kit/tool-calls.js';
import { wholeCharacters } from '../kit/whole-characters.js';

/** Reads the stream of a deep agent, in the modes `messages` and `tasks`, with its subgraphs. */
export interface DeepAgentDecoder {
  /** The lines of one item, `[namespace, mode, data]`. */
  take(item: unknown): readonly Line[];
  /** The lines that are due when no item comes any more. */
  end(): readonly Line[];
  /** What the agent itself said, message by message, exactly. */
  messages(): readonly string[];
}

/** One speaker: the agent itself, or a subagent. */
interface Speaker {
  readonly parent: string | undefined;
  readonly calls: ToolCalls;
  /** Tool calls that were told whole, by their ids. */
  readonly told: Set<string>;
  characters: ReturnType<typeof wholeCharacters>;
  message: string | undefined;
  said: string[];
}

export function deepAgentDecoder(write: StreamJson): DeepAgentDecoder {
  const speakers = new Map<string, Speaker>();
  /** The tool call that runs in a part of the graph, by that part's name. */
  const parents = new Map<string, string>();

  const speakerOf = (namespace: readonly string[]): Speaker => {
    const name = namespace.join('|');
    const known = speakers.get(name);
    if (known !== undefined) return known;
    const place = namespace.findLast((each) => each.startsWith('tools:')) ?? namespace.at(-1);
    // Where it is not known which call it was, its words must not pass for the agent's own all the same.
    const parent = place === undefined ? undefined : (parents.get(place) ?? place);
    const calls = toolCalls(write, parent === undefined ? {} : { parent });
    const speaker = {
      parent,
      calls,
      told: new Set<string>(),
      characters: wholeCharacters(),
      message: undefined,
      said: [],
    };
    speakers.set(name, speaker);
    return speaker;
  };

  return {
    take(item) {
      if (!Array.isArray(item)) return [];
      const [namespace, mode, data]: readonly unknown[] = item;
      const speaker = speakerOf(isTexts(namespace) ? namespace : []);
      if (mode === 'tasks') {
        const [call, place] = isShape(data) ? callOf(data) : [];
        if (call !== undefined && place !== undefined) parents.set(place, call);
        return speaker.calls.end();
      }
      const message: unknown = Array.isArray(data) ? data[0] : undefined;
      if (mode !== 'messages' || !isShape(message)) return [];
      switch (typeOf(message)) {
        case 'ai':
          return takeAnswer(message, { speaker, write });
        case 'tool':
          return [...speaker.calls.end(), resultLine(message, { speaker, write })];
        default:
          return [];
      }
    },
    end: () =>
      [...speakers.values()].flatMap((speaker) => [
        ...speaker.calls.end(),
        ...say(speaker.characters.end(), { speaker, write }),
      ]),
    messages: () => (speakers.get('')?.said ?? []).filter((text) => text.trim() !== ''),
  };
}

interface Telling {
  readonly speaker: Speaker;
  readonly write: StreamJson;
}

function takeAnswer(message: Shape, { speaker, write }: Telling): readonly Line[] {
  const lines: Line[] = [];
  const id = textAt(message, 'id') ?? '';
  if (speaker.message !== id) {
    lines.push(...speaker.calls.end(), ...say(speaker.characters.end(), { speaker, write }));
    speaker.characters = wholeCharacters();
    speaker.message = id;
    speaker.said.push('');
  }
  const { text, thinking } = contentOf(message);
  if (thinking !== '') lines.push(write.thinking(thinking));
  lines.push(...say(speaker.characters.push(text), { speaker, write }));
  const pieces = shapesAt(message, 'tool_call_chunks');
  for (const [piece, place] of pieces) {
    const call = { id: textAt(piece, 'id'), name: textAt(piece, 'name'), input: textAt(piece, 'args') ?? '' };
    if (call.id !== undefined) speaker.told.add(call.id);
    lines.push(...speaker.calls.push(typeof piece.index === 'number' ? piece.index : place, call));
  }
  if (pieces.length === 0) lines.push(...wholeCalls(message, { speaker, write }));
  return lines;
}

/** A model that does not stream gives its calls as values. */
function wholeCalls(message: Shape, { speaker: { told, parent }, write }: Telling): readonly Line[] {
  return shapesAt(message, 'tool_calls').flatMap(([call]) => {
    const id = textAt(call, 'id') ?? '';
    if (told.has(id)) return [];
    told.add(id);
    const input = jsonText(call.args ?? {});
    return [
      write.toolCall({
        id,
        name: textAt(call, 'name') ?? '',
        input,
        ...(parent !== undefined && { parent }),
      }),
    ];
  });
}

function say(text: string, { speaker, write }: Telling): readonly Line[] {
  if (text === '') return [];
  const before = speaker.said.pop() ?? '';
  speaker.said.push(before + text);
  const starts = before === '' && speaker.said.length > 1;
  return [
    write.delta(text, {
      ...(starts && { startsMessage: true }),
      ...(speaker.parent !== undefined && { parent: speaker.parent }),
    }),
  ];
}

function resultLine(message: Shape, { speaker: { parent }, write }: Telling): Line {
  return write.toolResult({
    id: textAt(message, 'tool_call_id') ?? '',
    ok: message.status !== 'error',
    text: contentOf(message).text,
    ...(parent !== undefined && { parent }),
  });
}

/** The class of a message names its type, by a field in newer versions and by a method in all. */
function typeOf(message: Shape): unknown {
  const { type, getType } = message;
  return typeof type === 'string' ? type : typeof getType === 'function' ? getType.call(message) : undefined;
}

/** Content is text, or a list of blocks, some of which are the model's thinking. */
function contentOf(message: Shape): { readonly text: string; readonly thinking: string } {
  const whole = textAt(message, 'content');
  if (whole !== undefined) return { text: whole, thinking: '' };
  const blocks = shapesAt(message, 'content').map(([block]) => block);
  return {
    text: blocks.map((block) => textAt(block, 'text') ?? '').join(''),
    thinking: blocks.map((block) => textAt(block, 'thinking') ?? textAt(block, 'reasoning') ?? '').join(''),
  };
}

/** The tool call for which a task of the graph begins, and that task's name in the namespaces of what runs in it. */
function callOf(task: Shape): readonly [string, string] | readonly [] {
  const call = textAt(shapeAt(shapeAt(task, 'input'), 'lg_tool_call'), 'id');
  const id = textAt(task, 'id');
  const name = textAt(task, 'name');
  return call === undefined || id === undefined || name === undefined ? [] : [call, `${name}:${id}`];
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
