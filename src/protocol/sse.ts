import { createParser } from 'eventsource-parser';
import { KediError } from '../domain/errors.js';

/** One event of a stream of server-sent events (WHATWG HTML, 9.2); without `event` a browser calls it `message`. */
export interface SseEvent {
  readonly event?: string;
  readonly id?: string;
  readonly data: string;
}

/** Headers of such a stream: not cached, and not held back by a proxy on the way. */
export const sseHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** A comment: keeps the connection alive where nothing is said, and is shown to nobody. */
export const sseHeartbeat = ':\n\n';

/**
 * The text of one event. Data may hold any line endings, each becomes a line of its own and reads back as `\n`; an
 * event's name or id with a line ending or NUL would forge or lose an event: KediError INTERNAL.
 */
export function encodeSse({ event, id, data }: SseEvent): string {
  const name = event === undefined ? '' : `event: ${fieldText(event)}\n`;
  const cursor = id === undefined ? '' : `id: ${fieldText(id)}\n`;
  return `${name}${cursor}${encodeSseData(data)}`;
}

/** The text of an event that has data alone: the short way for streams of many small events. */
export function encodeSseData(data: string): string {
  return lineEnding.test(data) ? `data: ${data.split(lineEnding).join('\ndata: ')}\n\n` : `data: ${data}\n\n`;
}

/** JSON on one line: its line endings are white space between values, and some readers take one line of data only. */
export const oneLine = (json: string): string =>
  lineEnding.test(json) ? json.replace(/[\r\n]/g, ' ') : json;

/**
 * The events of a stream's bytes, cut anywhere; an event over `maximum` characters, 16 million unless said, throws
 * KediError PEER_UNSUITABLE. Comments and unknown fields are passed over; a last event without its end is no event.
 */
export async function* decodeSse(
  bytes: AsyncIterable<Uint8Array>,
  { maximum = 16_000_000 }: { readonly maximum?: number } = {},
): AsyncGenerator<SseEvent, void, void> {
  let ready: SseEvent[] = [];
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: maximum,
    onEvent: (event) => ready.push(event),
    onError: (error) => {
      tooLarge ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const utf8 = new TextDecoder();
  for await (const chunk of bytes) {
    parser.feed(utf8.decode(chunk, { stream: true }));
    const events = ready;
    ready = [];
    yield* events;
    if (tooLarge)
      throw new KediError('PEER_UNSUITABLE', `The peer sent an event over ${maximum} characters.`);
  }
}

/** A place in a stream of numbered events, as agent-output/v1 writes it: `{session}-{seq}`. */
export interface Cursor {
  readonly session: string;
  readonly seq: number;
}

/** Whether a name may stand in a cursor: letters, digits, `.`, `_`, `-`, up to 128. */
export const isSessionName = (text: string): boolean => /^[A-Za-z0-9._-]{1,128}$/.test(text);

export const writeCursor = ({ session, seq }: Cursor): string => `${session}-${seq}`;

/** Reads a cursor; undefined for what `writeCursor` would not have written. A session's name may hold hyphens. */
export function readCursor(text: string): Cursor | undefined {
  const [, session, digits] = /^([A-Za-z0-9._-]{1,128})-(0|[1-9][0-9]{0,15})$/.exec(text) ?? [];
  if (session === undefined || digits === undefined) return undefined;
  const seq = Number(digits);
  return Number.isSafeInteger(seq) ? { session, seq } : undefined;
}

const lineEnding = /\r\n|\r|\n/;

function fieldText(text: string): string {
  if (/[\r\n\0]/.test(text))
    throw new KediError('INTERNAL', 'A line ending or NUL in the field of an event.');
  return text;
}
