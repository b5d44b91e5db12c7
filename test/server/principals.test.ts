import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256, writeHash } from '../../src/server/auth/hash.js';
import { type ServerProcess, startServer } from '../support/server.js';

const tokens = { anna: 'a-token-of-anna-0123456789', bert: 'a-token-of-bert-0123456789' } as const;
type Name = keyof typeof tokens;

let server: ServerProcess;
beforeAll(async () => {
  const secret = Object.entries(tokens).map(([name, token]) => `${name}:${writeHash(sha256(token))}`);
  server = await startServer({
    flags: ['--auth', 'bearer', '--secret-env', 'TOKENS'],
    env: { TOKENS: secret.join('\n') },
    until: afterAll,
  });
});

const headersOf = (name: Name | undefined) => ({
  'A2A-Version': '1.0',
  'Content-Type': 'application/json',
  ...(name !== undefined && { Authorization: `Bearer ${tokens[name]}` }),
});

async function call(name: Name | undefined, method: string, params: object) {
  const response = await fetch(`${server.url}/a2a`, {
    method: 'POST',
    headers: headersOf(name),
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  // Read as the tests need it, and wrong reading fails them.
  const body = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, body };
}

async function get(name: Name | undefined, path: string) {
  const response = await fetch(`${server.url}${path}`, { headers: headersOf(name) });
  return { status: response.status, text: await response.text() };
}

const message = (text: string, more: object = {}) => ({
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
});

async function taskOf(name: Name, text = 'hello', more: object = {}) {
  const { body } = await call(name, 'SendMessage', message(text, more));
  return body.result.task as { id: string; contextId: string; status: { state: string } };
}

describe('Without credentials', () => {
  it('every route but those for everyone answers 401 and says what it wants', async () => {
    const { status, headers, body } = await call(undefined, 'SendMessage', message('hello'));
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(body).toMatchObject({ id: null, error: { data: [{ reason: 'UNAUTHENTICATED' }] } });
    for (const path of [
      '/.well-known/agent-card.json',
      '/api/v1/sessions',
      '/api/v1/agent-output/chat?command_id=x',
      '/api/v1/agent-output/stream?command_id=x',
      '/nowhere',
    ]) {
      expect([path, (await get(undefined, path)).status]).toEqual([path, 401]);
    }
    for (const path of ['/healthz', '/readyz', '/']) {
      expect([path, (await get(undefined, path)).status]).toEqual([path, 200]);
    }
  });
});

describe('The card', () => {
  it('declares the scheme and the extended card, and GetExtendedAgentCard is it', async () => {
    const card = JSON.parse((await get('anna', '/.well-known/agent-card.json')).text);
    expect(card.securitySchemes).toEqual({ bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } });
    expect(card.securityRequirements).toEqual([{ schemes: { bearer: {} } }]);
    expect(card.capabilities.extendedAgentCard).toBe(true);
    const { body } = await call('anna', 'GetExtendedAgentCard', {});
    expect(body.result).toEqual(card);
  });
});

describe('What belongs to one principal', () => {
  it('does not exist for another, in the very words of what does not exist', async () => {
    const task = await taskOf('anna');
    const unknown = '00000000-0000-7000-8000-000000000000';
    for (const [method, paramsOf] of [
      ['GetTask', (id: string) => ({ id })],
      ['CancelTask', (id: string) => ({ id })],
      ['SubscribeToTask', (id: string) => ({ id })],
      ['SendMessage', (id: string) => message('go on', { taskId: id })],
      ['SendStreamingMessage', (id: string) => message('go on', { taskId: id })],
    ] as const) {
      const [theirs, nobodys] = [
        await call('bert', method, paramsOf(task.id)),
        await call('bert', method, paramsOf(unknown)),
      ];
      expect(nobodys.body.error.code).toBe(-32001);
      expect(JSON.stringify(theirs.body).replaceAll(task.id, unknown)).toBe(JSON.stringify(nobodys.body));
    }
    for (const pathOf of [
      (id: string) => `/api/v1/agent-output/chat?command_id=${id}&replay=1`,
      (id: string) => `/api/v1/agent-output/stream?command_id=${id}&replay=1`,
    ]) {
      const [theirs, nobodys] = [await get('bert', pathOf(task.id)), await get('bert', pathOf(unknown))];
      expect(nobodys.status).toBe(404);
      const withoutId = (text: string) =>
        text.replace(/"request_id":"[^"]*"/, '').replaceAll(task.id, unknown);
      expect(withoutId(theirs.text)).toBe(withoutId(nobodys.text));
      expect((await get('anna', pathOf(task.id))).status).toBe(200);
    }
    expect((await get('bert', `/api/v1/sessions/${task.contextId}`)).status).toBe(404);
    expect((await get('anna', `/api/v1/sessions/${task.contextId}`)).status).toBe(200);
  });

  it('is in no list of another', async () => {
    const task = await taskOf('anna');
    const { body } = await call('bert', 'ListTasks', { contextId: task.contextId });
    expect(body.result.tasks).toEqual([]);
    expect((await get('bert', '/api/v1/sessions')).text).not.toContain(task.contextId);
  });

  it("a stranger's context id opens a context of one's own", async () => {
    const { contextId } = await taskOf('anna', 'remember', { contextId: 'shared-name' });
    const theirs = await taskOf('bert', '/recall', { contextId });
    expect(theirs.contextId).toBe(contextId);
    const list = async (name: Name) =>
      (await call(name, 'ListTasks', { contextId })).body.result.tasks.length;
    expect([await list('anna'), await list('bert')]).toEqual([1, 1]);
    const recalled = (await call('bert', 'GetTask', { id: theirs.id })).body.result;
    expect(JSON.stringify(recalled.artifacts)).not.toContain('remember');
  });
});
