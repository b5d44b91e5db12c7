import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Json } from './a2a-host.js';
import type { HostileRequest } from './hostile-requests.js';

/** What came back to a request. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** What came of a request; undefined where Node's client refuses to send it at all. */
export function send(
  { verb, path, headers, body }: HostileRequest,
  { url, agent }: { readonly url: string; readonly agent: Agent },
): Promise<Answer | undefined> {
  return new Promise((resolve, reject) => {
    try {
      const given = body === undefined ? {} : { 'content-length': body.length };
      const options = { agent, method: verb, path, headers: { ...headers, ...given } };
      const sent = httpRequest(url, options, (response) => void readAll(response).then(resolve, reject));
      sent.on('error', reject);
      sent.end(body);
    } catch {
      resolve(undefined);
    }
  });
}

async function readAll(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const type = (response.headers['content-type'] ?? '').split(';')[0] ?? '';
  return { status: response.statusCode ?? 0, type, text: Buffer.concat(chunks).toString() };
}

/** What is wrong with an answer; undefined for one that is as it should be. */
export function faultOf({ verb, path, id }: HostileRequest, answer: Answer): string | undefined {
  const { status, type, text } = answer;
  if (status >= 500 && !(status === 503 && text.includes('BUSY'))) return 'a server error';
  if (verb === 'HEAD') return text === '' ? undefined : 'a body to HEAD';
  if (status === 204 || status === 304) return text === '' ? undefined : 'a body where there is none';
  if (type === 'text/event-stream') {
    const isCall = /^\/a2a\/?(\?|$)/.test(path);
    const blocks = text.split('\n\n');
    if (blocks.pop() !== '') return 'a stream that ends within an event';
    for (const block of blocks) {
      const fields = block.split('\n');
      if (fields.some((field) => !/^(:|data: |event: |id: |retry: )/.test(field)))
        return `no event: ${block}`;
      const data = fields.filter((field) => field.startsWith('data: ')).map((field) => field.slice(6));
      if (data.length === 0) continue;
      const value: Json = parsed(data.join('\n'));
      if (typeof value !== 'object' || value === null) return 'data that is no object';
      const fault = isCall ? callFault(value, data.join('\n'), id) : undefined;
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  if (type === 'application/problem+json') {
    const problem = parsed(text);
    const whole = problem?.status === status && typeof problem.detail === 'string' && status >= 400;
    return whole ? undefined : 'a problem without its members';
  }
  if (type === 'application/json' || type === 'application/a2a+json') {
    const value = parsed(text);
    if (typeof value !== 'object' || value === null) return 'JSON that is no object';
    if (value.jsonrpc !== undefined) return callFault(value, text, status === 200 ? id : undefined);
    if (status < 400) return undefined;
    const { error } = value;
    const whole =
      error?.code === status &&
      typeof error.message === 'string' &&
      /^[A-Z_]+$/.test(error.status) &&
      Array.isArray(error.details);
    return whole ? undefined : 'an error without its members';
  }
  return /^text\/(html|javascript|css|plain)$/.test(type) && status === 200
    ? undefined
    : `a body of type ${type}`;
}

function callFault(value: Json, text: string, id: string | undefined): string | undefined {
  const { jsonrpc, result, error } = value;
  if (jsonrpc !== '2.0' || !('id' in value)) return 'no envelope';
  if ((result === undefined) === (error === undefined)) return 'an envelope of both or of neither';
  if (error !== undefined) {
    if (!Number.isInteger(error.code) || typeof error.message !== 'string')
      return 'an error without its members';
    if (error.code === -32603) return 'an internal error';
    // What cannot be read has no id.
    if (error.code === -32700 || error.code === -32600) return undefined;
  }
  if (id === undefined) return undefined;
  return text.startsWith(`{"jsonrpc":"2.0","id":${id},`) ? undefined : `another id than ${id}`;
}

/** The value of a JSON text; undefined for what is none. */
export function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
