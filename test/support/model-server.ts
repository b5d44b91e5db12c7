import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Answer, type Protocol, sendEvents } from './model-server/answer.js';
import { anthropic } from './model-server/anthropic.js';
import { chatCompletions } from './model-server/chat-completions.js';
import { gemini } from './model-server/gemini.js';
import { responses } from './model-server/responses.js';
import type { ModelRequest, ModelScript, ModelStep } from './model-server/script.js';

export * from './model-server/script.js';

/** A scripted model on loopback that speaks the four protocols, streaming or not. */
export interface ModelServer {
  /** Its origin, without a path: `/v1/messages`, `/v1/responses`, `/v1/chat/completions`, `/v1beta/models/…`. */
  readonly url: string;
  /** Everything that it was asked, in order. */
  readonly requests: readonly ModelRequest[];
  /** Paths that no protocol knows: what a harness asks for beside its model. */
  readonly strays: readonly string[];
  /** Changes what it answers from now on, and forgets what it was asked. */
  play(script: ModelScript): void;
  close(): Promise<void>;
}

const protocols: readonly Protocol[] = [anthropic, chatCompletions, responses, gemini];

/** Starts one; its answers come from `script`, request by request. */
export async function startModelServer(script: ModelScript): Promise<ModelServer> {
  let current = script;
  const requests: ModelRequest[] = [];
  const strays: string[] = [];
  let served = 0;
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A script that throws is the test's own fault, and must be seen in what its agent reports.
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { pathname } = new URL(request.url ?? '/', 'http://model');
    for (const protocol of protocols) {
      const read = request.method === 'POST' ? protocol.read(pathname, body) : undefined;
      if (read === undefined) continue;
      served += 1;
      const asked: ModelRequest = { ...read, path: pathname, number: served, headers: request.headers, body };
      requests.push(asked);
      return answer(protocol, asked, { step: current(asked), response });
    }
    strays.push(`${request.method} ${request.url}`);
    const counts = pathname.endsWith('count_tokens') ? '{"input_tokens":11}' : '{"totalTokens":11}';
    const known = pathname.endsWith('count_tokens') || pathname.endsWith(':countTokens');
    response.writeHead(known ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(known ? counts : '{"error":{"message":"not here"}}');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The model server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    strays,
    play(next) {
      current = next;
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
        server.closeAllConnections();
      }),
  };
}

async function answer(
  protocol: Protocol,
  request: ModelRequest,
  { step, response }: { step: ModelStep; response: ServerResponse },
): Promise<void> {
  if (step.do === 'hang') return;
  if (step.do === 'status') {
    const headers = { 'Content-Type': 'application/json' };
    response.writeHead(step.status, {
      ...headers,
      ...(step.retryAfter === undefined ? {} : { 'Retry-After': step.retryAfter }),
    });
    response.end(protocol.error(step.status, step.message ?? `The scripted model says ${step.status}.`));
    return;
  }
  const said = resolved(step, protocol.outputTool?.(request));
  if (!request.streams) {
    if (step.do === 'drop') return void response.destroy();
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(protocol.whole(said, request));
    return;
  }
  const events = [...protocol.events(said, request)];
  if (step.do === 'drop') {
    await sendEvents(response, { events, everyMs: 5, stopAfter: Math.ceil(events.length / 2) });
    response.destroy();
    return;
  }
  await sendEvents(response, { events, everyMs: step.do === 'slow' ? step.everyMs : 0 });
}

function resolved(
  step: Exclude<ModelStep, { do: 'hang' | 'status' }>,
  outputTool: string | undefined,
): Answer {
  const silent: Answer = { thinking: undefined, text: '', calls: [], finish: 'stop' };
  switch (step.do) {
    case 'text':
      return { ...silent, text: step.text, thinking: step.thinking, finish: step.finish ?? 'stop' };
    case 'tools':
      return { ...silent, text: step.text ?? '', calls: step.calls };
    case 'structured':
      return outputTool === undefined
        ? { ...silent, text: step.document }
        : { ...silent, calls: [{ name: outputTool, input: step.document }] };
    case 'drop':
      return { ...silent, text: step.text ?? 'Half of an answer that never comes to its' };
    case 'slow':
      return { ...silent, text: step.text };
  }
}
