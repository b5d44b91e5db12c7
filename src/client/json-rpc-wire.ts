import { KediError } from '../domain/errors.js';
import type { Span } from '../schema/document.js';
import { readAnswer } from './answer.js';
import { fetchPeer, readBody, readEvents } from './http.js';
import type { Road, Wire } from './wire.js';

/** JSON-RPC 2.0 over HTTP (A2A 1.0, 9), at the URL of a `JSONRPC` interface. */
export function jsonRpcWire({ url, tenant, headers, credentials }: Road): Wire {
  let lastId = 0;

  const post = (
    method: string,
    params: string,
    { accept, signal }: { accept: string; signal: AbortSignal },
  ) => {
    lastId += 1;
    return fetchPeer(url, {
      method: 'POST',
      headers: { ...headers, accept, 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":${lastId},"method":"${method}","params":${params}}`,
      credentials,
      signal,
    });
  };

  const call = async (method: string, params: string, signal: AbortSignal): Promise<Span> => {
    const response = await post(method, params, { accept: 'application/json', signal });
    return readResult(await readBody(response, signal), response);
  };

  async function* stream(
    method: string,
    params: string,
    signal: AbortSignal,
  ): AsyncGenerator<Span, void, void> {
    const response = await post(method, params, { accept: 'text/event-stream', signal });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      // A stream that could not even begin is answered as a call is.
      yield readResult(await readBody(response, signal), response);
      return;
    }
    for await (const { data } of readEvents(response, signal)) yield readResult(data, response);
  }

  const task = (id: string): string => JSON.stringify({ ...(tenant !== undefined && { tenant }), id });

  return {
    sendMessage: (request, signal) => call('SendMessage', request, signal),
    streamMessage: (request, signal) => stream('SendStreamingMessage', request, signal),
    subscribe: (taskId, signal) => stream('SubscribeToTask', task(taskId), signal),
    getTask: (taskId, signal) => call('GetTask', task(taskId), signal),
    cancelTask: (taskId, signal) => call('CancelTask', task(taskId), signal),
  };
}

/** The result within a JSON-RPC response; its error as a KediError. */
function readResult(text: string, response: Response): Span {
  const result = readAnswer(text, response).members.get('result');
  if (result !== undefined) return result;
  throw new KediError('PEER_UNSUITABLE', `${response.url} answered without a result.`);
}
