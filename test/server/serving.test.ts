import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/domain/agent.js';
import {
  answerOf,
  eventually,
  type Json,
  message,
  says,
  scripted,
  startA2aHost,
} from '../support/a2a-host.js';

async function* wait({ prompt, signal }: Turn) {
  yield says('Begun.');
  await new Promise((resolve) => {
    const timer = setTimeout(resolve, Number(prompt) || 60_000);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve(undefined);
    });
  });
  signal.throwIfAborted();
  yield says(' Ended.');
  return { kind: 'done' } as const;
}

const waiting = scripted(wait);

describe('where it serves', () => {
  it('any host but loopback is refused while there is no authentication', async () => {
    for (const host of ['0.0.0.0', '192.0.2.1']) {
      const start = startA2aHost({ flags: { host, publicUrl: 'https://agents.example.org' } });
      await expect(start).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
    }
  });

  it('a port in use is one sentence', async () => {
    const { url } = await startA2aHost();
    const { port } = new URL(url);
    await expect(startA2aHost({ flags: { port } })).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: `Cannot listen on 127.0.0.1 port ${port}: it is in use by another program; choose another with --port.`,
    });
  });

  it('one server a data directory; a second start is refused in one sentence', async () => {
    const { directory } = await startA2aHost();
    await expect(startA2aHost({ directory })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});

describe('routes beside A2A', () => {
  it('tell that the process answers, and that it would take work', async () => {
    const { url } = await startA2aHost();
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ status: 'ready', running: 0, pending: 0 });
  });

  it('are problems in JSON where there is nothing', async () => {
    const { url } = await startA2aHost();
    for (const [path, status] of [
      ['/nothing', 404],
      ['/a2a/x', 404],
      ['/api/v1/sessions/%ff', 404],
    ] as const) {
      const response = await fetch(url + path);
      expect([path, response.status]).toEqual([path, status]);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(await response.json()).toMatchObject({ status, detail: expect.any(String) });
    }
  });

  it.each(['/healthz', '/.well-known/agent-card.json', '/api/v1/agent-output/chat?command_id=x', '/nothing'])(
    'are guarded like all others: %s',
    async (path) => {
      const { url } = await startA2aHost();
      expect((await fetch(url + path, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
      expect((await fetch(url + path, { method: 'POST', body: 'x' })).status).toBe(415);
    },
  );
});

describe('a stream', () => {
  it('shows every so often that it is alive where nothing is said', async () => {
    const host = await startA2aHost({ agentKind: waiting, heartbeatMs: 20 });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: message('300') },
    });
    const { text, headers } = await host.post(body);
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toContain('no-cache');
    expect(text.split('\n\n').filter((event) => event === ':').length).toBeGreaterThan(3);
  });

  it('loses nothing to a client that reads slowly', async () => {
    const chunks = 2_000;
    const host = await startA2aHost({
      agentKind: scripted(async function* () {
        for (let count = 0; count < chunks; count += 1) yield says(`${count} ${'x'.repeat(5_000)}\n`);
        return { kind: 'done' };
      }),
    });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: message('go', { contextId: 'slow' }) },
    });
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.write(
      `POST /a2a HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await eventually(async () => {
      const { tasks } = await host.result('ListTasks', { contextId: 'slow' });
      return tasks[0]?.status.state === 'TASK_STATE_COMPLETED';
    });
    const pieces: Buffer[] = [];
    for await (const piece of socket) {
      pieces.push(piece);
      if (String(piece).includes('TASK_STATE_COMPLETED')) break;
    }
    const text = Buffer.concat(pieces).toString();
    const numbers = Array.from(text.matchAll(/"text":"(?:\\n\\n)?(\d+) x/g), ([, number]) => Number(number));
    expect(numbers).toEqual(Array.from({ length: chunks }, (_, index) => index));
  });
});

describe('a client that takes nothing any more', () => {
  it('is let go, and the task goes on without it', async () => {
    const host = await startA2aHost({
      heartbeatMs: 20,
      agentKind: scripted(async function* () {
        for (let count = 0; count < 400; count += 1) yield says('x'.repeat(50_000));
        return { kind: 'done' };
      }),
    });
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendStreamingMessage',
      params: { message: message('go', { contextId: 'stalled' }) },
    });
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.write(
      `POST /a2a HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.pause();
    await eventually(async () => {
      const { tasks } = await host.result('ListTasks', { contextId: 'stalled' });
      return tasks[0]?.status.state === 'TASK_STATE_COMPLETED';
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    // What had been sent is still on its way; then the connection is at its end, long before the stream is.
    let received = 0;
    await new Promise((resolve) => {
      socket.on('data', (piece) => {
        received += piece.length;
      });
      socket.on('error', () => {});
      socket.on('close', resolve);
      socket.resume();
    });
    expect(received).toBeLessThan(400 * 50_000);
  });
});

describe('shutdown', () => {
  it('takes no new work, lets running tasks have their grace, and ends streams properly', async () => {
    const host = await startA2aHost({ agentKind: waiting, flags: { grace: '5s' } });
    const events: Json[] = [];
    const stream = (async () => {
      for await (const event of host.stream('SendStreamingMessage', { message: message('500') }))
        events.push(event);
    })();
    const blocking = host.result('SendMessage', { message: message('400') });
    await eventually(
      async () => (await host.result('ListTasks', { status: 'TASK_STATE_WORKING' })).totalSize === 2,
    );
    const closed = host.close();
    expect((await fetch(`${host.url}/readyz`)).status).toBe(503);
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    expect((await host.call('SendMessage', { message: message() })).error.data[0].reason).toBe('BUSY');
    expect(answerOf((await blocking).task)).toBe('Begun. Ended.');
    await stream;
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
    await closed;
    await expect(fetch(`${host.url}/healthz`)).rejects.toThrow();
  });

  it('cancels what runs on after the grace, and ends the streams of tasks that wait', async () => {
    const host = await startA2aHost({
      flags: { grace: '100ms' },
      agentKind: scripted(async function* (turn) {
        if (turn.prompt === 'ask') return { kind: 'question', text: 'What?' };
        return yield* wait(turn);
      }),
    });
    const { task } = await host.result('SendMessage', { message: message('ask') });
    const subscription = host.stream('SubscribeToTask', { id: task.id });
    await subscription.next();
    const running = host.result('SendMessage', { message: message('60000') });
    await eventually(
      async () => (await host.result('ListTasks', { status: 'TASK_STATE_WORKING' })).totalSize === 1,
    );
    await host.close();
    expect((await running).task.status.state).not.toBe('TASK_STATE_COMPLETED');
    expect(await subscription.next()).toMatchObject({ done: true });
  });
});
