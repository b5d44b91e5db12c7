import type { Line } from '../domain/agent.js';
import type { Artifact, Message, Part } from '../domain/message.js';
import { type Entry, isTerminal, stateAfter, type TaskState } from '../domain/task.js';
import { describeFailure } from './failure.js';

/** A task as its clients see it (A2A 1.0, 4.1.1). */
export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts: readonly Artifact[];
  readonly history: readonly Message[];
}

/** Where a task stands (4.1.2), since `at`, in milliseconds since the epoch. */
export interface TaskStatus {
  readonly state: TaskState;
  readonly message?: Message;
  readonly at: number;
}

/** What a stream tells (3.2.3, 4.2). */
export type StreamEvent =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'message'; readonly message: Message }
  | {
      readonly kind: 'status';
      readonly taskId: string;
      readonly contextId: string;
      readonly status: TaskStatus;
    }
  | {
      readonly kind: 'artifact';
      readonly taskId: string;
      readonly contextId: string;
      readonly artifact: Artifact;
      readonly append: boolean;
      readonly lastChunk: boolean;
    };

/** The artifact that holds a text answer. */
export const RESPONSE_ARTIFACT = 'response';

/** An agent's artifact never takes the place of the answer (A2A 1.0, 4.1.7: ids are unique within a task). */
const ownId = (artifactId: string): string =>
  artifactId === RESPONSE_ARTIFACT ? `agent-${RESPONSE_ARTIFACT}` : artifactId;

/** A task's log, folded as far as it was read; each entry costs the same, whatever came before it. */
export interface TaskFold {
  /** Takes in the next entries; `tell` hears what a stream says about them. */
  add(entries: readonly Entry[], tell?: (event: StreamEvent) => void): void;
  /** How many entries were taken in. */
  readonly length: number;
  readonly state: TaskState;
  task(): Task;
}

/**
 * Starts the fold of a task's log. The answer is what the agent itself said, its subagents left out: one artifact, a
 * blank line between messages. Of a structured task only whole artifacts count, which are logged after their check.
 */
export function foldTask({
  taskId,
  contextId,
}: {
  readonly taskId: string;
  readonly contextId: string;
}): TaskFold {
  const history: Message[] = [];
  const artifacts = new Map<string, Artifact & { readonly parts: Part[] }>();
  const answer: string[] = [];
  let status: TaskStatus = { state: 'submitted', at: 0 };
  let structured = false;
  let messageBegins = false;
  let length = 0;

  function addEntry(entry: Entry, tell: Tell): void {
    const state = stateAfter(entry);
    switch (entry.type) {
      case 'message': {
        if (length === 0) structured = entry.structured !== undefined;
        else if (status.message !== undefined) history.push(status.message);
        history.push(inTask(entry.message));
        break;
      }
      case 'run':
        messageBegins = true;
        break;
      case 'line':
        if (!structured) addLine(entry, tell);
        break;
      case 'artifact':
        if (entry.artifact.artifactId === RESPONSE_ARTIFACT && answer.length > 0)
          addText(entry.artifact, tell);
        else addArtifact({ artifact: entry.artifact, append: false, lastChunk: true }, tell);
        break;
      case 'notice':
        break;
      case 'state':
        if (isTerminal(entry.state) && answer.length > 0) tell?.(chunk('', { lastChunk: true }));
        break;
    }
    if (state !== undefined) {
      status =
        entry.type === 'state'
          ? settledStatus(entry, { taskId, contextId, structured, index: length })
          : { state, at: entry.at };
      if (length > 0) tell?.({ kind: 'status', taskId, contextId, status });
    }
    length += 1;
  }

  const inTask = (message: Message): Message => ({
    messageId: message.messageId,
    role: message.role,
    parts: message.parts,
    contextId,
    taskId,
    metadata: message.metadata,
    extensions: message.extensions,
    referenceTaskIds: message.referenceTaskIds,
  });

  function addLine({ events }: Line, tell: Tell): void {
    let said = '';
    for (const event of events ?? []) {
      if (event.type === 'delta' && event.parent === undefined) {
        messageBegins ||= event.startsMessage === true;
        if (event.text === '') continue;
        said += messageBegins && (answer.length > 0 || said !== '') ? `\n\n${event.text}` : event.text;
        messageBegins = false;
      } else if (event.type === 'artifact') {
        const { type: _, append, lastChunk, ...given } = event;
        const artifact = { ...given, artifactId: ownId(given.artifactId), extensions: [] };
        addArtifact({ artifact, append, lastChunk }, tell);
      }
    }
    if (said === '') return;
    tell?.(chunk(said, { lastChunk: false }));
    answer.push(said);
  }

  /** The answer of a later turn whose agent did not say it while it worked, after what an earlier turn has said. */
  function addText({ parts }: Artifact, tell: Tell): void {
    const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
    const said = `\n\n${text}`;
    tell?.(chunk(said, { lastChunk: false }));
    answer.push(said);
  }

  const chunk = (text: string, { lastChunk }: { readonly lastChunk: boolean }): StreamEvent => ({
    kind: 'artifact',
    taskId,
    contextId,
    artifact: response(text),
    append: answer.length > 0,
    lastChunk,
  });

  function addArtifact(
    update: { readonly artifact: Artifact; readonly append: boolean; readonly lastChunk: boolean },
    tell: Tell,
  ): void {
    const { artifact } = update;
    const known = update.append ? artifacts.get(artifact.artifactId) : undefined;
    if (known === undefined) artifacts.set(artifact.artifactId, copied(artifact));
    else for (const part of artifact.parts) known.parts.push(part);
    tell?.({ kind: 'artifact', taskId, contextId, ...update, append: known !== undefined });
  }

  // Not with getters: written into a literal they make every fold an object of a kind of its own to the engine of
  // JavaScript, and what such an object holds lives on long after its end.
  const fold: Writable<TaskFold> = {
    length: 0,
    state: status.state,
    add: (entries, tell) => {
      for (const entry of entries) addEntry(entry, tell);
      fold.length = length;
      fold.state = status.state;
    },
    task: () => {
      const said = answer.length === 0 ? undefined : response(answer.join(''));
      // Copied, so that the task stays what it was when more entries are taken in.
      const others = Array.from(artifacts.values(), copied);
      const own = others.filter(({ artifactId }) => said === undefined || artifactId !== RESPONSE_ARTIFACT);
      const all = said === undefined ? own : [said, ...own];
      return { id: taskId, contextId, status, artifacts: all, history: [...history] };
    },
  };
  return fold;
}

// What is copied here is written out, because a spread costs more than all the rest of a short task's fold.

const copied = (artifact: Artifact): Artifact & { readonly parts: Part[] } => ({
  artifactId: artifact.artifactId,
  name: artifact.name,
  description: artifact.description,
  parts: [...artifact.parts],
  metadata: artifact.metadata,
  extensions: artifact.extensions,
});

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The status that an entry of type `state` gives its task; `index` is its place in the log. */
export function settledStatus(
  { state, at, text, code, pointer }: Extract<Entry, { readonly type: 'state' }>,
  {
    taskId,
    contextId,
    structured,
    index,
  }: {
    readonly taskId: string;
    readonly contextId: string;
    readonly structured: boolean;
    readonly index: number;
  },
): TaskStatus {
  if (text === undefined && code === undefined) return { state, at };
  const failure =
    code && describeFailure({ code, ...(pointer !== undefined && { pointer }) }, { structured });
  const message: Message = {
    // The same on every reading of the log.
    messageId: `${taskId}-${index}`,
    role: 'agent',
    parts: [{ kind: 'text', text: text ?? code ?? '' }],
    contextId,
    taskId,
    extensions: [],
    referenceTaskIds: [],
    ...failure,
  };
  return { state, at, message };
}

/** Undefined: nobody listens, and nothing is made up for a listener. */
type Tell = ((event: StreamEvent) => void) | undefined;

const response = (text: string): Artifact => ({
  artifactId: RESPONSE_ARTIFACT,
  name: RESPONSE_ARTIFACT,
  parts: [{ kind: 'text', text }],
  extensions: [],
});
