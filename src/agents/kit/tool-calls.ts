import type { Line } from '../../domain/agent.js';
import { jsonText, readDocument } from '../../schema/document.js';
import type { StreamJson } from './stream-json.js';

/** What one chunk tells of a call; `input` is a piece of the JSON text of its arguments. */
interface CallPiece {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly input: string;
}

/** The tool calls of a model's answer, which come in pieces, one call after the other. */
export interface ToolCalls {
  /** Takes a piece of the call at that place, and gives the lines of those that are complete with it. */
  push(place: number, piece: CallPiece): readonly Line[];
  end(): readonly Line[];
}

/** `parent`: the tool call of the subagent whose model it is. */
export function toolCalls(write: StreamJson, { parent }: { readonly parent?: string } = {}): ToolCalls {
  let open: { readonly place: number; readonly id: string; readonly name: string; input: string } | undefined;

  const end = (): readonly Line[] => {
    if (open === undefined) return [];
    const { id, name, input } = open;
    open = undefined;
    const read = readDocument(input === '' ? '{}' : input);
    const text = read.ok ? read.json : jsonText(input);
    return [write.toolCall({ id, name, input: text, ...(parent !== undefined && { parent }) })];
  };

  return {
    push(place, { id, name, input }) {
      if (open?.place === place && (id === undefined || id === '' || id === open.id)) {
        open.input += input;
        return [];
      }
      const lines = end();
      open = { place, id: id ?? `call_${place}`, name: name ?? '', input };
      return lines;
    },
    end,
  };
}
