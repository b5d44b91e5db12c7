import type { FinishReason, OutputEvent } from '../../domain/agent.js';
import { type ClaudeDocument, claudeDecoder } from '../claude-code/decode.js';
import { type JsonLine, readJsonLine, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';
import { openToolCalls } from './tool-calls.js';

/** Reads the lines of an ACP agent, v1 and the v2 draft, in one process and one turn. */
export interface AcpDecoder {
  /** What a line means; undefined where it is not understood (a banner, an extension). Never throws. */
  decode(line: Uint8Array): readonly OutputEvent[] | undefined;
  /** To be called before a session is loaded: what comes until the prompt is the conversation so far, told again. */
  replays(): void;
  /** To be called before the prompt is sent. */
  prompted(): void;
  /** How the agent introduced itself, as it came: the SDK leaves out what it does not know. */
  introduction(): Shape;
  /** How the turn ended, in ACP's words; undefined as long as it has not. */
  stop(): AcpStop | undefined;
  /** What the agent said in this turn, message by message, exactly. */
  messages(): readonly string[];
  /** The document of an agent that passes on Claude Code's own lines. */
  claudeDocument(): ClaudeDocument | undefined;
  /** The kind of a tool call. */
  kindOf(toolCallId: string): string | undefined;
}

export interface AcpStop {
  /** `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`, `error`. */
  readonly reason: string;
  /** What the agent said of a failure, under whatever reason. */
  readonly error: string | undefined;
}

/** Understood and silent: kinds of lines that make no event, and when. */
export const silentKinds: readonly string[] = [
  'response, unless it names a session or is an error; the end of a turn is held back for that of the task',
  'session/update/user_message_chunk',
  'session/update/user_message',
  'session/update/available_commands_update',
  'session/update/current_mode_update',
  'session/update/config_option_update',
  'session/update/session_info_update, where it tells of no error',
  'session/update/state_update, where it runs or is done',
  'session/update/usage_update, held back for the end of the task',
  'session/update/terminal_update',
  'session/update/tool_call, until its input is known',
  'session/update/tool_call_update, until the input is known, and after the end of the call',
  'session/update/agent_message, where it was shown in pieces',
  'session/update/agent_thought, where it was shown in pieces',
  'session/update, of what was said before this prompt, when a session is loaded',
  'fs',
  'terminal',
  '_claude/sdkMessage',
  '_auth/status_update',
];

/** Answers a permission request: whether the operator allows that kind of tool call. */
export type Allows = (kind: string) => boolean;

export function acpDecoder({ allows }: { readonly allows: Allows }): AcpDecoder {
  const tools = openToolCalls();
  const claude = claudeDecoder();
  const messages: string[] = [];
  let replaying = false;
  let asked = false;
  let introduction: Shape = {};
  /** The message that speaks; null: the next words begin one. */
  let speaking: string | undefined | null = null;
  let thought: string | undefined;
  let systemError = false;
  let lastWarning: string | undefined;
  let stop: AcpStop | undefined;

  const say = (text: string, id: string | undefined): readonly OutputEvent[] => {
    if (text === '') return [];
    const startsMessage = speaking === null || speaking !== id;
    if (startsMessage) messages.push('');
    speaking = id;
    messages.push(`${messages.pop() ?? ''}${text}`);
    return [{ type: 'delta', text, ...(startsMessage ? { startsMessage } : {}) }];
  };

  const warn = (status: string, text: string): readonly OutputEvent[] => {
    lastWarning = text.trim();
    return [{ type: 'status', status, text: text.trim() }];
  };

  const chunk = (line: JsonLine, update: Shape): readonly OutputEvent[] => {
    const content = shapeAt(update, 'content');
    const id = textAt(update, 'messageId');
    if (content.type !== 'text' || typeof content.text !== 'string') {
      return [{ type: 'raw', text: contentOf(line) }];
    }
    const kind = shapeAt(shapeAt(update, '_meta'), 'claudeCode').kind;
    // Both say what is not their model's in chunks of a message; these are the marks they leave on them.
    if (kind === 'informational' || (namesEveryMessage(introduction) && id === undefined)) {
      return warn('warning', content.text);
    }
    return say(content.text, id);
  };

  const whole = (
    line: JsonLine,
    { update, thinks }: { readonly update: Shape; readonly thinks: boolean },
  ): readonly OutputEvent[] => {
    const id = textAt(update, 'messageId');
    const parts = shapesAt(update, 'content');
    const text = parts.map(([part]) => textAt(part, 'text') ?? '').join('');
    const others = parts.flatMap(([part, index]): OutputEvent[] =>
      textAt(part, 'text') === undefined
        ? [{ type: 'raw', text: line.exact('params', 'update', 'content', index) ?? '' }]
        : [],
    );
    if (thinks) return text === '' || thought === id ? others : [{ type: 'raw', text }, ...others];
    return messages.at(-1) === text && speaking === id ? others : [...say(text, id), ...others];
  };

  const update = (line: JsonLine): readonly OutputEvent[] | undefined => {
    const update = shapeAt(shapeAt(line.shape, 'params'), 'update');
    const kind = textAt(update, 'sessionUpdate') ?? '';
    if (replaying && spokenKinds.has(kind)) return [];
    if (interrupting.has(kind)) speaking = null;
    switch (kind) {
      case 'agent_message_chunk':
        return chunk(line, update);
      case 'agent_message':
        return whole(line, { update, thinks: false });
      case 'agent_thought_chunk':
        thought = textAt(update, 'messageId');
        return [{ type: 'raw', text: textAt(shapeAt(update, 'content'), 'text') ?? contentOf(line) }];
      case 'tool_call_content_chunk':
      case 'compaction_summary_chunk':
        return [{ type: 'raw', text: contentOf(line) }];
      case 'agent_thought':
        return whole(line, { update, thinks: true });
      case 'tool_call':
      case 'tool_call_update':
        return tools.update(update, (key) => line.exact('params', 'update', key));
      case 'plan':
        return [{ type: 'status', status: 'plan', text: planText(update) }];
      case 'plan_update':
        return [{ type: 'status', status: 'plan', text: planText(shapeAt(update, 'plan')) }];
      case 'notice': {
        const parts = [textAt(update, 'title'), textAt(update, 'description')];
        return warn(textAt(update, 'severity') ?? 'notice', parts.filter((part) => part).join(': '));
      }
      case 'state_update':
        return state(line, update);
      case 'usage_update':
        return cost(line);
      case 'session_info_update':
        return sessionInfo(update);
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
  };

  /** Codex tells in it that a turn failed which it then ends as if it had not. */
  const sessionInfo = (update: Shape): readonly OutputEvent[] => {
    const codex = shapeAt(shapeAt(update, '_meta'), 'codex');
    if (shapeAt(codex, 'threadStatus').type === 'systemError') systemError = true;
    const error = shapeAt(codex, 'error');
    const said = [textAt(error, 'message'), textAt(error, 'additionalDetails')].filter((part) => part);
    return said.length === 0 ? [] : warn(error.willRetry === true ? 'retry' : 'error', said.join(': '));
  };

  const state = (line: JsonLine, update: Shape): readonly OutputEvent[] => {
    if (update.state === 'requires_action') {
      return [{ type: 'status', status: 'requires_action', text: 'The agent waits for its client.' }];
    }
    if (update.state !== 'idle' || !asked || stop !== undefined) return [];
    return ended(line, { result: update, path: ['params', 'update'] });
  };

  const ended = (
    line: JsonLine,
    { result, path }: { readonly result: Shape; readonly path: readonly string[] },
  ): readonly OutputEvent[] => {
    const reason = textAt(result, 'stopReason') ?? 'cancelled';
    const error = textAt(shapeAt(result, 'error'), 'message') ?? (systemError ? lastWarning : undefined);
    stop = { reason: systemError ? 'error' : reason, error };
    const usage = result.usage === null ? undefined : line.exact(...path, 'usage');
    const [first] = shapesAt(shapeAt(shapeAt(result, '_meta'), 'quota'), 'model_usage');
    const model = first === undefined ? undefined : textAt(first[0], 'model');
    return [
      ...tools.rest(),
      {
        type: 'usage',
        finishReason: finishReasons[stop.reason] ?? 'other',
        ...(model === undefined ? {} : { model }),
        ...(usage === undefined ? {} : { usage }),
      },
    ];
  };

  const response = (line: JsonLine): readonly OutputEvent[] => {
    const { result: _, error } = line.shape;
    if (error !== undefined) {
      const text = textAt(shapeAt(line.shape, 'error'), 'message') ?? 'no reason given';
      return [{ type: 'status', status: 'error', text }];
    }
    const result = shapeAt(line.shape, 'result');
    if (result.protocolVersion !== undefined) introduction = result;
    if (typeof result.stopReason === 'string') return ended(line, { result, path: ['result'] });
    const id = textAt(result, 'sessionId');
    if (id === undefined) return [];
    return [
      { type: 'session', id },
      { type: 'status', status: 'init', text: 'Session begun.' },
    ];
  };

  const permission = (line: JsonLine): readonly OutputEvent[] => {
    const params = shapeAt(line.shape, 'params');
    const kind = permissionKind(params, tools.kindOf);
    const title = textAt(shapeAt(params, 'toolCall'), 'title') ?? textAt(params, 'title') ?? 'a tool call';
    const allowed = allows(kind);
    const status = allowed ? 'permission_granted' : 'permission_denied';
    return [
      {
        type: 'status',
        status,
        text: `${title} (${kind}): ${allowed ? 'allowed' : 'denied'} by the server.`,
      },
    ];
  };

  const call = (line: JsonLine): readonly OutputEvent[] | undefined => {
    switch (line.shape.method) {
      case 'session/update':
        return update(line);
      case 'session/request_permission':
        return permission(line);
      case 'elicitation/create':
        return [
          { type: 'status', status: 'elicitation', text: 'The agent asked a person something; declined.' },
        ];
      case '_claude/sdkMessage': {
        const message = line.exact('params', 'message');
        if (message !== undefined && asked) claude.decode(Buffer.from(message));
        return [];
      }
      case '_auth/status_update':
        return [];
      default:
        return /^(fs|terminal)\//.test(String(line.shape.method)) ? [] : undefined;
    }
  };

  return {
    decode(bytes) {
      const line = readJsonLine(bytes);
      if (line === undefined || line.shape.jsonrpc !== '2.0') return undefined;
      if (typeof line.shape.method === 'string') return call(line);
      return 'id' in line.shape ? response(line) : undefined;
    },
    replays: () => {
      replaying = true;
    },
    prompted: () => {
      replaying = false;
      asked = true;
    },
    introduction: () => introduction,
    stop: () => stop,
    messages: () => messages,
    claudeDocument: () => claude.document(),
    kindOf: tools.kindOf,
  };
}

/** The content of an update that is no words, as it was written; the whole update where it has none. */
const contentOf = (line: JsonLine): string =>
  line.exact('params', 'update', 'content') ?? line.exact('params', 'update') ?? '';

/** The kind of tool call that a permission request is about. */
export function permissionKind(params: Shape, kindOf: (id: string) => string | undefined): string {
  const subject = shapeAt(params, 'subject');
  if (subject.type === 'command') return 'execute';
  const call = params.toolCall === undefined ? shapeAt(subject, 'toolCall') : shapeAt(params, 'toolCall');
  const id = textAt(call, 'toolCallId');
  return textAt(call, 'kind') ?? (id === undefined ? undefined : kindOf(id)) ?? 'other';
}

/** Whether each message of the agent's model has an id, so that what has none is not its model's. */
const namesEveryMessage = (introduction: Shape): boolean =>
  textAt(shapeAt(introduction, 'agentInfo'), 'name') === '@agentclientprotocol/codex-acp';

/** Updates that tell the conversation, and tell it again when a session is loaded. */
const spokenKinds = new Set([
  ...['agent_message_chunk', 'agent_message', 'agent_thought_chunk', 'agent_thought', 'plan', 'plan_update'],
  ...['tool_call', 'tool_call_update', 'notice', 'terminal_output_chunk', 'compaction_update'],
]);

/** Updates after which an agent that does not name its messages begins another. */
const interrupting = new Set(['tool_call', 'plan', 'agent_thought_chunk', 'agent_thought']);

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  max_turn_requests: 'length',
  refusal: 'content-filter',
  error: 'error',
};

const planText = (plan: Shape): string =>
  shapesAt(plan, 'entries')
    .map(([entry]) => `${entry.status === 'completed' ? '[x]' : '[ ]'} ${textAt(entry, 'content') ?? ''}`)
    .join('\n');

function cost(line: JsonLine): readonly OutputEvent[] {
  const { currency } = shapeAt(shapeAt(shapeAt(line.shape, 'params'), 'update'), 'cost');
  const costUsd = currency === 'USD' ? line.exact('params', 'update', 'cost', 'amount') : undefined;
  return costUsd === undefined ? [] : [{ type: 'usage', costUsd }];
}
