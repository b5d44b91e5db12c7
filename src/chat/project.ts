import type { FinishReason, OutputEvent } from '../domain/agent.js';
import type { FailureCode } from '../domain/errors.js';
import type { Artifact, Part } from '../domain/message.js';
import type { Entry } from '../domain/task.js';
import type { ChatFailureCode, Frame, FrameContent, RunFigures } from '../protocol/agent-output.js';
import { RESPONSE_ARTIFACT } from '../protocol/task-fold.js';
import { describeArtifact } from './describe.js';

/** How far a task's log has been projected: all that the next entry's frames depend on. */
export interface Projection {
  /** The number of the next frame. */
  readonly seq: number;
  /** How many lines there were. */
  readonly lines: number;
  readonly structured: boolean;
  /** Whether the answer has begun, so that its next message is set off by a blank line. */
  readonly said: boolean;
  /** Whether what is said next begins a message. */
  readonly fresh: boolean;
  /** Whether the agent has asked its client something and not gone on since. */
  readonly waiting: boolean;
  /** Whether the terminal frame was made: there is none after it. */
  readonly ended: boolean;
  /** What the present run told of its end, held back until the task's own end is known. */
  readonly held: Held;
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
  let after = before;
  for (const entry of entries) {
    if (after.ended) break;
    const { change, contents } = step(after, entry);
    const line = entry.type === 'line' ? after.lines : Math.max(0, after.lines - 1);
    let seq = after.seq;
    for (const content of contents) frames.push({ ...content, seq: seq++, line });
    after = { ...after, ...change, seq };
  }
  return { after, frames };
}

interface Step {
  readonly change: Partial<Projection>;
  readonly contents: readonly FrameContent[];
}

function step(at: Projection, entry: Entry): Step {
  switch (entry.type) {
    case 'message':
      return { change: entry.structured === undefined ? {} : { structured: true }, contents: [] };
    case 'run':
      return run(at, entry);
    case 'line':
      return line(at, entry);
    case 'notice':
      return { change: {}, contents: [{ event: 'status', status: entry.status, content: entry.text }] };
    case 'artifact':
      return artifact(at, entry.artifact);
    case 'state':
      return state(at, entry);
  }
}

/** A further run is told; what the one before it said of its end goes with that, for it is not in `done`. */
function run(at: Projection, { attempt, why }: Extract<Entry, { type: 'run' }>): Step {
  const change = { fresh: true, waiting: false, held: {} };
  if (attempt > 1) {
    const content = why === undefined ? `Attempt ${attempt}.` : `Attempt ${attempt}: ${why}`;
    return { change, contents: [{ event: 'status', status: 'attempt', content, figures: figures(at.held) }] };
  }
  if (!at.waiting) return { change, contents: [] };
  return {
    change,
    contents: [{ event: 'status', status: 'working', content: 'The client answered; the agent goes on.' }],
  };
}

function line(at: Projection, { raw, channel, events }: Extract<Entry, { type: 'line' }>): Step {
  const lines = at.lines + 1;
  if (events === undefined) {
    return { change: { lines }, contents: [{ event: 'raw', content: text(raw), channel }] };
  }
  const contents: FrameContent[] = [];
  let { said, fresh, held } = at;
  for (const event of events) {
    switch (event.type) {
      case 'delta': {
        const { text, startsMessage, parent } = event;
        if (parent !== undefined) {
          // Not a `delta`: a client that knows only those takes every one of them for the answer.
          if (text !== '') contents.push({ event: 'status', status: 'subagent', content: text, parent });
          break;
        }
        fresh ||= startsMessage === true;
        if (text === '') break;
        contents.push(speech(text, { setOff: said && fresh }));
        said = true;
        fresh = false;
        break;
      }
      case 'tool_call': {
        const { id, name, input, parent } = event;
        contents.push({ event: 'tool_call', toolId: id, name, input, parent });
        break;
      }
      case 'tool_result': {
        const { id, ok, text, parent } = event;
        contents.push({ event: 'tool_result', toolId: id, ok, content: text, parent });
        break;
      }
      case 'status':
        contents.push({ event: 'status', status: event.status, content: event.text, parent: event.parent });
        break;
      case 'raw':
        contents.push({ event: 'raw', content: event.text, channel, parent: event.parent });
        break;
      case 'artifact':
        // Further pieces of one that was named when it began say nothing new.
        if (!event.append) contents.push(naming(event));
        break;
      case 'usage':
        held = { ...held, ...known(event) };
        break;
      case 'session':
        break;
    }
  }
  return { change: { lines, said, fresh, held }, contents };
}

const speech = (text: string, { setOff }: { readonly setOff: boolean }): FrameContent => ({
  event: 'delta',
  content: setOff ? `\n\n${text}` : text,
});

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

function artifact(at: Projection, artifact: Artifact): Step {
  if (artifact.artifactId === RESPONSE_ARTIFACT) {
    const spoken = artifact.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const contents = spoken === '' ? [] : [speech(spoken, { setOff: at.said })];
    return { change: { said: at.said || spoken !== '', fresh: false }, contents };
  }
  const document = at.structured
    ? artifact.parts.map(documentText).find((found) => found !== undefined)
    : undefined;
  const change = document === undefined ? {} : { held: { ...at.held, content: document } };
  return { change, contents: [naming(artifact)] };
}

/** A file or data is not conversation: the chat names it, and whoever wants it takes it from the task. */
function naming(artifact: Pick<Artifact, 'artifactId' | 'name' | 'parts'>): FrameContent {
  return {
    event: 'status',
    status: 'artifact',
    content: describeArtifact(artifact),
    artifactId: artifact.artifactId,
  };
}

function documentText(part: Part): string | undefined {
  if (part.kind === 'data') return part.json;
  if (part.kind === 'raw' && part.mediaType === 'application/json') return text(part.bytes);
  return undefined;
}

/** The end of a run: a question leaves the chat open, anything else is the one terminal frame. */
function state(at: Projection, entry: Extract<Entry, { type: 'state' }>): Step {
  switch (entry.state) {
    case 'input-required':
    case 'auth-required': {
      const status = entry.state === 'input-required' ? 'input_required' : 'auth_required';
      const content = entry.text ?? '';
      return {
        change: { waiting: true, held: {} },
        contents: [{ event: 'status', status, content, figures: figures(at.held) }],
      };
    }
    case 'completed': {
      const { finishReason = 'stop', content } = at.held;
      return {
        change: { ended: true },
        contents: [{ event: 'done', finishReason, content, figures: figures(at.held) }],
      };
    }
    case 'failed':
      return failure(at, entry.text ?? 'The task failed.', codeOf(entry, 'AGENT_FAILED'));
    case 'canceled':
      return failure(at, entry.text ?? 'The task was canceled.', codeOf(entry, 'CANCELED'));
    case 'rejected':
      return failure(at, entry.text ?? 'The agent declined the task.', codeOf(entry, 'REJECTED'));
  }
}

function failure(at: Projection, error: string, code: ChatFailureCode): Step {
  return { change: { ended: true }, contents: [{ event: 'error', error, code, figures: figures(at.held) }] };
}

function codeOf({ code }: { readonly code?: FailureCode }, absent: ChatFailureCode): ChatFailureCode {
  return code === 'INTERRUPTED' ? 'STREAM_INTERRUPTED' : (code ?? absent);
}

const figures = ({ model, usage, costUsd }: Held): RunFigures => ({ model, usage, costUsd });

/** Bytes that are not UTF-8 are shown as U+FFFD; the raw stream has them as they were. */
const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
