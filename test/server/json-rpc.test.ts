import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { type A2aHost, type Json, message, says, scripted, startA2aHost } from '../support/a2a-host.js';

const host: A2aHost = await startA2aHost({
  until: afterAll,
  flags: { maxBody: '64KiB' },
  agentKind: scripted(async function* ({ prompt }) {
    yield says(prompt);
    return { kind: 'done' };
  }),
});

const parsed = async (body: string | Uint8Array, headers = {}): Promise<Json> => {
  const response = await host.post(body, headers);
  return { status: response.status, ...JSON.parse(response.text) };
};

const getTask = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"none"}}`;

describe('malformed JSON-RPC', () => {
  it.each([
    ['nothing', '', -32700],
    ['half a request', '{"jsonrpc":"2.0",', -32700],
    ['text after the request', `${getTask('1')} x`, -32700],
    ['a batch', `[${getTask('1')},${getTask('2')}]`, -32600],
    ['an empty batch', '[]', -32600],
    ['a string', '"GetTask"', -32600],
    ['no jsonrpc', '{"id":1,"method":"GetTask"}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":1}', -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600],
    ['a method that is none', '{"jsonrpc":"2.0","id":1,"method":"Get"}', -32601],
    ['a method of A2A 0.3', '{"jsonrpc":"2.0","id":1,"method":"message/send"}', -32601],
    ['a list of params', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":["x"]}', -32602],
    ['a string for params', '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"}', -32602],
  ])('%s gets its code', async (_, body, code) => {
    const answer = await parsed(body);
    expect(answer).toMatchObject({ status: 200, jsonrpc: '2.0', error: { code } });
    expect(answer.error.message).toMatch(/^\S.*\.$/);
    expect(answer.error.data.at(-1)).toMatchObject({ domain: 'a2a-protocol.org' });
  });

  it('in invalid UTF-8 gets its code', async () => {
    const body = Buffer.from(getTask('1').replace('none', '\xff'), 'latin1');
    expect(await parsed(body)).toMatchObject({ error: { code: -32700 } });
  });

  it('says which field is wrong and how', async () => {
    const { error } = await host.call('SendMessage', {
      message: { messageId: 'm', role: 'ROLE_USER', parts: [] },
    });
    expect(error.data[0]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: [
        { field: 'message.parts', description: expect.stringContaining('at least one part') },
      ],
    });
  });
});

describe('the id of a call', () => {
  it.each([
    '0',
    '-1',
    '9007199254740993',
    '1.0',
    '"9007199254740993"',
    '"ä\\u0041\\n"',
    'null',
    `"${'x'.repeat(50_000)}"`,
  ])('is echoed exactly in results and errors, whatever its size: %.40s', async (id) => {
    expect((await host.post(getTask(id))).text).toContain(`"id":${id},"error"`);
    const list = `{"jsonrpc":"2.0","id":${id},"method":"ListTasks"}`;
    expect((await host.post(list)).text).toContain(`"id":${id},"result"`);
  });

  it('is echoed in every event of a stream', async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'SendStreamingMessage',
      params: { message: message() },
    }).replace('"id":0', '"id":12345678901234567890');
    const { text } = await host.post(body);
    const events = text.split('\n\n').filter((event) => event.startsWith('data:'));
    expect(events.length).toBeGreaterThan(2);
    for (const event of events) expect(event).toContain('"id":12345678901234567890,"result"');
  });
});

describe('a body over the limit', () => {
  it('is -32600 with id null and HTTP 413, its announced length enough', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'X', params: { text: 'x'.repeat(70_000) } });
    expect(await parsed(body)).toMatchObject({
      status: 413,
      id: null,
      error: { code: -32600, data: [{ reason: 'BODY_TOO_LARGE', metadata: { maxBytes: '65536' } }] },
    });
  });

  it('is refused while it comes, where its length is not announced', async () => {
    const chunks = async function* () {
      for (let count = 0; count < 20; count += 1) yield Buffer.alloc(10_000, 32);
    };
    const response = await fetch(`${host.url}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: ReadableStream.from(chunks()),
      duplex: 'half',
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it('is one byte more than the limit', async () => {
    const body = (size: number) => `{"jsonrpc":"2.0","id":1,"method":"ListTasks"}`.padEnd(size, ' ');
    expect((await host.post(body(65_536))).status).toBe(200);
    expect((await host.post(body(65_537))).status).toBe(413);
  });
});

describe('the transport', () => {
  it.each(['/a2a/', '/a2a/?x=1'])('is there for a client that adds a slash: %s', async (path) => {
    const response = await fetch(host.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}',
    });
    expect(await response.json()).toHaveProperty('result');
    expect((await fetch(`${host.url}/a2a//`, { method: 'POST', body: '' })).headers.get('content-type')).toBe(
      'application/problem+json',
    );
  });

  it('takes POST only', async () => {
    const response = await fetch(`${host.url}/a2a`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('refuses another content type as a JSON-RPC error with HTTP 415', async () => {
    expect(await parsed(getTask('1'), { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      id: null,
      error: { code: -32005, data: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] },
    });
    expect((await parsed(getTask('1'), { 'content-type': 'application/a2a+json' })).status).toBe(200);
  });

  it('refuses a foreign Host (421) and a foreign Origin (403), here as everywhere', async () => {
    expect((await host.post(getTask('1'), { origin: 'http://evil.example' })).status).toBe(403);
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.write('POST /a2a HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n');
    const [head] = await socket.take(1).map(String).toArray();
    socket.destroy();
    expect(head).toMatch(/^HTTP\/1\.1 421 /);
  });

  it('outlives a client that breaks its request off', async () => {
    const socket = connect(Number(new URL(host.url).port), '127.0.0.1');
    socket.write(
      `POST /a2a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect(await host.result('ListTasks')).toMatchObject({ nextPageToken: '' });
    expect(host.logged.join('')).not.toContain('error');
  });
});

describe('the version', () => {
  it.each([
    [{ 'a2a-version': '1.0' }, '/a2a'],
    [{ 'a2a-version': '1.0.0' }, '/a2a'],
    [{ 'a2a-version': '1.0.7' }, '/a2a'],
    [{}, '/a2a?A2A-Version=1.0'],
    [{ 'a2a-version': '' }, '/a2a?a2a-version=1.0.1'],
  ])('is matched by major and minor number, from header or query: %j %s', async (headers, path) => {
    const response = await fetch(host.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"jsonrpc":"2.0","id":1,"method":"ListTasks"}',
    });
    expect(await response.json()).toHaveProperty('result');
  });

  it.each([
    [{}, 'A2A 0.3'],
    [{ 'a2a-version': '' }, 'A2A 0.3'],
    [{ 'a2a-version': '0.3' }, '0.3'],
    [{ 'a2a-version': '1.1' }, '1.1'],
    [{ 'a2a-version': '99.0' }, '99.0'],
    [{ 'a2a-version': 'x' }, 'x'],
  ])('of any other kind is -32009 with a sentence that names the header: %j', async (headers, named) => {
    const response = await fetch(`${host.url}/a2a`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{"jsonrpc":"2.0","id":"v","method":"ListTasks"}',
    });
    const { id, error }: Json = await response.json();
    expect(id).toBe('v');
    expect(error).toMatchObject({ code: -32009, data: [{ reason: 'VERSION_NOT_SUPPORTED' }] });
    expect(error.message).toContain(named);
    expect(error.message).toContain('A2A-Version');
  });
});

describe('extensions', () => {
  const kedi = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';

  it.each(['SendMessage', 'SendStreamingMessage'])(
    'that are known are echoed by %s, in JSON and SSE alike',
    async (method) => {
      const body = (extensions: readonly string[]) =>
        JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message: message('x', { extensions }) } });
      const inHeader = await host.post(body([]), { 'a2a-extensions': `urn:other, ${kedi}` });
      expect(inHeader.headers.get('a2a-extensions')).toBe(kedi);
      const inMessage = await host.post(body([kedi]));
      expect(inMessage.headers.get('a2a-extensions')).toBe(kedi);
      const none = await host.post(body(['urn:other']));
      expect(none.headers.get('a2a-extensions')).toBeNull();
    },
  );
});
