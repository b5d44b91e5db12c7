import type { OutputEvent } from '../../domain/agent.js';
import type { JsonText } from '../../domain/json.js';
import { jsonText } from '../../schema/document.js';
import { type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';

/** The tool calls of a turn; ACP tells each in several updates, of which any may be the first to say something. */
export interface ToolCalls {
  /** What an update means: the call once its input is known, the result once it has ended. `exact` reads the update. */
  update(update: Shape, exact: (key: string) => JsonText | undefined): readonly OutputEvent[] | undefined;
  /** The calls of which nothing was told yet, at the end of the turn. */
  rest(): readonly OutputEvent[];
  /** The kind of a call, as ACP has them (`read`, `edit`, `execute` …). */
  kindOf(id: string): string | undefined;
}

interface Call {
  readonly id: string;
  name: string | undefined;
  title: string | undefined;
  kind: string | undefined;
  input: JsonText | undefined;
  output: string;
  told: boolean;
  ended: boolean;
}

export function openToolCalls(): ToolCalls {
  const calls = new Map<string, Call>();

  const tell = (call: Call): readonly OutputEvent[] => {
    if (call.told) return [];
    call.told = true;
    const { id, title } = call;
    const input = call.input ?? jsonText(title === undefined ? {} : { title });
    return [{ type: 'tool_call', id, name: call.name ?? title ?? call.kind ?? 'tool', input }];
  };

  return {
    update(update, exact) {
      const id = textAt(update, 'toolCallId');
      if (id === undefined) return undefined;
      const call = calls.get(id) ?? begin(id);
      calls.set(id, call);
      const { claudeCode, terminal_output_delta: delta } = shapeAt(update, '_meta');
      call.name = textAt(update, 'name') ?? toolName(claudeCode) ?? call.name;
      call.title = textAt(update, 'title') ?? call.title;
      call.kind = textAt(update, 'kind') ?? call.kind;
      if (update.rawInput !== undefined && update.rawInput !== null) call.input = exact('rawInput');
      call.output += textAt(isShapeOr(delta), 'data') ?? '';
      const text = contentText(update);
      if (text !== '') call.output = text;
      const { status } = update;
      if (call.ended || status === undefined || status === null || status === 'pending') return [];
      if (status === 'in_progress' || status === 'paused') return tell(call);
      call.ended = true;
      const ok = status === 'completed';
      return [
        ...tell(call),
        { type: 'tool_result', id, ok, text: call.output || rawOutput(update, exact('rawOutput')) },
      ];
    },
    rest: () => [...calls.values()].flatMap(tell),
    kindOf: (id) => calls.get(id)?.kind,
  };
}

const begin = (id: string): Call => ({
  id,
  name: undefined,
  title: undefined,
  kind: undefined,
  input: undefined,
  output: '',
  told: false,
  ended: false,
});

const isShapeOr = (value: unknown): Shape => shapeAt({ value }, 'value');

const toolName = (claudeCode: unknown): string | undefined => textAt(isShapeOr(claudeCode), 'toolName');

/** What a call has to show, in words. */
function contentText(update: Shape): string {
  const parts = shapesAt(update, 'content').map(([part]) => {
    if (part.type === 'content') return blockText(shapeAt(part, 'content'));
    if (part.type === 'diff') return `changed ${textAt(part, 'path') ?? 'files'}`;
    // What a terminal shows comes in updates of its own.
    return part.type === 'terminal' ? '' : `[${textAt(part, 'type') ?? 'unknown'}]`;
  });
  return parts.filter((part) => part !== '').join('\n');
}

/** The words of a block of content, or what it is called where it is no words: its type, media type and address. */
function blockText(block: Shape): string {
  const text = textAt(block, 'text');
  if (block.type === 'text' && text !== undefined) return text;
  const details = [textAt(block, 'type') ?? 'unknown', textAt(block, 'mimeType'), textAt(block, 'uri')];
  return `[${details.filter((detail) => detail !== undefined).join(' ')}]`;
}

function rawOutput({ rawOutput: output }: Shape, exact: JsonText | undefined): string {
  if (typeof output === 'string') return output;
  return output === undefined || output === null ? '' : (exact ?? '');
}
