import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '../../src/server/http.js';
import { hostileCases } from '../schema/hostile-cases.js';
import {
  type A2aHost,
  eventually,
  type Json,
  line,
  message,
  says,
  scripted,
  startA2aHost,
  typed,
} from '../support/a2a-host.js';

/** A connection on which a test says what it wants. */
function dial(
  url: string,
  until = onTestFinished,
): { readonly socket: Socket; readonly closed: Promise<string> } {
  const chunks: Buffer[] = [];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  until(() => void socket.destroy());
  socket.on('error', () => {});
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
  return { socket, closed };
}

/** All that the server answers until it closes the connection. */
function exchange(url: string, bytes: string): Promise<string> {
  const { socket, closed } = dial(url);
  socket.write(bytes);
  return closed;
}

const post = (body: string, more = ''): string =>
  `POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const call = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

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
    expect(createServer().maxHeadersCount).not.toBe(0);
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

describe('Paths', () => {
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`;

  it('below the page lead to the files of the page and nowhere else', async () => {
    const host = await startA2aHost();
    for (const path of [
      '/web/../package.json',
      '/web/../../package.json',
      '/web/..%2f..%2fpackage.json',
      '/web/%2e%2e/%2e%2e/package.json',
      '/web/..\\..\\package.json',
      '/web//etc/passwd',
      '/web/app.js%00.html',
      '/web/constructor',
      '//web/app.js',
    ]) {
      const answer = await exchange(host.url, get(path));
      expect([path, answer.slice(0, 12)]).toEqual([path, expect.stringMatching(/^HTTP\/1\.1 40[04]/)]);
      expect(answer).not.toContain('"version"');
    }
  });

  it('cannot be written so that what needs credentials looks open', async () => {
    const token = 'a-token-that-is-long-enough-0123456789';
    process.env.ATTACK_TOKEN = token;
    onTestFinished(() => {
      delete process.env.ATTACK_TOKEN;
    });
    const host = await startA2aHost({
      flags: { auth: 'bearer', secretEnv: 'ATTACK_TOKEN', bindings: 'json-rpc,http-json,json-rpc-0.3' },
    });
    for (const path of ['/metrics', '/api/v1/sessions', '/a2a/v1/tasks', '/.well-known/agent-card.json']) {
      for (const written of [
        path,
        `/web/..${path}`,
        `/web/%2e%2e${path}`,
        `/web/..;${path}`,
        `//web/..${path}`,
        `http://127.0.0.1/web/..${path}`,
        `http://127.0.0.1${path}`,
        `/healthz/..${path}`,
        `${path.toUpperCase()}`,
        `${path}?x=/web/`,
        `${path}#/web/`,
        `/healthz${path}`,
        `/healthz%3f/..${path}`,
      ]) {
        const answer = await exchange(host.url, get(written));
        expect([written, answer.slice(9, 12)]).toEqual([written, expect.stringMatching(/^40[0134]$/)]);
      }
    }
  });
});

describe('Words that would end a line', () => {
  it('make no header and no event, wherever they come from', async () => {
    const evil = 'a\r\n\r\nevent: done\ndata: {}\n\n\u2028id: 7\r';
    const agentKind = scripted(async function* () {
      yield says(evil);
      return { kind: 'done' };
    });
    const host = await startA2aHost({ agentKind });
    const { task } = await host.result('SendMessage', { message: message(evil) });
    const chat = `${host.url}/api/v1/agent-output/chat?command_id=${task.id}&replay=1`;
    const said = encodeURIComponent(evil);
    for (const url of [
      `${chat}&session_id=${said}`,
      `${chat.replace(task.id, said)}`,
      `${host.url}/api/v1/sessions/${said}`,
    ]) {
      const answer = await fetch(url);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
    for (const path of [chat, chat.replace('/chat', '/stream')]) {
      const text = await (await fetch(path)).text();
      expect(text).not.toMatch(/\r/);
      for (const line of text.split('\n'))
        expect(line).toMatch(
          /^($|: |event: agent_output|event: (delta|raw|done|status|message|usage|error)|id: [A-Za-z0-9._-]+$|retry: \d+$|data: \{)/,
        );
    }
    const events: Json[] = [];
    for await (const event of host.stream('SendStreamingMessage', { message: message() })) events.push(event);
    expect(events.some((event) => JSON.stringify(event).includes(JSON.stringify(evil).slice(1, -1)))).toBe(
      true,
    );
  });

  it('cannot be smuggled in as the name of a context', async () => {
    const host = await startA2aHost();
    for (const contextId of ['a\r\nb', '../../etc', 'a/b', 'ä', 'x'.repeat(129)]) {
      const { error } = await host.call('SendMessage', { message: message('hi', { contextId }) });
      expect(error.code).toBe(-32602);
    }
  });
});

describe('Webhooks', () => {
  const flags = { allowWebhooks: '127.0.0.0/8' };
  const url = 'http://127.0.0.1:9/hook';

  it('are at most sixteen for a task, however many are asked for at once', async () => {
    const host = await startA2aHost({ flags });
    const { task } = await host.result('SendMessage', { message: message('/ask') });
    const asked = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        host.call('CreateTaskPushNotificationConfig', { taskId: task.id, id: `hook-${index}`, url }),
      ),
    );
    expect(asked.filter(({ result }) => result !== undefined)).toHaveLength(16);
    const { configs } = await host.result('ListTaskPushNotificationConfigs', { taskId: task.id });
    expect(configs).toHaveLength(16);
  });

  it.each(['a\r\nX-Forged: 1', 'ü', '\u0000', '😀'])('take no token that is no header: %j', async (token) => {
    const host = await startA2aHost({ flags });
    const { error } = await host.call('SendMessage', {
      message: message('hello'),
      configuration: { taskPushNotificationConfig: { url, token } },
    });
    expect(error).toMatchObject({ code: -32602, data: [{ fieldViolations: [{ field: 'token' }] }, {}] });
    expect((await host.result('ListTasks')).tasks).toEqual([]);
  });
});

describe('Schemas made to be dear, and documents for them', () => {
  it.each(['sampled', 'answered'] as const)(
    'keep nobody else waiting: %s',
    { timeout: 240_000 },
    async (how) => {
      let document = '';
      const answering = scripted(async function* ({ output }) {
        if (output !== undefined) return { kind: 'json', document };
        yield says('hello');
        return { kind: 'done' };
      });
      const host = await startA2aHost(how === 'answered' ? { agentKind: answering } : {});
      let done = false;
      let longest = 0;
      const other = (async () => {
        while (!done) {
          const begun = performance.now();
          const { task } = await host.result('SendMessage', { message: message('hi') });
          expect(task.status.state).toBe('TASK_STATE_COMPLETED');
          longest = Math.max(longest, performance.now() - begun);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })();
      /** How long the other client waited while this one was served. */
      const waited = async (schema: string): Promise<number> => {
        longest = 0;
        const { result, error } = await host.call('SendMessage', typed(schema));
        expect(error ?? result.task.status.state).toMatch(/COMPLETED|FAILED/);
        return longest;
      };
      const slow: string[] = [];
      for (const { name, make } of hostileCases) {
        const made = make();
        document = made.document;
        const first = await waited(made.schema);
        // Once more, since it may have been the machine that was busy.
        const milliseconds = first > 1_000 ? Math.min(first, await waited(made.schema)) : first;
        if (milliseconds > 1_000)
          slow.push(`${name}: another client waited for ${Math.round(milliseconds)} ms`);
      }
      done = true;
      await other;
      expect(slow).toEqual([]);
    },
  );
});

describe('What is asked for and not taken', () => {
  it('many large results come in pages that fit', { timeout: 60_000 }, async () => {
    const large = `"${'x'.repeat(7_000_000)}"`;
    const agentKind = scripted(async function* () {
      yield line();
      return { kind: 'json', document: large };
    });
    const host = await startA2aHost({ agentKind });
    for (let index = 0; index < 12; index += 1)
      await host.result('SendMessage', typed('true', { more: { contextId: 'c' } }));
    const seen = new Set<string>();
    let pages = 0;
    for (let pageToken = ''; pages === 0 || pageToken !== ''; pages += 1) {
      const { status, text } = await host.post(
        call(1, 'ListTasks', { contextId: 'c', pageSize: 100, includeArtifacts: true, pageToken }),
      );
      expect(status).toBe(200);
      expect(text.length).toBeLessThan(64_000_000);
      const { result } = JSON.parse(text);
      expect(result.totalSize).toBe(12);
      for (const task of result.tasks) seen.add(task.id);
      pageToken = result.nextPageToken;
    }
    expect(seen.size).toBe(12);
    expect(pages).toBeGreaterThan(1);
  });
});
