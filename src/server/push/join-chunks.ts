import type { Part } from '../../domain/message.js';
import type { StreamEvent } from '../../protocol/task-fold.js';

type ArtifactEvent = Extract<StreamEvent, { readonly kind: 'artifact' }>;

/**
 * Chunks of one artifact that follow each other as one, so that a receiver that was slow or away gets what it missed
 * in one notification and not word by word. What they say together stays the same.
 */
export function joinChunks(events: readonly StreamEvent[]): readonly StreamEvent[] {
  const joined: StreamEvent[] = [];
  let run: ArtifactEvent[] = [];
  const flush = (): void => {
    const event = join(run);
    if (event !== undefined) joined.push(event);
    run = [];
  };
  for (const event of events) {
    if (event.kind !== 'artifact') {
      flush();
      joined.push(event);
      continue;
    }
    const goesOn = event.append && run[0]?.artifact.artifactId === event.artifact.artifactId;
    if (!goesOn) flush();
    run.push(event);
  }
  flush();
  return joined;
}

function join(run: readonly ArtifactEvent[]): ArtifactEvent | undefined {
  const [first] = run;
  const last = run.at(-1);
  if (first === undefined || last === undefined || run.length === 1) return first;
  const parts: Part[] = [];
  let text: string[] = [];
  const flush = (): void => {
    if (text.length > 0) parts.push({ kind: 'text', text: text.join('') });
    text = [];
  };
  for (const { artifact } of run) {
    for (const part of artifact.parts) {
      if (isPlainText(part)) text.push(part.text);
      else {
        flush();
        parts.push(part);
      }
    }
  }
  flush();
  return { ...first, artifact: { ...first.artifact, parts }, lastChunk: last.lastChunk };
}

const isPlainText = (part: Part): part is Part & { readonly kind: 'text' } =>
  part.kind === 'text' &&
  part.metadata === undefined &&
  part.filename === undefined &&
  part.mediaType === undefined;
