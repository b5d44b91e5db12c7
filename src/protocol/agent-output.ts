import type { FinishReason, OutputSource } from '../domain/agent.js';
import { type FailureCode, KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { isSessionName, oneLine, writeCursor } from './sse.js';

/** Extension `agent-output/v1`, by which a client knows that a task can be watched as a conversation (clause 1). */
export const AGENT_OUTPUT_URI = 'https://agentic-sandbox.aiwg.io/extensions/agent-output/v1';

/** Where the conversation is read (clause 3), below the server's origin. */
export const CHAT_PATH = '/api/v1/agent-output/chat';

/** The vocabulary of the stream, in the order of clause 6. */
export const FRAME_EVENTS = ['delta', 'tool_call', 'tool_result', 'status', 'done', 'error', 'raw'] as const;

/** What to put into `capabilities.extensions` of the card (clause 6); `sources` are those of the running agent. */
export function agentOutputExtension(sources: readonly OutputSource[]) {
  return {
    uri: AGENT_OUTPUT_URI,
    description:
      'Watch a task as a conversation: text, tool calls and their results, status and usage, over SSE.',
    required: false,
    params: {
      sources,
      events: FRAME_EVENTS,
      envelope: 'fortemi-chat-stream/v1',
      id_format: '{session}-{seq}',
      resume: 'last-event-id',
    },
  };
}

/**
 * The entry for `supportedInterfaces` of the card (clause 6): the extension's own three fields beside those that
 * A2A 1.0 requires. `strict` leaves out the two that A2A does not know.
 */
export function agentOutputInterface(origin: string, { strict }: { readonly strict: boolean }) {
  const known = {
    url: `${origin}${CHAT_PATH}?command_id={command_id}`,
    protocolBinding: AGENT_OUTPUT_URI,
    protocolVersion: '1.0',
  };
  return strict ? known : { ...known, transport: 'SSE', extension: AGENT_OUTPUT_URI };
}

/** A failure's code as this extension knows it: a run that was cut off is `STREAM_INTERRUPTED`. */
export type ChatFailureCode = Exclude<FailureCode, 'INTERRUPTED'> | 'STREAM_INTERRUPTED';

/** What a run of the agent told about itself at its end, each as the agent wrote it. */
export interface RunFigures {
  readonly model?: string;
  readonly usage?: JsonText;
  readonly costUsd?: JsonText;
}

/**
 * One frame without its place: the event of clause 4 and its fields. What goes beyond that clause is additive: the
 * `parent` of a subagent's frames, the `channel` of a raw line, the figures of a run that did not end in `done`.
 */
export type FrameBody =
  | { readonly event: 'delta'; readonly content: string }
  | {
      readonly event: 'tool_call';
      readonly toolId: string;
      readonly name: string;
      readonly input: JsonText;
      readonly parent?: string;
    }
  | {
      readonly event: 'tool_result';
      readonly toolId: string;
      readonly ok: boolean;
      readonly content: string;
      readonly parent?: string;
    }
  | {
      readonly event: 'status';
      readonly status: string;
      readonly content: string;
      readonly parent?: string;
      readonly artifactId?: string;
      readonly figures?: RunFigures;
    }
  | {
      readonly event: 'raw';
      readonly content: string;
      readonly channel: 'stdout' | 'stderr';
      readonly parent?: string;
    }
  | {
      readonly event: 'done';
      readonly finishReason: FinishReason;
      readonly content?: string;
      readonly figures: RunFigures;
    }
  | {
      readonly event: 'error';
      readonly error: string;
      readonly code: ChatFailureCode;
      readonly figures: RunFigures;
    };

/** One frame in its place: `seq` counts the task's frames from 0, `line` is the line of the log that it came from. */
export interface Frame {
  readonly seq: number;
  readonly line: number;
  readonly body: FrameBody;
}

/**
 * Prints the `data` of frames of one task: JSON on a single line, with documents spliced in as they were written.
 * Made once a reader, since what is the same in every frame is printed once.
 */
export function frameWriter({
  sessionId,
  commandId,
}: {
  readonly sessionId: string;
  readonly commandId: string;
}): (frame: Frame) => string {
  const place = `"session_id":${JSON.stringify(sessionId)},"raw_ref":{"command_id":${JSON.stringify(commandId)},"line":`;
  return ({ body, line }) => `{${fields(body)},${place}${line}}}`;
}

/**
 * Prints frames of one task as server-sent events. The data is on one line by its making, so that no frame is looked
 * through for line endings again; a session's name that could not stand in an id: KediError INTERNAL.
 */
export function eventWriter(place: {
  readonly sessionId: string;
  readonly commandId: string;
}): (frame: Frame) => string {
  const { sessionId: session } = place;
  if (!isSessionName(session)) throw new KediError('INTERNAL', 'A session whose name cannot stand in an id.');
  const data = frameWriter(place);
  return (frame) =>
    `event: ${frame.body.event}\nid: ${writeCursor({ session, seq: frame.seq })}\ndata: ${data(frame)}\n\n`;
}

function fields(body: FrameBody): string {
  switch (body.event) {
    case 'delta':
      return `"role":"assistant","kind":"message","content":${JSON.stringify(body.content)}`;
    case 'tool_call':
      return `"role":"assistant","kind":"tool_call","name":${JSON.stringify(body.name)},"tool_id":${JSON.stringify(body.toolId)},"input":${oneLine(body.input)}${parent(body)}`;
    case 'tool_result':
      return `"role":"tool","kind":"tool_result","tool_id":${JSON.stringify(body.toolId)},"status":"${body.ok ? 'ok' : 'error'}","content":${JSON.stringify(body.content)}${parent(body)}`;
    case 'status': {
      const artifact =
        body.artifactId === undefined ? '' : `,"artifact_id":${JSON.stringify(body.artifactId)}`;
      return `"role":"system","kind":"message","status":${JSON.stringify(body.status)},"content":${JSON.stringify(body.content)}${artifact}${parent(body)}${told(body.figures)}`;
    }
    case 'raw':
      return `"role":"system","kind":"raw","content":${JSON.stringify(body.content)},"stream":"${body.channel}"${parent(body)}`;
    case 'done': {
      // A client of the envelope may count on a model's name, so it is there even when it is not known.
      const figures = told({ ...body.figures, model: body.figures.model ?? '' });
      const content = body.content === undefined ? '' : `,"content":${JSON.stringify(body.content)}`;
      return `"role":"status","kind":"usage","finish_reason":"${body.finishReason}"${figures}${content}`;
    }
    case 'error':
      return `"error":${JSON.stringify(body.error)},"code":"${body.code}"${told(body.figures)}`;
  }
}

function parent({ parent }: { readonly parent?: string }): string {
  return parent === undefined ? '' : `,"parent_tool_id":${JSON.stringify(parent)}`;
}

function told(figures: RunFigures | undefined): string {
  if (figures === undefined) return '';
  const model = figures.model === undefined ? '' : `,"model":${JSON.stringify(figures.model)}`;
  const usage = figures.usage === undefined ? '' : `,"usage":${oneLine(figures.usage)}`;
  const cost = figures.costUsd === undefined ? '' : `,"total_cost_usd":${oneLine(figures.costUsd)}`;
  return `${model}${usage}${cost}`;
}
