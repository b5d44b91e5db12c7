import type { Artifact, Part } from '../domain/message.js';
import type { StreamEvent, Task, TaskStatus } from '../protocol/task-fold.js';

/** The task as it is after an event of its stream (A2A 1.0, 4.2.2 for `append`); undefined while there is none. */
export function afterEvent(task: Task | undefined, event: StreamEvent): Task | undefined {
  switch (event.kind) {
    case 'task':
      return event.task;
    case 'message':
      return task;
    case 'status':
      return { ...(task ?? newTask(event)), status: event.status };
    case 'artifact': {
      const known = task ?? newTask({ ...event, status: { state: 'working', at: 0 } });
      return { ...known, artifacts: afterArtifact(known.artifacts, event) };
    }
  }
}

/** What a task says, its artifacts' texts with a blank line between; its status where no artifact has text. */
export function textOf({ artifacts, status }: Pick<Task, 'artifacts' | 'status'>): string {
  const said = artifacts.map(({ parts }) => textOfParts(parts)).filter((text) => text !== '');
  return said.length > 0 ? said.join('\n\n') : textOfParts(status.message?.parts ?? []);
}

/** The text of parts: text as it is, data as the JSON that it is, a blank line between; no files. */
export const textOfParts = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => (part.kind === 'text' ? part.text : part.kind === 'data' ? part.json : []))
    .join('\n\n');

function afterArtifact(
  artifacts: readonly Artifact[],
  { artifact, append }: StreamEvent & { readonly kind: 'artifact' },
): readonly Artifact[] {
  const index = artifacts.findIndex(({ artifactId }) => artifactId === artifact.artifactId);
  const known = artifacts[index];
  if (known === undefined) return [...artifacts, artifact];
  return artifacts.with(
    index,
    append ? { ...known, parts: appended(known.parts, artifact.parts) } : artifact,
  );
}

/** Chunks of one text are one text part, and not a part a chunk. */
function appended(parts: readonly Part[], [first, ...rest]: readonly Part[]): readonly Part[] {
  const last = parts.at(-1);
  if (first === undefined) return parts;
  if (last?.kind !== 'text' || first.kind !== 'text') return [...parts, first, ...rest];
  return [...parts.slice(0, -1), { ...last, text: last.text + first.text }, ...rest];
}

const newTask = ({
  taskId,
  contextId,
  status,
}: {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
}): Task => ({ id: taskId, contextId, status, artifacts: [], history: [] });
