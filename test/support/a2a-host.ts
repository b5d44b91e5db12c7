import { onTestFinished } from 'vitest';
import type { Agent, AgentKind, Line, OutputEvent } from '../../src/domain/agent.js';
import { decodeSse } from '../../src/protocol/sse.js';
import { createLogger } from '../../src/server/logger.js';
import { readSettings } from '../../src/server/read-settings.js';
import type { SettingName } from '../../src/server/settings.js';
import { startServer } from '../../src/server/start.js';
import { temporaryDirectory, type Until } from './temporary.js';

/** Parsed JSON as a test looks into it: of any shape, and the test fails where it is another. */
export type Json = ReturnType<typeof JSON.parse>;

/** A whole server in the test's own process, on a free port of loopback. */
export interface A2aHost {
  readonly url: string;
  readonly directory: string;
  /** What the server logged, a JSON object a line. */
  readonly logged: readonly string[];
  /** One call of JSON-RPC; its whole response body. */
  call(method: string, params?: unknown, headers?: Readonly<Record<string, string>>): Promise<Json>;
  /** The result of a call; an Error when it has none. */
  result(method: string, params?: unknown): Promise<Json>;
  /** The results in the events of a streaming call, in order, each as it comes. */
  stream(
    method: string,
    params: unknown,
    options?: { readonly signal?: AbortSignal },
  ): AsyncGenerator<Json, void, void>;
  /** A body as it is, and the response with its text. */
  post(
    body: string | Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly text: string }>;
  close(): Promise<void>;
}

/** Starts a server with these flags; `agentKind` for one of the test's own. It ends with the test, at the latest. */
export async function startA2aHost({
  agentKind,
  flags = {},
  directory,
  heartbeatMs,
  until = onTestFinished,
}: {
  readonly agentKind?: AgentKind;
  readonly flags?: Readonly<Partial<Record<SettingName, string>>>;
  readonly directory?: string;
  readonly heartbeatMs?: number;
  readonly until?: Until;
} = {}): Promise<A2aHost> {
  const home = directory ?? (await temporaryDirectory(until));
  const logged: string[] = [];
  const logger = createLogger({
    sink: { write: (line) => logged.push(line) },
    level: 'info',
    format: 'json',
  });
  const settings = readSettings({ flags: { port: '0', dataDir: home, ...flags }, directory: home });
  const server = await startServer(settings, { logger, env: process.env, agentKind, heartbeatMs });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= server.close();
    return closing;
  };
  until(close);

  const endpoint = `${server.url}/a2a`;
  const request = (body: string | Uint8Array, init: { headers?: object; signal?: AbortSignal } = {}) =>
    fetch(endpoint, {
      method: 'POST',
      body,
      ...(init.signal && { signal: init.signal }),
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0', ...init.headers },
    });
  const bodyOf = (method: string, params: unknown): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

  const call = async (method: string, params: unknown = {}, headers = {}): Promise<Json> =>
    (await request(bodyOf(method, params), { headers })).json();

  return {
    url: server.url,
    directory: home,
    logged,
    call,
    async result(method, params) {
      const { result, error } = await call(method, params);
      if (result === undefined) throw new Error(JSON.stringify(error));
      return result;
    },
    async *stream(method, params, { signal } = {}) {
      const response = await request(bodyOf(method, params), signal === undefined ? {} : { signal });
      if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
        throw new Error(`no stream: ${await response.text()}`);
      }
      for await (const { data } of decodeSse(response.body)) {
        const { result, error } = JSON.parse(data);
        if (result === undefined) throw new Error(JSON.stringify(error));
        yield result;
      }
    },
    async post(body, headers = {}) {
      const response = await request(body, { headers });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    close,
  };
}

/** A kind of agent that does what the test says. */
export const scripted = (
  run: Agent['run'],
  more: Partial<AgentKind> & { readonly reply?: Agent['reply'] } = {},
): AgentKind => {
  const { reply, ...kind } = more;
  return {
    kind: 'scripted',
    summary: 'Does what a test says.',
    source: 'text',
    options: { type: 'object', properties: {}, additionalProperties: false },
    structured: () => 'native',
    create: () => ({ run, ...(reply && { reply }) }),
    ...kind,
  };
};

/** A line that an agent wrote, with what it means. */
export const line = (...events: readonly OutputEvent[]): Line => ({
  raw: Buffer.from(JSON.stringify(events.map(({ type }) => type))),
  channel: 'stdout',
  events,
});

/** A line that says a piece of the answer. */
export const says = (text: string, startsMessage?: true): Line =>
  line({ type: 'delta', text, ...(startsMessage && { startsMessage }) });

/** A message of a user, of one text part unless told. */
export const message = (parts: string | readonly object[] = 'hello', more: object = {}) => ({
  messageId: `m-${Math.random().toString(36).slice(2)}`,
  role: 'ROLE_USER',
  parts: typeof parts === 'string' ? [{ text: parts }] : parts,
  ...more,
});

/** Params of SendMessage that ask for a document by this schema. */
export const typed = (
  schema: string | object,
  {
    kedi = {},
    configuration = {},
    extensions = ['https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/'],
    more = {},
  }: { kedi?: object; configuration?: object; extensions?: readonly string[]; more?: object } = {},
) => ({
  message: message('give me a document', { extensions, ...more }),
  configuration: { acceptedOutputModes: ['application/json'], ...configuration },
  metadata: {
    kediStructuredOutput: {
      version: 1,
      resultEncoding: 'json-utf8',
      schemaJson: typeof schema === 'string' ? schema : JSON.stringify(schema),
      ...kedi,
    },
  },
});

/** The text of a task's answer. */
export const answerOf = (task: Json): string =>
  (task.artifacts?.[0]?.parts ?? []).map((part: Json) => part.text).join('');

/** Resolves once `look` gives something; fails the test after some seconds. */
export async function eventually<T>(
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (const end = Date.now() + 10_000; ; ) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error('it did not come to be within 10 seconds');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
