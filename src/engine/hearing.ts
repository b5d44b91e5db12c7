import type { OutputEvent } from '../domain/agent.js';
import type { Artifact, Part } from '../domain/message.js';

/** What has been made out of one run of an agent so far. */
export interface Hearing {
  /** Whether it has said something itself, in words that are not blank. */
  spoke(): boolean;
  /** Whether it has yielded an artifact. */
  gave(): boolean;
  /** What it yielded, whole; only where artifacts are held. */
  held(): readonly Artifact[];
  /** Takes in the events of a line, and returns those that may be shown already. */
  hear(events: readonly OutputEvent[] | undefined): readonly OutputEvent[] | undefined;
}

type ArtifactEvent = Extract<OutputEvent, { type: 'artifact' }>;

/**
 * Listens to one run. `holds`: artifacts are kept back until the typed result has passed its check, and never shown if
 * it does not.
 */
export function createHearing({ holds }: { readonly holds: boolean }): Hearing {
  const artifacts = new Map<string, Omit<Artifact, 'parts'> & { readonly parts: Part[] }>();
  let spoke = false;
  let gave = false;

  const hold = ({ type: _, append, lastChunk: __, ...artifact }: ArtifactEvent): void => {
    const known = append ? artifacts.get(artifact.artifactId) : undefined;
    if (known !== undefined) known.parts.push(...artifact.parts);
    else artifacts.set(artifact.artifactId, { ...artifact, parts: [...artifact.parts], extensions: [] });
  };

  return {
    spoke: () => spoke,
    gave: () => gave,
    held: () => [...artifacts.values()],
    hear(events) {
      if (events === undefined) return undefined;
      for (const event of events) {
        if (event.type === 'delta') spoke ||= event.parent === undefined && event.text.trim() !== '';
        if (event.type !== 'artifact') continue;
        gave = true;
        if (holds) hold(event);
      }
      return holds && gave ? events.filter((event) => event.type !== 'artifact') : events;
    },
  };
}
