import { Agent } from 'node:http';
import { connect } from 'node:net';
import { SendMessageRequest } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type Json, message, startA2aHost, typed } from '../support/a2a-host.js';
import { type HostileRequest, hostileRequest, type ValidRequest } from '../support/hostile-requests.js';
import { faultOf, send } from '../support/well-formed.js';

const rounds = 500;
const atOnce = 20;
/** A failure prints the seed; with it in this variable the same requests come again. */
const seed = process.env.FUZZ_SEED === undefined ? Date.now() % 2 ** 31 : Number(process.env.FUZZ_SEED);

const host = await startA2aHost({
  until: afterAll,
  flags: { bindings: 'json-rpc,http-json,grpc,json-rpc-0.3', grpcPort: '0', allowWebhooks: '127.0.0.0/8' },
});
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
afterAll(() => agent.destroy());

const { task } = await host.result('SendMessage', { message: message('hello') });
const config = { taskId: task.id, id: 'c', url: 'http://127.0.0.1:9/hook', token: 't' };
await host.result('CreateTaskPushNotificationConfig', config);

const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
const [text, document] = [{ message: message('hello') }, typed({ type: 'object', required: ['a'] })];
const call = (method: string, params: unknown, version = '1.0'): ValidRequest => ({
  verb: 'POST',
  path: '/a2a',
  headers: { ...json, 'a2a-version': version },
  body: { jsonrpc: '2.0', id: 'an-id', method, params },
});
const legacyMessage = {
  kind: 'message',
  messageId: 'm',
  role: 'user',
  parts: [{ kind: 'text', text: 'hi' }],
};
const chat = '/api/v1/agent-output';
const get = (path: string, headers: Record<string, string> = json): ValidRequest => ({
  verb: 'GET',
  path,
  headers,
});
const post = (path: string, body: unknown): ValidRequest => ({ verb: 'POST', path, headers: json, body });

const valid: readonly ValidRequest[] = [
  call('SendMessage', text),
  call('SendMessage', { message: message('hello', { taskId: task.id, contextId: task.contextId }) }),
  call('SendMessage', document),
  call('SendMessage', {
    ...text,
    configuration: { returnImmediately: true, historyLength: 3, acceptedOutputModes: ['text/plain'] },
    metadata: { a: [1, { b: null }] },
  }),
  call('SendMessage', {
    message: message([
      { data: { a: 1 } },
      { raw: 'aGk=', mediaType: 'text/plain' },
      { url: 'https://example.com' },
    ]),
  }),
  call('SendStreamingMessage', text),
  call('SendStreamingMessage', document),
  call('GetTask', { id: task.id, historyLength: 1 }),
  call('ListTasks', {
    contextId: task.contextId,
    pageSize: 2,
    status: 'TASK_STATE_COMPLETED',
    includeArtifacts: true,
    statusTimestampAfter: '2024-01-01T00:00:00Z',
  }),
  call('CancelTask', { id: task.id }),
  call('SubscribeToTask', { id: task.id }),
  call('CreateTaskPushNotificationConfig', {
    ...config,
    authentication: { scheme: 'Bearer', credentials: 'x' },
  }),
  call('GetTaskPushNotificationConfig', { taskId: task.id, id: 'c' }),
  call('ListTaskPushNotificationConfigs', { taskId: task.id, pageSize: 1 }),
  call('GetExtendedAgentCard', {}),
  call('message/send', { message: legacyMessage, configuration: { blocking: true } }, '0.3'),
  call('message/stream', { message: legacyMessage }, '0.3'),
  call('tasks/get', { id: task.id, historyLength: 1 }, '0.3'),
  call('tasks/cancel', { id: task.id }, '0.3'),
  call(
    'tasks/pushNotificationConfig/set',
    { taskId: task.id, pushNotificationConfig: { url: config.url } },
    '0.3',
  ),
  post('/a2a/v1/message:send', text),
  post('/a2a/v1/message:send', document),
  post('/a2a/v1/message:stream', text),
  post(`/a2a/v1/tasks/${task.id}:cancel`, {}),
  post(`/a2a/v1/tasks/${task.id}/pushNotificationConfigs`, config),
  get(`/a2a/v1/tasks/${task.id}?historyLength=2`),
  get(`/a2a/v1/tasks?contextId=${task.contextId}&pageSize=2&includeArtifacts=true`),
  get(`/a2a/v1/tasks/${task.id}:subscribe`),
  get(`/a2a/v1/tasks/${task.id}/pushNotificationConfigs/c`),
  get('/a2a/v1/extendedAgentCard'),
  get(`${chat}/chat?command_id=${task.id}&replay=1`),
  get(`${chat}/chat?command_id=${task.id}&session_id=s`, { 'last-event-id': 's-0' }),
  get(`${chat}/stream?command_id=${task.id}&replay=true&limit=2&stream=stdout`),
  get(`${chat}/stream?command_id=${task.id}`, { 'last-event-id': `${task.contextId}-0` }),
  get('/api/v1/sessions?limit=2'),
  get(`/api/v1/sessions/${task.contextId}?limit=1`),
  get('/.well-known/agent-card.json'),
  get('/web/app.js'),
  get('/readyz'),
];

const shown = ({ verb, path, headers, body }: HostileRequest): string =>
  `${verb} ${path.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)}\n${body?.toString().slice(0, 2_000)}`;

const stillWorks = async (): Promise<void> => {
  const { task: after } = await host.result('SendMessage', typed({ type: 'object', required: ['a'] }));
  expect(after.status.state).toBe('TASK_STATE_COMPLETED');
  expect(host.logged.filter((line) => line.includes('"error"'))).toEqual([]);
};

describe('Ten thousand requests that are almost valid', () => {
  it('get an answer each, well-formed and no fault of the server', { timeout: 300_000 }, async () => {
    let sent = 0;
    let answered = 0;
    const check = async (request: HostileRequest): Promise<void> => {
      const answer = await send(request, { url: host.url, agent }).catch((error: Error) => error);
      sent += 1;
      if (answer === undefined) return;
      answered += 1;
      const fault = answer instanceof Error ? answer.message : faultOf(request, answer);
      const { status, type, text } = answer instanceof Error ? { status: 0, type: '', text: '' } : answer;
      if (fault !== undefined)
        throw new Error(`${fault}\n${shown(request)}\n→ ${status} ${type} ${text.slice(0, 1_000)}`);
    };
    const requests = fc.array(hostileRequest(valid), { minLength: atOnce, maxLength: atOnce });
    const property = fc.asyncProperty(requests, async (some) => {
      await Promise.all(some.map(check));
    });
    await fc.assert(property, { numRuns: rounds, seed, endOnFailure: true });
    expect(sent).toBe(rounds * atOnce);
    // Node's own client refuses a few of the paths and headers.
    expect(answered).toBeGreaterThan(0.95 * sent);
    await stillWorks();
  });

  it('and bytes that are hardly HTTP end in an answer or a closed connection', {
    timeout: 60_000,
  }, async () => {
    const { port } = new URL(host.url);
    const heads = [
      'POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
      'GET /a2a/v1/tasks HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
      'POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ];
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          '\r\n',
          '\n',
          ' ',
          ':',
          '\0',
          'Host: x\r\n',
          'Content-Length: 9\r\n',
          'HTTP/9.9',
          '{"',
          'Expect: 100-continue\r\n',
          'Upgrade: h2c\r\nConnection: Upgrade\r\n',
        )
        .map((text) => Buffer.from(text)),
    );
    const bytes = fc
      .tuple(fc.constantFrom(...heads), fc.double({ min: 0, max: 1, noNaN: true }), piece, fc.nat(3))
      .map(([head, where, inserted, dropped]) => {
        const at = Math.floor(where * head.length);
        return Buffer.concat([
          Buffer.from(head.slice(0, at)),
          inserted,
          Buffer.from(head.slice(at + dropped)),
        ]);
      });
    const property = fc.asyncProperty(
      fc.array(bytes, { minLength: atOnce, maxLength: atOnce }),
      async (some) => {
        const answers = await Promise.all(some.map((one) => raw(Number(port), one)));
        for (const answer of answers) expect(answer).toMatch(/^(HTTP\/1\.1 [1-4]\d\d |$)/);
      },
    );
    await fc.assert(property, { numRuns: 25, seed, endOnFailure: true });
    await stillWorks();
  });
});

/** What a server answers to bytes, after which the client waits for a moment and goes. */
function raw(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    setTimeout(() => socket.end(), 60);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

describe('Hundreds of calls over gRPC that are almost valid', () => {
  it('end in an answer or in a status that is no fault of the server', { timeout: 60_000 }, async () => {
    const card: Json = await (await fetch(`${host.url}/.well-known/agent-card.json`)).json();
    const { url } = card.supportedInterfaces.find((one: Json) => one.protocolBinding === 'GRPC');
    const client = new Client(url, credentials.createInsecure());
    afterAll(() => client.close());
    const encoded = [text, document].map((request) =>
      A2AService.sendMessage.requestSerialize(SendMessageRequest.fromJSON(request)),
    );
    const methods = [
      'SendMessage',
      'GetTask',
      'ListTasks',
      'CancelTask',
      'CreateTaskPushNotificationConfig',
      'GetExtendedAgentCard',
    ];
    const hostile = fc.record({
      method: fc.constantFrom(...methods),
      bytes: fc
        .tuple(
          fc.constantFrom(...encoded),
          fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 }),
          fc.nat(600),
        )
        .map(([whole, flips, length]) => {
          const bytes = Buffer.from(whole.subarray(0, length > 500 ? whole.length : length));
          for (const [at, value] of flips) if (at < bytes.length) bytes[at] = value;
          return bytes;
        }),
      version: fc.constantFrom('1.0', '1.0', '1.0', '', '0.3', 'x'),
    });
    const property = fc.asyncProperty(hostile, async ({ method, bytes, version }) => {
      const metadata = new Metadata();
      metadata.set('a2a-version', version);
      const status = await new Promise<{ code: number; details: string }>((resolve) => {
        client.makeUnaryRequest(
          `/lf.a2a.v1.A2AService/${method}`,
          (value: Buffer) => value,
          (value: Buffer) => value,
          bytes,
          metadata,
          { deadline: Date.now() + 20_000 },
          (error) => resolve(error ?? { code: 0, details: '' }),
        );
      });
      // gRPC's own word for bytes that are no message.
      if (status.code === 13 && /deserializ/i.test(status.details)) return;
      expect([0, 3, 5, 9, 12]).toContain(status.code);
    });
    await fc.assert(property, { numRuns: 500, seed });
    await stillWorks();
  });
});
