import type { ServerResponse } from 'node:http';
import type { ModelFinish, ModelRequest, ToolCall } from './script.js';

/** What a protocol has to put on the wire, once the script's step is resolved for the request. */
export interface Answer {
  readonly thinking: string | undefined;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly finish: ModelFinish;
}

/** One protocol of a model: reads its requests, writes its answers. */
export interface Protocol {
  /** Undefined: this request is another protocol's. */
  read(path: string, body: string): Omit<ModelRequest, 'path' | 'number' | 'headers' | 'body'> | undefined;
  /** The events of a streamed answer, in order; `data` is JSON text. */
  events(answer: Answer, request: ModelRequest): Iterable<ServerEvent>;
  /** The whole answer as JSON text, for a request that does not stream. */
  whole(answer: Answer, request: ModelRequest): string;
  error(status: number, message: string): string;
  /** The output tool by which this request wants a document, if it has one. */
  outputTool?(request: ModelRequest): string | undefined;
}

export interface ServerEvent {
  readonly event?: string;
  readonly data: string;
}

/** Pieces of a text as tokens would be: a few characters each, never half of one. */
export function pieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [];
}

/** JSON of a value in which the string `slot` stands for a JSON text that must go out unchanged. */
export function spliced(value: unknown, slots: Readonly<Record<string, string>>): string {
  let json = JSON.stringify(value);
  for (const [slot, text] of Object.entries(slots)) json = json.replace(`"${slot}"`, () => text);
  return json;
}

/** Writes events so that some of them, and some characters, arrive in two parts. */
export async function sendEvents(
  response: ServerResponse,
  { events, everyMs, stopAfter }: { events: Iterable<ServerEvent>; everyMs: number; stopAfter?: number },
): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
  let sent = 0;
  for (const { event, data } of events) {
    if (response.destroyed) return;
    if (stopAfter !== undefined && sent >= stopAfter) return;
    const bytes = Buffer.from(`${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`);
    const middle = Math.floor(bytes.length / 2);
    response.write(bytes.subarray(0, middle));
    response.write(bytes.subarray(middle));
    sent += 1;
    if (everyMs > 0) await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  response.end();
}

export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objects = (value: unknown): readonly Json[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const string = (value: unknown): string => (typeof value === 'string' ? value : '');
