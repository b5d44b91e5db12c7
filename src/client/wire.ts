import type { Span } from '../schema/document.js';
import type { Credentials } from './credentials.js';

/**
 * The five methods of A2A 1.0 that a client of a task needs, over one binding. Parameters and results are the exact
 * text of ProtoJSON, since the SDK's transports parse them and so round the numbers in data parts and metadata. Every
 * failure is a KediError: what the peer says of it under the peer's own reason, else PEER_UNSUITABLE or
 * PEER_UNREACHABLE.
 */
export interface Wire {
  /** A `SendMessageResponse`. */
  sendMessage(request: string, signal: AbortSignal): Promise<Span>;
  /** `StreamResponse`s, until the peer ends the stream. */
  streamMessage(request: string, signal: AbortSignal): AsyncGenerator<Span, void, void>;
  /** `StreamResponse`s of a task that runs already; the first is the task as it is now. */
  subscribe(taskId: string, signal: AbortSignal): AsyncGenerator<Span, void, void>;
  /** A `Task`. */
  getTask(taskId: string, signal: AbortSignal): Promise<Span>;
  /** A `Task`. */
  cancelTask(taskId: string, signal: AbortSignal): Promise<Span>;
}

/** The way to a peer by one of its interfaces. */
export interface Road {
  readonly url: string;
  readonly tenant: string | undefined;
  /** `A2A-Version`, and `A2A-Extensions` where there are some. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
}
