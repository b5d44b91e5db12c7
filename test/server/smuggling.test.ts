import { describe, expect, it, onTestFinished } from 'vitest';
import { type Json, message, says, scripted, startA2aHost } from '../support/a2a-host.js';
import { exchange } from '../support/raw-http.js';

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
