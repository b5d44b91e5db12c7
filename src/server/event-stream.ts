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

interface Member {
  beat(): unknown;
  stop(): void;
}

/** `heartbeatMs`: how often a comment is sent, so that proxies and clients do not take silence for a lost connection. */
export function createEventStreams({
  heartbeatMs = 15_000,
}: {
  readonly heartbeatMs?: number;
} = {}): EventStreams {
  const members = new Set<Member>();
  let clock: NodeJS.Timeout | undefined;
  let closed = false;

  const join = (member: Member): void => {
    members.add(member);
    clock ??= setInterval(() => {
      for (const each of members) each.beat();
    }, heartbeatMs);
  };
  const leave = (member: Member): void => {
    members.delete(member);
    if (members.size > 0) return;
    clearInterval(clock);
    clock = undefined;
  };

  return {
    attach(response) {
      const controller = new AbortController();
      const member: Member = {
        // A client that does not even take what it asked for needs no sign of life.
        beat: () => response.writableNeedDrain || response.write(sseHeartbeat),
        stop: () => {
          controller.abort();
          response.end();
        },
      };
      const write = async (text: string): Promise<void> => {
        if (response.writableEnded || response.destroyed || response.write(text)) return;
        await drained(response);
      };
      response.once('close', () => {
        leave(member);
        controller.abort();
      });
      return {
        signal: controller.signal,
        start(headers = {}) {
          response.writeHead(200, { ...sseHeaders, ...headers });
          response.flushHeaders();
          if (closed || response.destroyed || response.req.method === 'HEAD') member.stop();
          else join(member);
        },
        write,
        async writeAll(events, textOf) {
          let block = '';
          for (const event of events) {
            block += textOf(event);
            if (block.length < blockLength) continue;
            await write(block);
            block = '';
          }
          if (block !== '') await write(block);
        },
        end() {
          leave(member);
          response.end();
        },
      };
    },
    get size() {
      return members.size;
    },
    close() {
      closed = true;
      for (const member of [...members]) member.stop();
    },
  };
}

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
