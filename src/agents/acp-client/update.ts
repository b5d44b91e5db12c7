import type { OutputEvent } from '../../domain/agent.js';
import { type JsonLine, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';
import { contentOf, type Speech, updateOf } from './speech.js';
import type { ToolCalls } from './tool-calls.js';

/** What the updates of a turn have to do with each other. */
export interface UpdateState {
  readonly speech: Speech;
  readonly tools: ToolCalls;
  /** How the agent introduced itself. */
  readonly introduction: Shape;
  /** What comes is the conversation so far, told again. */
  readonly replaying: boolean;
  /** Codex tells by it that a turn failed which it then ends as if it had not. */
  readonly failed: () => void;
  /** The session is idle (v2). */
  readonly idle: () => readonly OutputEvent[];
}

/** What a `session/update` means, in either version of ACP; undefined where it is of a kind that is not known. */
export function decodeUpdate(line: JsonLine, state: UpdateState): readonly OutputEvent[] | undefined {
  const { speech, tools } = state;
  const update = updateOf(line);
  const kind = textAt(update, 'sessionUpdate') ?? '';
  if (state.replaying && spokenKinds.has(kind)) return [];
  if (interrupting.has(kind)) speech.interrupt();
  switch (kind) {
    case 'agent_message_chunk':
      return speech.piece(line, isWarning(update, state.introduction));
    case 'agent_message':
      return speech.whole(line, { thinks: false });
    case 'agent_thought_chunk':
      return speech.thought(line);
    case 'agent_thought':
      return speech.whole(line, { thinks: true });
    case 'tool_call_content_chunk':
    case 'compaction_summary_chunk':
      return [{ type: 'raw', text: contentOf(line) }];
    case 'tool_call':
    case 'tool_call_update':
      return tools.update(update, (key) => line.exact('params', 'update', key));
    case 'plan':
      return [{ type: 'status', status: 'plan', text: planText(update) }];
    case 'plan_update':
      return [{ type: 'status', status: 'plan', text: planText(shapeAt(update, 'plan')) }];
    case 'notice': {
      const parts = [textAt(update, 'title'), textAt(update, 'description')];
      return speech.warn(textAt(update, 'severity') ?? 'notice', parts.filter((part) => part).join(': '));
    }
    case 'state_update':
      if (update.state === 'idle') return state.idle();
      return update.state === 'requires_action'
        ? [{ type: 'status', status: 'requires_action', text: 'The agent waits for its client.' }]
        : [];
    case 'usage_update':
      return cost(line);
    case 'session_info_update':
      return sessionInfo(update, state);
    case 'compaction_update':
      return [{ type: 'status', status: 'compaction', text: textAt(update, 'status') ?? '' }];
    case 'terminal_output_chunk':
      return [{ type: 'raw', text: textAt(update, 'data') ?? '' }];
    case 'user_message':
    case 'user_message_chunk':
    case 'available_commands_update':
    case 'current_mode_update':
    case 'config_option_update':
    case 'terminal_update':
      return [];
    default:
      return undefined;
  }
}

/** Two agents say what is not their model's in pieces of a message; these are the marks that they leave on them. */
function isWarning(update: Shape, introduction: Shape): boolean {
  if (shapeAt(shapeAt(update, '_meta'), 'claudeCode').kind === 'informational') return true;
  const name = textAt(shapeAt(introduction, 'agentInfo'), 'name');
  return name === '@agentclientprotocol/codex-acp' && textAt(update, 'messageId') === undefined;
}

function sessionInfo(update: Shape, { speech, failed }: UpdateState): readonly OutputEvent[] {
  const codex = shapeAt(shapeAt(update, '_meta'), 'codex');
  if (shapeAt(codex, 'threadStatus').type === 'systemError') failed();
  const error = shapeAt(codex, 'error');
  const said = [textAt(error, 'message'), textAt(error, 'additionalDetails')].filter((part) => part);
  return said.length === 0 ? [] : speech.warn(error.willRetry === true ? 'retry' : 'error', said.join(': '));
}

/** Updates that tell the conversation, and tell it again when a session is loaded. */
const spokenKinds = new Set([
  ...['agent_message_chunk', 'agent_message', 'agent_thought_chunk', 'agent_thought', 'plan', 'plan_update'],
  ...['tool_call', 'tool_call_update', 'notice', 'terminal_output_chunk', 'compaction_update'],
]);

/** Updates after which an agent that does not name its messages begins another. */
const interrupting = new Set(['tool_call', 'plan', 'agent_thought_chunk', 'agent_thought']);

const planText = (plan: Shape): string =>
  shapesAt(plan, 'entries')
    .map(([entry]) => `${entry.status === 'completed' ? '[x]' : '[ ]'} ${textAt(entry, 'content') ?? ''}`)
    .join('\n');

function cost(line: JsonLine): readonly OutputEvent[] {
  const { currency } = shapeAt(updateOf(line), 'cost');
  const costUsd = currency === 'USD' ? line.exact('params', 'update', 'cost', 'amount') : undefined;
  return costUsd === undefined ? [] : [{ type: 'usage', costUsd }];
}
