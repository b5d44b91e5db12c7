import { randomUUID } from 'node:crypto';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256, writeHash } from '../../src/server/auth/hash.js';
import { type Json, message, startA2aHost } from '../support/a2a-host.js';

const tokens = { anna: 'a-token-of-anna-0123456789', bert: 'a-token-of-bert-0123456789' } as const;
type Name = keyof typeof tokens;

process.env.STRANGERS_TOKENS = Object.entries(tokens)
  .map(([name, token]) => `${name}:${writeHash(sha256(token))}`)
  .join('\n');
const host = await startA2aHost({
  until: afterAll,
  flags: {
    auth: 'bearer',
    secretEnv: 'STRANGERS_TOKENS',
    bindings: 'json-rpc,http-json,grpc,json-rpc-0.3',
    grpcPort: '0',
    allowWebhooks: '127.0.0.0/8',
  },
});
delete process.env.STRANGERS_TOKENS;

const headersOf = (name: Name, version = '1.0') => ({
  'A2A-Version': version,
  'Content-Type': 'application/json',
  Authorization: `Bearer ${tokens[name]}`,
});

async function ask(
  name: Name,
  { verb, path, body, version }: { verb: string; path: string; body?: object; version?: string },
) {
  const response = await fetch(`${host.url}${path}`, {
    method: verb,
    headers: headersOf(name, version),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const rpc = (method: string, params: object, version?: string) => ({
  verb: 'POST',
  path: '/a2a',
  body: { jsonrpc: '2.0', id: 1, method, params },
  ...(version !== undefined && { version }),
});

const opened: Json = JSON.parse((await ask('anna', rpc('SendMessage', { message: message('/ask') }))).text)
  .result.task;
const config = { taskId: opened.id, id: 'hook', url: 'http://127.0.0.1:9/hook' };
await ask('anna', rpc('CreateTaskPushNotificationConfig', config));

const unknown = randomUUID();
const legacyMessage = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] };

/** Every way to speak of a task, over HTTP. */
const ways = (id: string) => [
  rpc('CreateTaskPushNotificationConfig', { ...config, taskId: id }),
  rpc('GetTaskPushNotificationConfig', { taskId: id, id: 'hook' }),
  rpc('ListTaskPushNotificationConfigs', { taskId: id }),
  rpc('DeleteTaskPushNotificationConfig', { taskId: id, id: 'hook' }),
  { verb: 'GET', path: `/a2a/v1/tasks/${id}` },
  { verb: 'POST', path: `/a2a/v1/tasks/${id}:cancel`, body: {} },
  { verb: 'GET', path: `/a2a/v1/tasks/${id}:subscribe` },
  { verb: 'POST', path: `/a2a/v1/tasks/${id}:subscribe`, body: {} },
  { verb: 'POST', path: '/a2a/v1/message:send', body: { message: message('x', { taskId: id }) } },
  { verb: 'POST', path: '/a2a/v1/message:stream', body: { message: message('x', { taskId: id }) } },
  { verb: 'POST', path: `/a2a/v1/tasks/${id}/pushNotificationConfigs`, body: config },
  { verb: 'GET', path: `/a2a/v1/tasks/${id}/pushNotificationConfigs` },
  { verb: 'GET', path: `/a2a/v1/tasks/${id}/pushNotificationConfigs/hook` },
  { verb: 'DELETE', path: `/a2a/v1/tasks/${id}/pushNotificationConfigs/hook` },
  rpc('tasks/get', { id }, '0.3'),
  rpc('tasks/cancel', { id }, '0.3'),
  rpc('tasks/resubscribe', { id }, '0.3'),
  rpc('message/send', { message: { ...legacyMessage, taskId: id } }, '0.3'),
  rpc('message/stream', { message: { ...legacyMessage, taskId: id } }, '0.3'),
  rpc('tasks/pushNotificationConfig/set', { taskId: id, pushNotificationConfig: { url: config.url } }, '0.3'),
  rpc('tasks/pushNotificationConfig/get', { id, pushNotificationConfigId: 'hook' }, '0.3'),
  rpc('tasks/pushNotificationConfig/list', { id }, '0.3'),
  rpc('tasks/pushNotificationConfig/delete', { id, pushNotificationConfigId: 'hook' }, '0.3'),
];

const strip = (text: string, id: string): string =>
  text.replaceAll(id, 'ID').replace(/"request_id":"[^"]*"/, '');

describe("A stranger's task", () => {
  it.each(
    ways(opened.id).map((way, index) => ({
      name: `${way.verb} ${way.path.replace(opened.id, 'ID')} ${'body' in way ? ((way.body as Json).method ?? '') : ''}`,
      index,
    })),
  )('is as unknown as one that never was: $name', async ({ index }) => {
    const [theirs, nobodys] = [ways(opened.id)[index], ways(unknown)[index]];
    if (theirs === undefined || nobodys === undefined) throw new Error('no such way');
    const [one, other] = [await ask('bert', theirs), await ask('bert', nobodys)];
    expect(one.text).toMatch(/TASK_NOT_FOUND|-32001/);
    expect([one.status, strip(one.text, opened.id)]).toEqual([other.status, strip(other.text, unknown)]);
  });

  it('is as unknown over gRPC', async () => {
    const card: Json = JSON.parse(
      (await ask('anna', { verb: 'GET', path: '/.well-known/agent-card.json' })).text,
    );
    const { url } = card.supportedInterfaces.find((one: Json) => one.protocolBinding === 'GRPC');
    const client = new Client(url, credentials.createInsecure());
    afterAll(() => client.close());
    const grpc = (
      name: Name,
      method: { path: string; requestSerialize(value: object): Buffer },
      request: object,
    ) =>
      new Promise<{ code: number; details: string }>((resolve) => {
        const metadata = new Metadata();
        metadata.set('a2a-version', '1.0');
        metadata.set('authorization', `Bearer ${tokens[name]}`);
        client.makeUnaryRequest(
          method.path,
          method.requestSerialize,
          (bytes: Buffer) => bytes,
          request,
          metadata,
          (error) => resolve(error ?? { code: 0, details: '' }),
        );
      });
    const {
      getTask,
      cancelTask,
      getTaskPushNotificationConfig,
      deleteTaskPushNotificationConfig,
      listTaskPushNotificationConfigs,
    } = A2AService as Json;
    for (const [method, requestOf] of [
      [getTask, (id: string) => ({ tenant: '', id })],
      [cancelTask, (id: string) => ({ tenant: '', id, metadata: undefined })],
      [getTaskPushNotificationConfig, (taskId: string) => ({ tenant: '', taskId, id: 'hook' })],
      [deleteTaskPushNotificationConfig, (taskId: string) => ({ tenant: '', taskId, id: 'hook' })],
      [
        listTaskPushNotificationConfigs,
        (taskId: string) => ({ tenant: '', taskId, pageSize: 0, pageToken: '' }),
      ],
    ] as const) {
      const [one, other] = [
        await grpc('bert', method, requestOf(opened.id)),
        await grpc('bert', method, requestOf(unknown)),
      ];
      expect([one.code, strip(one.details, opened.id)]).toEqual([5, strip(other.details, unknown)]);
    }
    expect((await grpc('anna', getTask, { tenant: '', id: opened.id })).code).toBe(0);
  });

  it('is what it was, after all that', async () => {
    const { text } = await ask('anna', rpc('GetTask', { id: opened.id }));
    expect(JSON.parse(text).result.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const hooks = await ask('anna', rpc('ListTaskPushNotificationConfigs', { taskId: opened.id }));
    expect(JSON.parse(hooks.text).result.configs).toHaveLength(1);
  });
});
