import type { AddressInfo } from 'node:net';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '../../src/server/http.js';
import {
  type A2aHost,
  eventually,
  type Json,
  message,
  says,
  scripted,
  startA2aHost,
} from '../support/a2a-host.js';
import { call, dial, exchange, post } from '../support/raw-http.js';

/** The figure of a gauge at `/metrics`. */
async function figure({ url }: A2aHost, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

const atRest = (host: A2aHost): Promise<boolean> =>
  eventually(async () => {
    const names = ['kedi_a2a_event_streams', 'kedi_a2a_turns_running', 'kedi_a2a_turns_pending'];
    const figures = await Promise.all(names.map((name) => figure(host, name)));
    return figures.every((value) => value === 0);
  });

describe('Who sends slowly', () => {
  it.each([
    ['headers', 'POST /a2a HTTP/1.1\r\n', 'X-A: 1\r\n'],
    ['a body', 'POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000\r\n\r\n', '{'],
  ])('%s is let go, however busily', async (_, head, drop) => {
    const server = createHttp((request) => void request.resume(), {
      headersMs: 200,
      requestMs: 400,
      checkMs: 50,
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { socket, closed } = dial(`http://127.0.0.1:${port}`);
    socket.write(head);
    const trickle = setInterval(() => socket.write(drop), 20);
    onTestFinished(() => clearInterval(trickle));
    expect(await closed).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('has limits as shipped', () => {
    const { headersTimeout, requestTimeout } = createHttp(() => {});
    expect([headersTimeout, requestTimeout]).toEqual([20_000, 120_000]);
  });
});

describe('Too much of everything', () => {
  it('headers of 64 KiB are refused, and the next client is served', async () => {
    const host = await startA2aHost();
    const answer = await exchange(host.url, post('{}', `X-Large: ${'x'.repeat(65_536)}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
    expect((await host.call('ListTasks')).result.tasks).toEqual([]);
  });

  it('a thousand connections at once get a thousand answers', { timeout: 60_000 }, async () => {
    const host = await startA2aHost();
    const body = call(1, 'ListTasks', {});
    const idle = Array.from({ length: 200 }, () => dial(host.url));
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, () => exchange(host.url, post(body, 'Connection: close\r\n'))),
    );
    expect(answers.filter((answer) => !answer.startsWith('HTTP/1.1 200 '))).toEqual([]);
    for (const { socket } of idle) socket.destroy();
  });

  it('requests sent without waiting are answered in their order', async () => {
    const host = await startA2aHost();
    const ids = Array.from({ length: 200 }, (_, index) => index);
    const calls = ids.map((id) =>
      post(
        call(id, id % 3 === 0 ? 'SendMessage' : 'ListTasks', id % 3 === 0 ? { message: message('hi') } : {}),
      ),
    );
    const answer = await exchange(
      host.url,
      calls.join('') + post(call(200, 'ListTasks', {}), 'Connection: close\r\n'),
    );
    expect(
      [...answer.matchAll(/\{"jsonrpc":"2\.0","id":(\d+),"result"/g)].map(([, id]) => Number(id)),
    ).toEqual([...ids, 200]);
  });
});

describe('Clients that break off', () => {
  it('by the hundred leave nothing behind', { timeout: 60_000 }, async () => {
    const free = new AbortController();
    const agentKind = scripted(async function* () {
      yield says('One');
      if (!free.signal.aborted)
        await new Promise((resolve) => free.signal.addEventListener('abort', resolve));
      return { kind: 'done' };
    });
    const host = await startA2aHost({ agentKind, flags: { concurrency: '8' } });
    const { task } = await host.result('SendMessage', {
      message: message(),
      configuration: { returnImmediately: true },
    });
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\n\r\n`;
    const openings = [
      post(call(1, 'SubscribeToTask', { id: task.id })),
      get(`/a2a/v1/tasks/${task.id}:subscribe`),
      get(`/api/v1/agent-output/chat?command_id=${task.id}&replay=1`),
      get(`/api/v1/agent-output/stream?command_id=${task.id}`),
    ];
    const opened = openings.flatMap((bytes) =>
      Array.from({ length: 100 }, () => {
        const { socket } = dial(host.url);
        socket.write(bytes);
        return socket;
      }),
    );
    await eventually(async () => (await figure(host, 'kedi_a2a_event_streams')) === 400);
    for (const [index, socket] of opened.entries()) {
      if (index % 2 === 0) socket.destroy();
      else socket.resetAndDestroy();
    }
    // New tasks whose clients go before anything is said, some before their request is whole.
    for (const stream of [true, false]) {
      const bytes = post(call(1, stream ? 'SendStreamingMessage' : 'SendMessage', { message: message() }));
      for (let index = 0; index < 100; index += 1) {
        const { socket } = dial(host.url);
        socket.write(index % 2 === 0 ? bytes : bytes.slice(0, -5), () => socket.destroy());
      }
    }
    await eventually(async () => (await figure(host, 'kedi_a2a_event_streams')) === 0);
    free.abort();
    expect(await atRest(host)).toBe(true);
    expect(host.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('over gRPC by the hundred neither', { timeout: 60_000 }, async () => {
    const free = new AbortController();
    const agentKind = scripted(async function* () {
      yield says('One');
      if (!free.signal.aborted)
        await new Promise((resolve) => free.signal.addEventListener('abort', resolve));
      return { kind: 'done' };
    });
    const host = await startA2aHost({ agentKind, flags: { bindings: 'json-rpc,grpc', grpcPort: '0' } });
    const card: Json = await (await fetch(`${host.url}/.well-known/agent-card.json`)).json();
    const { url } = card.supportedInterfaces.find((one: Json) => one.protocolBinding === 'GRPC');
    const { task } = await host.result('SendMessage', {
      message: message(),
      configuration: { returnImmediately: true },
    });
    const client = new Client(url, credentials.createInsecure());
    onTestFinished(() => client.close());
    const metadata = new Metadata();
    metadata.set('a2a-version', '1.0');
    const { path, requestSerialize } = A2AService.subscribeToTask;
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const request = { tenant: '', id: task.id };
        const call = client.makeServerStreamRequest(
          path,
          requestSerialize,
          (bytes) => bytes,
          request,
          metadata,
        );
        const ended = new Promise((resolve) => call.on('error', resolve));
        await new Promise((resolve) => call.once('data', resolve));
        call.cancel();
        expect(await ended).toMatchObject({ code: 1 });
      }),
    );
    free.abort();
    expect(await atRest(host)).toBe(true);
    expect((await host.result('GetTask', { id: task.id })).status.state).toBe('TASK_STATE_COMPLETED');
    expect(host.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('and those who never read hold up nobody, and are let go', { timeout: 60_000 }, async () => {
    const agentKind = scripted(async function* ({ prompt }) {
      if (prompt === 'much') for (let index = 0; index < 400; index += 1) yield says('x'.repeat(50_000));
      else yield says('little');
      return { kind: 'done' };
    });
    const host = await startA2aHost({ agentKind, heartbeatMs: 40 });
    const deaf = Array.from({ length: 5 }, () => {
      const { socket } = dial(host.url);
      socket.pause();
      socket.write(post(call(1, 'SendStreamingMessage', { message: message('much') })));
      return socket;
    });
    await eventually(async () => (await figure(host, 'kedi_a2a_event_streams')) === 5);
    const { task } = await host.result('SendMessage', { message: message('little') });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await atRest(host)).toBe(true);
    for (const socket of deaf) socket.destroy();
  });
});
