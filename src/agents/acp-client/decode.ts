import type { FinishReason, OutputEvent } from '../../domain/agent.js';
import { type ClaudeDocument, claudeDecoder } from '../claude-code/decode.js';
import { type JsonLine, readJsonLine, type Shape, shapeAt, shapesAt, textAt } from '../kit/json-line.js';
import { openSpeech, type Speech, updateOf } from './speech.js';
import { openToolCalls } from './tool-calls.js';
import { decodeUpdate } from './update.js';

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
  const speech = openSpeech();
  let replaying = false;
  let asked = false;
  let introduction: Shape = {};
  let failed = false;
  let stop: AcpStop | undefined;

  const ended = (
    line: JsonLine,
    { result, path }: { readonly result: Shape; readonly path: readonly string[] },
  ): readonly OutputEvent[] => {
    const reason = textAt(result, 'stopReason') ?? 'cancelled';
    const unsaid = failed ? speech.lastWarning() : copilotError(result, { introduction, speech });
    const error = textAt(shapeAt(result, 'error'), 'message') ?? unsaid;
    stop = { reason: failed || unsaid !== undefined ? 'error' : reason, error };
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
        return decodeUpdate(line, {
          speech,
          tools,
          introduction,
          replaying,
          failed: () => {
            failed = true;
          },
          idle: () => {
            // A session that was opened again is idle before it is asked, and repeats what it says of itself.
            if (!asked || stop !== undefined) return [];
            return ended(line, { result: updateOf(line), path: ['params', 'update'] });
          },
        });
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
    messages: speech.messages,
    claudeDocument: () => claude.document(),
    kindOf: tools.kindOf,
  };
}

/** The kind of tool call that a permission request is about. */
export function permissionKind(params: Shape, kindOf: (id: string) => string | undefined): string {
  const subject = shapeAt(params, 'subject');
  if (subject.type === 'command') return 'execute';
  const call = params.toolCall === undefined ? shapeAt(subject, 'toolCall') : shapeAt(params, 'toolCall');
  const id = textAt(call, 'toolCallId');
  return textAt(call, 'kind') ?? (id === undefined ? undefined : kindOf(id)) ?? 'other';
}

/** Copilot says why its model failed as if that had said it, and ends its turn as if it had not; it then has no usage. */
function copilotError(
  result: Shape,
  { introduction, speech }: { readonly introduction: Shape; readonly speech: Speech },
): string | undefined {
  if (textAt(shapeAt(introduction, 'agentInfo'), 'name') !== 'Copilot' || result.usage !== undefined)
    return undefined;
  const last = speech.lastPiece();
  return last?.startsWith('Error: ') === true ? last.slice('Error: '.length) : undefined;
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  max_tokens: 'length',
  max_turn_requests: 'length',
  refusal: 'content-filter',
  error: 'error',
};
