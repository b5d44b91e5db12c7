import type { ServerResponse } from 'node:http';
import { sseHeaders, sseHeartbeat } from '../protocol/sse.js';

/** A response that is, or is to be, a stream of server-sent events. */
export interface EventStream {
  /** Aborts when the client has gone or the server closes its streams. */
  readonly signal: AbortSignal;
  /** Sends the head, `headers` beside those of every event stream, and keeps the connection alive from then on. */
  start(headers?: Readonly<Record<string, string>>): void;
  /**
   * Sends the text of events; resolves once the client has taken enough of it for more, at once where it keeps up.
   * A client that has gone is no error: nothing is sent, and `signal` tells.
   */
  write(text: string): Promise<void>;
  /** Sends the texts of many events, some at a time, so that no more than that waits for a slow client. */
  writeAll<T>(events: Iterable<T>, textOf: (event: T) => string): Promise<void>;
  end(): void;
}

/** All streams of a server: they share one clock for their heartbeats and end together. */
export interface EventStreams {
  /** Takes a response of which nothing is sent yet, and need not become a stream. */
  attach(response: ServerResponse): EventStream;
  /** How many were started and have not ended. */
  readonly size: number;
  /** Ends every stream, and those started later at once: their clients come back with their cursor. */
  close(): void;
}

/** `heartbeatMs`: how often a comment is sent, so that proxies and clients do not take silence for a lost connection. */
export function createEventStreams({
  heartbeatMs = 15_000,
}: {
  readonly heartbeatMs?: number;
} = {}): EventStreams {
  const started = new Set<Stream>();
  let clock: NodeJS.Timeout | undefined;
  let closed = false;

  const crowd: Crowd = {
    join(stream) {
      if (closed) return stream.stop();
      started.add(stream);
      clock ??= setInterval(() => {
        for (const each of started) each.beat();
      }, heartbeatMs);
    },
    leave(stream) {
      started.delete(stream);
      if (started.size > 0) return;
      clearInterval(clock);
      clock = undefined;
    },
  };

  return {
    attach: (response) => new Stream(response, crowd),
    get size() {
      return started.size;
    },
    close() {
      closed = true;
      for (const stream of [...started]) stream.stop();
    },
  };
}

interface Crowd {
  join(stream: Stream): void;
  leave(stream: Stream): void;
}

/** A class, because there may be thousands, and each would hold closures of its own for what it hardly ever does. */
class Stream implements EventStream {
  readonly #response: ServerResponse;
  readonly #crowd: Crowd;
  readonly #gone = new AbortController();
  #missed = 0;

  constructor(response: ServerResponse, crowd: Crowd) {
    this.#response = response;
    this.#crowd = crowd;
    const { socket } = response.req;
    const left = (): void => {
      response.off('close', left);
      socket.off('close', left);
      crowd.leave(this);
      this.#gone.abort();
    };
    // A response that waits behind others on its connection has no socket of its own yet, and hears nothing of its end.
    response.once('close', left);
    socket.once('close', left);
  }

  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  start(headers: Readonly<Record<string, string>> = {}): void {
    const response = this.#response;
    response.writeHead(200, { ...sseHeaders, ...headers });
    response.flushHeaders();
    if (response.destroyed || response.req.method === 'HEAD') this.stop();
    else this.#crowd.join(this);
  }

  async write(text: string): Promise<void> {
    const response = this.#response;
    if (response.writableEnded || response.destroyed || response.write(text)) return;
    await drained(response);
  }

  async writeAll<T>(events: Iterable<T>, textOf: (event: T) => string): Promise<void> {
    let block = '';
    for (const event of events) {
      block += textOf(event);
      if (block.length < blockLength) continue;
      await this.write(block);
      block = '';
    }
    if (block !== '') await this.write(block);
  }

  end(): void {
    this.#crowd.leave(this);
    this.#response.end();
  }

  /** A client that does not even take what it asked for needs no sign of life, and is let go in the end. */
  beat(): void {
    this.#missed = this.#response.writableNeedDrain ? this.#missed + 1 : 0;
    if (this.#missed >= patience) this.#response.destroy();
    else if (this.#missed === 0) this.#response.write(sseHeartbeat);
  }

  stop(): void {
    this.#gone.abort();
    this.end();
  }
}

/** Heartbeats that a client may miss, two minutes of them as shipped; it comes back where it left off. */
const patience = 8;

/** Characters that are sent at once: enough to be quick, little enough to be held for each of many clients. */
const blockLength = 32_768;

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}
