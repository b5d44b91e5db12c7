import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Checkpoints } from '../chat/checkpoints.js';
import type { OutputSource } from '../domain/agent.js';
import type { Logger, TaskLog } from '../domain/ports.js';
import type { Caller } from './caller.js';
import type { EventStreams } from './event-stream.js';

/** What the routes of the chat need from the server around them. */
export interface ChatSurroundings {
  readonly log: TaskLog;
  readonly streams: EventStreams;
  /** The format of what a kind of agent writes; undefined for a kind that is not known any more. */
  readonly sourceOf: (agentKind: string) => OutputSource | undefined;
  readonly logger: Logger;
}

/** One request with all that is known of it. */
export interface ChatExchange extends ChatSurroundings {
  readonly checkpoints: Checkpoints;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly caller: Caller;
}

/**
 * What goes on when a route has answered the head of its request, if anything: apart from it, so that of all that was
 * read and decided before nothing is held for as long as a client listens.
 */
export type Streaming = (() => Promise<void>) | undefined;
