import type { FinishReason, OutputEvent } from '../domain/agent.js';
import type { FailureCode } from '../domain/errors.js';
import type { Artifact, Part } from '../domain/message.js';
import type { Entry } from '../domain/task.js';
import type { ChatFailureCode, Frame, FrameBody, RunFigures } from '../protocol/agent-output.js';
import { RESPONSE_ARTIFACT } from '../protocol/task-fold.js';
import { describeArtifact } from './describe.js';

/** How far a task's log has been projected: all that the next entry's frames depend on. */
export type Projection = Readonly<Draft>;

interface Draft {
  /** The number of the next frame. */
  seq: number;
  /** How many lines there were. */
  lines: number;
  structured: boolean;
  /** Whether the answer has begun, so that its next message is set off by a blank line. */
  said: boolean;
  /** Whether what is said next begins a message. */
  fresh: boolean;
  /** Whether the agent has asked its client something and not gone on since. */
  waiting: boolean;
  /** Whether the terminal frame was made: there is none after it. */
  ended: boolean;
  /** What the present run told of its end, held back until the task's own end is known. */
  held: Held;
}

interface Held extends RunFigures {
  readonly finishReason?: FinishReason;
  /** What `done` carries as `content`: the agent's own last word, or the typed document. */
  readonly content?: string;
}

/** The projection of a log of which nothing has been read. */
export const unread: Projection = {
  seq: 0,
  lines: 0,
  structured: false,
  said: false,
  fresh: false,
  waiting: false,
  ended: false,
  held: {},
};

/**
 * Folds further entries of a task's log into frames (agent-output/v1, clause 4). Pure: the same entries give the same
 * frames with the same numbers, read at once or one by one, live or a year later.
 */
export function project(
  before: Projection,
  entries: readonly Entry[],
): { readonly after: Projection; readonly frames: readonly Frame[] } {
  const frames: Frame[] = [];
  const at: Draft = { ...before };
  for (const entry of entries) {
    if (at.ended) break;
    const line = entry.type === 'line' ? at.lines : Math.max(0, at.lines - 1);
    for (const body of takeIn(at, entry)) frames.push({ seq: at.seq++, line, body });
  }
  return { after: at, frames };
}

const silence: readonly FrameBody[] = [];

/** Moves on by one entry, and tells what it says. */
function takeIn(at: Draft, entry: Entry): readonly FrameBody[] {
  switch (entry.type) {
    case 'message':
      if (entry.structured !== undefined) at.structured = true;
      return silence;
    case 'run':
      return beginRun(at, entry);
    case 'line':
      return takeLine(at, entry);
    case 'notice':
      return [{ event: 'status', status: entry.status, content: entry.text }];
    case 'artifact':
      return takeArtifact(at, entry.artifact);
    case 'state':
      return endRun(at, entry);
  }
}

/** A further run is told; what the one before it said of its end goes with that, for it is not in `done`. */
function beginRun(at: Draft, { attempt, why }: Extract<Entry, { type: 'run' }>): readonly FrameBody[] {
  const { waiting, held } = at;
  at.fresh = true;
  at.waiting = false;
  at.held = {};
  if (attempt > 1) {
    const content = why === undefined ? `Attempt ${attempt}.` : `Attempt ${attempt}: ${why}`;
    return [{ event: 'status', status: 'attempt', content, figures: figures(held) }];
  }
  if (!waiting) return silence;
  return [{ event: 'status', status: 'working', content: 'The client answered; the agent goes on.' }];
}

function takeLine(
  at: Draft,
  { raw, channel, events }: Extract<Entry, { type: 'line' }>,
): readonly FrameBody[] {
  at.lines += 1;
  if (events === undefined) return [{ event: 'raw', content: text(raw), channel }];
  const bodies: FrameBody[] = [];
  for (const event of events) {
    const body = takeEvent(at, event, channel);
    if (body !== undefined) bodies.push(body);
  }
  return bodies;
}

function takeEvent(at: Draft, event: OutputEvent, channel: 'stdout' | 'stderr'): FrameBody | undefined {
  switch (event.type) {
    case 'delta': {
      const { text, startsMessage, parent } = event;
      if (parent !== undefined) {
        // Not a `delta`: a client that knows only those takes every one of them for the answer.
        return text === '' ? undefined : { event: 'status', status: 'subagent', content: text, parent };
      }
      at.fresh ||= startsMessage === true;
      return text === '' ? undefined : say(at, text);
    }
    case 'tool_call': {
      const { id, name, input, parent } = event;
      return { event: 'tool_call', toolId: id, name, input, parent };
    }
    case 'tool_result': {
      const { id, ok, text, parent } = event;
      return { event: 'tool_result', toolId: id, ok, content: text, parent };
    }
    case 'status':
      return { event: 'status', status: event.status, content: event.text, parent: event.parent };
    case 'raw':
      return { event: 'raw', content: event.text, channel, parent: event.parent };
    case 'artifact':
      // Further pieces of one that was named when it began say nothing new.
      return event.append ? undefined : naming(event);
    case 'usage':
      at.held = { ...at.held, ...known(event) };
      return undefined;
    case 'session':
      return undefined;
  }
}

function say(at: Draft, text: string): FrameBody {
  const content = at.said && at.fresh ? `\n\n${text}` : text;
  at.said = true;
  at.fresh = false;
  return { event: 'delta', content };
}

function known(event: Extract<OutputEvent, { type: 'usage' }>): Held {
  const { model, usage, costUsd, finishReason, text: content } = event;
  return {
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    ...(finishReason !== undefined && { finishReason }),
    ...(content !== undefined && { content }),
  };
}

function takeArtifact(at: Draft, artifact: Artifact): readonly FrameBody[] {
  if (artifact.artifactId === RESPONSE_ARTIFACT) {
    const words = artifact.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    at.fresh = true;
    return words === '' ? silence : [say(at, words)];
  }
  if (at.structured) {
    const document = artifact.parts.map(documentText).find((found) => found !== undefined);
    if (document !== undefined) at.held = { ...at.held, content: document };
  }
  return [naming(artifact)];
}

/** A file or data is not conversation: the chat names it, and whoever wants it takes it from the task. */
function naming(artifact: Pick<Artifact, 'artifactId' | 'name' | 'parts'>): FrameBody {
  const { artifactId } = artifact;
  return { event: 'status', status: 'artifact', content: describeArtifact(artifact), artifactId };
}

function documentText(part: Part): string | undefined {
  if (part.kind === 'data') return part.json;
  if (part.kind === 'raw' && part.mediaType === 'application/json') return text(part.bytes);
  return undefined;
}

/** The end of a run: a question leaves the chat open, anything else is the one terminal frame. */
function endRun(at: Draft, entry: Extract<Entry, { type: 'state' }>): readonly FrameBody[] {
  const { held } = at;
  if (entry.state === 'input-required' || entry.state === 'auth-required') {
    const status = entry.state === 'input-required' ? 'input_required' : 'auth_required';
    at.waiting = true;
    at.held = {};
    return [{ event: 'status', status, content: entry.text ?? '', figures: figures(held) }];
  }
  at.ended = true;
  if (entry.state === 'completed') {
    const { finishReason = 'stop', content } = held;
    return [{ event: 'done', finishReason, content, figures: figures(held) }];
  }
  const [sentence, code] = unsaid[entry.state];
  const error = entry.text ?? sentence;
  return [{ event: 'error', error, code: codeOf(entry.code) ?? code, figures: figures(held) }];
}

/** For an end of which the log does not say why. */
const unsaid = {
  failed: ['The task failed.', 'AGENT_FAILED'],
  canceled: ['The task was canceled.', 'CANCELED'],
  rejected: ['The agent declined the task.', 'REJECTED'],
} as const;

const codeOf = (code: FailureCode | undefined): ChatFailureCode | undefined =>
  code === 'INTERRUPTED' ? 'STREAM_INTERRUPTED' : code;

const figures = ({ model, usage, costUsd }: Held): RunFigures => ({ model, usage, costUsd });

/** Bytes that are not UTF-8 are shown as U+FFFD; the raw stream has them as they were. */
const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
