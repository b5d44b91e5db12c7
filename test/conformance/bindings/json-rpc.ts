import { decodeSse } from '../../../src/protocol/sse.js';
import type { Json } from '../../support/a2a-host.js';
import { type Answer, type Binding, type CallOptions, errorInfoOf, headersOf, Refused } from './binding.js';

/** JSON-RPC 2.0 over HTTP (clause 9). */
export function jsonRpcBinding(url: string): Binding {
  const request = (method: string, params: object, options: CallOptions = {}): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      headers: { 'content-type': 'application/json', ...headersOf(options) },
      ...(options.signal && { signal: options.signal }),
    });
  return {
    name: 'JSON-RPC',
    async call(method, params, options) {
      const response = await request(method, params, options);
      return answerOf(await response.json(), response.headers.get('content-type') ?? '');
    },
    async *stream(method, params, options) {
      const response = await request(method, params, options);
      const contentType = response.headers.get('content-type') ?? '';
      if (response.body === null || !contentType.startsWith('text/event-stream')) {
        const answer = answerOf(await response.json(), contentType);
        throw answer.ok ? new Error('An event stream was expected.') : new Refused(answer.error);
      }
      for await (const { data } of decodeSse(response.body)) {
        const answer = answerOf(JSON.parse(data), contentType);
        if (!answer.ok) throw new Refused(answer.error);
        yield answer.result;
      }
    },
    close() {},
  };
}

function answerOf({ jsonrpc, id, result, error }: Json, contentType: string): Answer {
  if (jsonrpc !== '2.0') throw new Error('This is no response of JSON-RPC 2.0.');
  if (error === undefined) {
    if (id !== 1 || result === undefined) throw new Error('This is no response to the request.');
    return { ok: true, result, contentType };
  }
  const { code, message, data } = error;
  return { ok: false, error: { code, message, ...errorInfoOf(data) } };
}
