import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { kediExtension } from '../../src/protocol/kedi-extension.js';
import type { Until } from './temporary.js';

/** One request that a scripted peer received. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** `method` of a JSON-RPC call. */
  readonly call: string | undefined;
}

/** A peer that behaves as a test says, over real HTTP: for what a well-behaved server never does. */
export interface ScriptedPeer {
  readonly url: string;
  readonly received: readonly Received[];
  /** The JSON-RPC calls in their order, `GetTask` and the like. */
  calls(): readonly string[];
}

export type Answering = (response: ServerResponse, received: Received) => void | Promise<void>;

/** Starts a peer on a free port of loopback; `card` makes its card, `answer` all else. */
export async function startPeer({
  card = peerCard,
  answer,
  until = onTestFinished,
}: {
  readonly card?: (url: string) => unknown;
  readonly answer: Answering;
  readonly until?: Until;
}): Promise<ScriptedPeer> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const body = (await buffer(request)).toString();
    const one: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body,
      call: /"method":"(\w+)"/.exec(body)?.[1],
    };
    received.push(one);
    if (one.path === '/.well-known/agent-card.json') return answerJson(response, card(url));
    await answer(response, one);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  until(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url, received, calls: () => received.flatMap(({ call }) => call ?? []) };
}

/** A card without fault; `over` replaces its fields. */
export const peerCard = (url: string, over: Readonly<Record<string, unknown>> = {}) => ({
  name: 'Scripted',
  description: 'Does what a test says.',
  version: '1.0.0',
  supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: true, extensions: [kediExtension()] },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'any', name: 'Any', description: 'Anything.', tags: ['test'] }],
  ...over,
});

export function answerJson(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Answers the call with a result, which may be JSON text. */
export const answerResult = (response: ServerResponse, result: unknown): void =>
  answerJson(response, `{"jsonrpc":"2.0","id":1,"result":${textOf(result)}}`);

/** Begins a stream of JSON-RPC responses and sends these results; the test ends or breaks it. */
export function streamResults(response: ServerResponse, results: readonly unknown[]): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const result of results)
    response.write(`data: {"jsonrpc":"2.0","id":1,"result":${textOf(result)}}\n\n`);
}

const textOf = (result: unknown): string => (typeof result === 'string' ? result : JSON.stringify(result));

/** A task of the peer's as ProtoJSON. */
export const taskJson = (state: string, over: Readonly<Record<string, unknown>> = {}) => ({
  id: 'task-1',
  contextId: 'context-1',
  status: { state: `TASK_STATE_${state}`, timestamp: '2026-01-01T00:00:00.000Z' },
  ...over,
});

/** An update of the task's state, with a sentence where there is one. */
export const statusJson = (state: string, text?: string, metadata?: unknown) => ({
  statusUpdate: {
    taskId: 'task-1',
    contextId: 'context-1',
    status: {
      state: `TASK_STATE_${state}`,
      ...(text !== undefined && {
        message: {
          messageId: 'm',
          role: 'ROLE_AGENT',
          parts: [{ text }],
          ...(metadata !== undefined && { metadata }),
        },
      }),
    },
  },
});

/** A piece of the task's answer. */
export const chunkJson = (text: string, append: boolean) => ({
  artifactUpdate: {
    taskId: 'task-1',
    contextId: 'context-1',
    artifact: { artifactId: 'response', parts: [{ text }] },
    append,
  },
});
