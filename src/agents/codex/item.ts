import type { OutputEvent } from '../../domain/agent.js';
import type { JsonText } from '../../domain/json.js';
import { jsonText } from '../../schema/document.js';
import { exactObject, type JsonLine, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';

/** Where in the life of an item its line stands; `called`: the ids of calls that were told, this one is added. */
export interface ItemStage {
  readonly completed: boolean;
  readonly called: Set<string>;
}

/** What an item's line means; a call is told when it starts, and its result when it is completed. */
export function decodeItem(line: JsonLine, stage: ItemStage): readonly OutputEvent[] | undefined {
  const item = shapeAt(line.shape, 'item');
  const text = textAt(item, 'text') ?? '';
  switch (item.type) {
    case 'agent_message':
      return stage.completed && text !== '' ? [{ type: 'delta', text, startsMessage: true }] : [];
    case 'reasoning':
      return stage.completed && text !== '' ? [{ type: 'raw', text }] : [];
    case 'plan':
      return [{ type: 'status', status: 'plan', text }];
    case 'todo_list':
      return [{ type: 'status', status: 'plan', text: todoText(item) }];
    case 'error':
      return [{ type: 'status', status: 'warning', text: textAt(item, 'message') ?? '' }];
    case 'command_execution':
      return call(line, stage, {
        name: 'command_execution',
        input: exactObject({ command: line.exact('item', 'command') }),
        result: () => commandResult(item),
      });
    case 'file_change':
      return call(line, stage, {
        name: 'file_change',
        input: exactObject({ changes: line.exact('item', 'changes') }),
        result: () => textAt(item, 'status') ?? '',
      });
    case 'mcp_tool_call':
      return call(line, stage, {
        name: [textAt(item, 'server'), textAt(item, 'tool')].join('.'),
        input: line.exact('item', 'arguments') ?? jsonText(null),
        result: () => toolResult(line, item),
      });
    case 'collab_tool_call':
      return call(line, stage, {
        name: textAt(item, 'tool') ?? 'collab_tool_call',
        input: exactObject({
          prompt: line.exact('item', 'prompt'),
          receiver_thread_ids: line.exact('item', 'receiver_thread_ids'),
        }),
        result: () => line.exact('item', 'agents_states') ?? '',
      });
    case 'web_search':
      return call(line, stage, {
        name: 'web_search',
        input: exactObject({ query: line.exact('item', 'query'), action: line.exact('item', 'action') }),
        result: () => '',
      });
    default:
      return undefined;
  }
}

function call(
  { shape }: JsonLine,
  { completed, called }: ItemStage,
  { name, input, result }: { readonly name: string; readonly input: JsonText; readonly result: () => string },
): readonly OutputEvent[] | undefined {
  const item = shapeAt(shape, 'item');
  const id = textAt(item, 'id');
  if (id === undefined) return undefined;
  const events: OutputEvent[] = [];
  if (!called.has(id)) events.push({ type: 'tool_call', id, name, input });
  called.add(id);
  if (completed) {
    const ok = item.status === undefined || item.status === 'completed';
    events.push({ type: 'tool_result', id, ok, text: result() });
  }
  return events;
}

function commandResult(item: Shape): string {
  const output = textAt(item, 'aggregated_output') ?? '';
  if (item.exit_code === 0 || typeof item.exit_code !== 'number') return output;
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}exit code ${item.exit_code}`;
}

function toolResult(line: JsonLine, item: Shape): string {
  const error = textAt(shapeAt(item, 'error'), 'message');
  if (error !== undefined) return error;
  const parts = shapesAt(shapeAt(item, 'result'), 'content').map(
    ([part, index]) => textAt(part, 'text') ?? line.exact('item', 'result', 'content', index) ?? '',
  );
  return parts.join('\n');
}

const todoText = (item: Shape): string =>
  shapesAt(item, 'items')
    .map(([todo]) => `${todo.completed === true ? '[x]' : '[ ]'} ${textAt(todo, 'text') ?? ''}`)
    .join('\n');
