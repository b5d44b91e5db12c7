import type { JsonText } from './json.js';

/** One piece of content of a message or an artifact (A2A 1.0, `Part`); `bytes` are what the wire carries as base64. */
export type Part = PartContent & {
  readonly mediaType?: string;
  readonly filename?: string;
  readonly metadata?: JsonText;
};

type PartContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'data'; readonly json: JsonText };

/** One message of a task or a context (A2A 1.0, `Message`); an absent list of the wire is an empty one here. */
export interface Message {
  readonly messageId: string;
  readonly role: 'user' | 'agent';
  readonly parts: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: JsonText;
  readonly extensions: readonly string[];
  readonly referenceTaskIds: readonly string[];
}

/** One output of a task (A2A 1.0, `Artifact`). */
export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonText;
  readonly extensions: readonly string[];
}
