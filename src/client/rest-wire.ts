import type { Span } from '../schema/document.js';
import { readAnswer } from './answer.js';
import { fetchPeer, readBody, readEvents } from './http.js';
import type { Road, Wire } from './wire.js';

/** HTTP+JSON (A2A 1.0, 11), below the URL of an `HTTP+JSON` interface. */
export function restWire({ url, tenant, headers, credentials }: Road): Wire {
  const base = `${url.replace(/\/+$/, '')}${tenant === undefined ? '' : `/${encodeURIComponent(tenant)}`}`;

  const request = (
    path: string,
    {
      body,
      method,
      accept,
      signal,
    }: { body?: string; method: 'GET' | 'POST'; accept: string; signal: AbortSignal },
  ) =>
    fetchPeer(`${base}${path}`, {
      method,
      headers: { ...headers, accept, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body,
      credentials,
      signal,
    });

  const call = async (path: string, signal: AbortSignal, body?: string): Promise<Span> => {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await request(path, { method, body, accept: 'application/json', signal });
    return readAnswer(await readBody(response, signal), response);
  };

  async function* stream(path: string, signal: AbortSignal, body?: string): AsyncGenerator<Span, void, void> {
    const method = body === undefined ? 'GET' : 'POST';
    const response = await request(path, { method, body, accept: 'text/event-stream', signal });
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield readAnswer(await readBody(response, signal), response);
      return;
    }
    for await (const { data } of readEvents(response, signal)) yield readAnswer(data, response);
  }

  const task = (id: string) => `/tasks/${encodeURIComponent(id)}`;

  return {
    sendMessage: (message, signal) => call('/message:send', signal, message),
    streamMessage: (message, signal) => stream('/message:stream', signal, message),
    subscribe: (taskId, signal) => stream(`${task(taskId)}:subscribe`, signal),
    getTask: (taskId, signal) => call(task(taskId), signal),
    cancelTask: (taskId, signal) => call(`${task(taskId)}:cancel`, signal, '{}'),
  };
}
