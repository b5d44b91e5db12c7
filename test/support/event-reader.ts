import { decodeSse, type SseEvent } from '../../src/protocol/sse.js';

/** A connection to an event stream that a test reads event by event. */
export interface EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** The next event; undefined when the server has ended the stream. */
  next(): Promise<SseEvent | undefined>;
  /** All events until the server ends the stream. */
  rest(): Promise<SseEvent[]>;
  /** Breaks the connection off. */
  abort(): void;
}

/** Connects by `fetch`; with `lastEventId` as a browser does that comes back. */
export async function readEvents(
  url: string,
  {
    lastEventId,
    headers = {},
  }: { readonly lastEventId?: string; readonly headers?: Record<string, string> } = {},
): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(url, {
    signal: controller.signal,
    headers: { ...headers, ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) },
  });
  const body = response.body ?? new ReadableStream<Uint8Array>({ start: (stream) => stream.close() });
  const events = decodeSse(body);
  const next = async (): Promise<SseEvent | undefined> => {
    const { done, value } = await events.next();
    return done === true ? undefined : value;
  };
  return {
    status: response.status,
    headers: response.headers,
    next,
    async rest() {
      const read: SseEvent[] = [];
      for (let event = await next(); event !== undefined; event = await next()) read.push(event);
      return read;
    },
    abort: () => controller.abort(),
  };
}
