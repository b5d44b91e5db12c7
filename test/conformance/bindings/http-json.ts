import { decodeSse } from '../../../src/protocol/sse.js';
import type { Json } from '../../support/a2a-host.js';
import {
  type Binding,
  type CallOptions,
  errorInfoOf,
  headersOf,
  Refused,
  type WireError,
} from './binding.js';

/** HTTP+JSON (clause 11): each operation has a verb and a path of its own. */
export function httpJsonBinding(url: string): Binding {
  const request = (method: string, params: Json, options: CallOptions = {}): Promise<Response> => {
    const { verb, path, rest } = requestOf(method, params);
    const query = verb === 'POST' ? '' : `?${new URLSearchParams(rest)}`;
    return fetch(`${url}${path}${query}`, {
      method: verb,
      headers: { 'content-type': 'application/a2a+json', ...headersOf(options) },
      ...(verb === 'POST' && { body: JSON.stringify(rest) }),
      ...(options.signal && { signal: options.signal }),
    });
  };
  return {
    name: 'HTTP+JSON',
    async call(method, params, options) {
      const response = await request(method, params, options);
      const body: Json = await response.json();
      return response.ok
        ? { ok: true, result: body, contentType: response.headers.get('content-type') ?? '' }
        : { ok: false, error: errorOf(response, body) };
    },
    async *stream(method, params, options) {
      const response = await request(method, params, options);
      if (!response.ok) throw new Refused(errorOf(response, await response.json()));
      if (response.body === null || response.headers.get('content-type') !== 'text/event-stream') {
        throw new Error('An event stream was expected.');
      }
      for await (const { data } of decodeSse(response.body)) yield JSON.parse(data);
    },
    close() {},
  };
}

function errorOf({ status }: Response, { error }: Json): WireError {
  if (error.code !== status) throw new Error(`HTTP ${status}, but error.code ${error.code}.`);
  return { code: status, message: error.message, ...errorInfoOf(error.details) };
}

interface HttpRequest {
  readonly verb: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** What goes into the body of a POST, else into the query. */
  readonly rest: Readonly<Record<string, string>>;
}

function requestOf(method: string, params: Json): HttpRequest {
  const { id, taskId, ...others } = params;
  const configs = `/tasks/${taskId}/pushNotificationConfigs`;
  switch (method) {
    case 'SendMessage':
      return { verb: 'POST', path: '/message:send', rest: params };
    case 'SendStreamingMessage':
      return { verb: 'POST', path: '/message:stream', rest: params };
    case 'GetTask':
      return { verb: 'GET', path: `/tasks/${id}`, rest: others };
    case 'ListTasks':
      return { verb: 'GET', path: '/tasks', rest: params };
    case 'CancelTask':
      return { verb: 'POST', path: `/tasks/${id}:cancel`, rest: others };
    case 'SubscribeToTask':
      return { verb: 'POST', path: `/tasks/${id}:subscribe`, rest: others };
    case 'CreateTaskPushNotificationConfig':
      return { verb: 'POST', path: configs, rest: { ...others, id } };
    case 'ListTaskPushNotificationConfigs':
      return { verb: 'GET', path: configs, rest: others };
    case 'GetTaskPushNotificationConfig':
      return { verb: 'GET', path: `${configs}/${id}`, rest: others };
    case 'DeleteTaskPushNotificationConfig':
      return { verb: 'DELETE', path: `${configs}/${id}`, rest: others };
    case 'GetExtendedAgentCard':
      return { verb: 'GET', path: '/extendedAgentCard', rest: params };
    default:
      throw new Error(`${method} is no operation of A2A.`);
  }
}
