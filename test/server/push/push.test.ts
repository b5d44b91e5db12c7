import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDestinations } from '../../../src/server/push/destination.js';
import { createPushSender } from '../../../src/server/push/sender.js';
import { openStore } from '../../../src/store/index.js';
import { eventually, type Json, message, says, scripted, startA2aHost } from '../../support/a2a-host.js';
import { temporaryDirectory } from '../../support/temporary.js';

interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly event: Json;
}

/** A client's own little server; `answers` are the statuses it gives, 200 once they are used up. */
async function receiver(answers: number[] = []) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const status = answers.shift() ?? 200;
    if (status === 200) received.push({ headers: request.headers, event: JSON.parse(body) });
    response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

const kindsOf = (received: readonly Received[]) => received.map(({ event }) => Object.keys(event)[0]);

const agentKind = scripted(async function* ({ prompt, signal }) {
  yield says('One ');
  yield says('two.');
  if (prompt === 'wait') {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
  }
  return { kind: 'done' };
});
const flags = { allowWebhooks: '127.0.0.0/8' };

describe('Push notifications', () => {
  it('tell the whole of a task, in order, with the token and the authorization asked for', async () => {
    const host = await startA2aHost({ agentKind, flags });
    const { url, received } = await receiver();
    const config = {
      id: 'mine',
      url,
      token: 'secret',
      authentication: { scheme: 'Bearer', credentials: 'abc' },
    };
    const { task } = await host.result('SendMessage', {
      message: message('hello'),
      configuration: { taskPushNotificationConfig: config },
    });
    await eventually(() =>
      received.find(({ event }) => event.statusUpdate?.status.state === 'TASK_STATE_COMPLETED'),
    );
    expect(kindsOf(received)[0]).toBe('task');
    const text = received
      .flatMap(({ event }) => event.artifactUpdate?.artifact.parts ?? [])
      .map((part: Json) => part.text)
      .join('');
    expect(text).toBe('One two.');
    for (const { headers } of received) {
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        'x-a2a-notification-token': 'secret',
        authorization: 'Bearer abc',
      });
    }
    expect(await host.result('GetTaskPushNotificationConfig', { taskId: task.id, id: 'mine' })).toEqual({
      taskId: task.id,
      ...config,
    });
  });

  it('are configured, listed and removed for a running task, and told from then on', async () => {
    const host = await startA2aHost({ agentKind, flags });
    const { url, received } = await receiver();
    const { task } = await host.result('SendMessage', {
      message: message('wait'),
      configuration: { returnImmediately: true },
    });
    const taskId = task.id;
    const made = await host.result('CreateTaskPushNotificationConfig', { taskId, url });
    expect(made).toEqual({ id: expect.stringMatching(/./), taskId, url });
    const other = await host.result('CreateTaskPushNotificationConfig', {
      taskId,
      url: `${url}/other`,
      id: 'other',
    });
    const list = (params: object = {}) =>
      host.result('ListTaskPushNotificationConfigs', { taskId, ...params }) as Promise<Json>;
    expect((await list()).configs).toEqual([made, other]);
    const page = await list({ pageSize: 1 });
    expect((await list({ pageSize: 1, pageToken: page.nextPageToken })).configs).toEqual([other]);
    await host.result('DeleteTaskPushNotificationConfig', { taskId, id: 'other' });
    expect((await list()).configs).toEqual([made]);
    expect((await host.call('GetTaskPushNotificationConfig', { taskId, id: 'other' })).error.code).toBe(
      -32001,
    );
    await host.result('CancelTask', { id: taskId });
    await eventually(() =>
      received.find(({ event }) => event.statusUpdate?.status.state === 'TASK_STATE_CANCELED'),
    );
    expect(kindsOf(received)).not.toContain('task');
  });

  it('never go to an address that the operator has not allowed, and no task is made for them', async () => {
    const host = await startA2aHost({ agentKind });
    const { error } = await host.call('SendMessage', {
      message: message('hello'),
      configuration: { taskPushNotificationConfig: { url: 'http://127.0.0.1:9/' } },
    });
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('not public') });
    expect((await host.result('ListTasks')).totalSize).toBe(0);
  });

  it('are refused where the operator turns them off, and the card says so', async () => {
    const host = await startA2aHost({ agentKind, flags: { push: 'off' } });
    const { error } = await host.call('ListTaskPushNotificationConfigs', { taskId: 'x' });
    expect(error.code).toBe(-32003);
    const card: Json = await (await fetch(`${host.url}/.well-known/agent-card.json`)).json();
    expect(card.capabilities.pushNotifications).toBe(false);
  });

  it('go on after a restart with what was not told yet', async () => {
    const { url, received } = await receiver();
    const first = await startA2aHost({ agentKind, flags });
    const { task } = await first.result('SendMessage', {
      message: message('wait'),
      configuration: { returnImmediately: true, taskPushNotificationConfig: { url } },
    });
    await eventually(() => received.find(({ event }) => event.artifactUpdate !== undefined));
    await first.close();
    await startA2aHost({ agentKind, flags, directory: first.directory });
    await eventually(() =>
      received.find(({ event }) => event.statusUpdate?.status.state === 'TASK_STATE_CANCELED'),
    );
    expect(kindsOf(received).filter((kind) => kind === 'task')).toHaveLength(1);
    expect(received.every(({ event }) => JSON.stringify(event).includes(task.id))).toBe(true);
  });
});

describe('A receiver that is down for a while', () => {
  async function told(answers: number[]) {
    const warnings: string[] = [];
    const ignore = () => {};
    const logger = {
      debug: ignore,
      info: ignore,
      error: ignore,
      warn: (text: string) => warnings.push(text),
    };
    const store = await openStore({
      directory: await temporaryDirectory(onTestFinished),
      durability: 'normal',
      logger,
    });
    onTestFinished(() => store.close());
    const { url, received } = await receiver(answers);
    const key = { principal: 'p', taskId: 't' };
    const say = (text: string) =>
      store.log.append(key, [
        { type: 'line', at: 2, channel: 'stdout', raw: Buffer.from(text), events: [{ type: 'delta', text }] },
      ]);
    await store.log.create(
      {
        ...key,
        contextId: 'c',
        agentKind: 'a',
        structured: false,
        state: 'submitted',
        createdAt: 1,
        updatedAt: 1,
      },
      [
        {
          type: 'message',
          at: 1,
          acceptedOutputModes: [],
          message: { messageId: 'm', role: 'user', parts: [], extensions: [], referenceTaskIds: [] },
        },
      ],
    );
    const webhook = { ...key, id: 'w', url, told: 0 };
    await store.webhooks.put(webhook);
    const sender = createPushSender({
      log: store.log,
      webhooks: store.webhooks,
      destinations: createDestinations({ allow: ['127.0.0.1'] }),
      logger,
      firstWaitMs: 1,
    });
    onTestFinished(() => sender.close());
    sender.start(webhook);
    await store.log.append(key, [{ type: 'run', at: 2, attempt: 1 }]);
    for (const text of ['a', 'b', 'c', 'd']) await say(text);
    await store.log.append(key, [{ type: 'state', at: 3, state: 'completed' }]);
    await eventually(async () => ((await store.webhooks.unfinished()).length === 0 ? true : undefined));
    return { received, warnings };
  }

  it('gets all in order once it is back', async () => {
    const { received, warnings } = await told([503, 503, 500, 302, 200, 503, 503]);
    expect(kindsOf(received)[0]).toBe('task');
    expect(received.at(-1)?.event.statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    const parts = received.flatMap(({ event }) => event.artifactUpdate?.artifact.parts ?? []);
    expect(parts.map((part: Json) => part.text).join('')).toBe('abcd');
    expect(warnings).toEqual([]);
  });

  it('is given up after eight tries of one notification', async () => {
    const { received, warnings } = await told(Array.from({ length: 20 }, () => 503));
    expect(received).toEqual([]);
    expect(warnings).toEqual(['a webhook is told no further']);
  });

  it('is given up at once when it says that it is gone', async () => {
    expect((await told([410])).received).toEqual([]);
  });
});
