import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, RestTransportFactory } from '@a2a-js/sdk/client';
import { afterAll, describe, expect, it } from 'vitest';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../../src/protocol/structured-output.js';
import { eventually, type Json, message, says, scripted, startA2aHost } from '../support/a2a-host.js';

const host = await startA2aHost({
  until: afterAll,
  agentKind: scripted(async function* ({ prompt, output, signal }) {
    if (output !== undefined) return { kind: 'json', document: prompt };
    yield says('One ');
    if (prompt === 'wait') {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      signal.throwIfAborted();
    }
    yield says('two.');
    return { kind: 'done' };
  }),
});
const base = `${host.url}/a2a/v1`;

async function request(path: string, init: { method?: string; body?: string; headers?: object } = {}) {
  const response = await fetch(`${base}${path}`, {
    ...init,
    headers: {
      'A2A-Version': '1.0',
      ...(init.body !== undefined && { 'Content-Type': 'application/a2a+json' }),
      ...init.headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: (): Json => JSON.parse(text) };
}

const post = (path: string, body: object, headers = {}) =>
  request(path, { method: 'POST', body: JSON.stringify(body), headers });

const send = async (text: string, more: object = {}): Promise<Json> =>
  (await post('/message:send', { message: message(text), ...more })).json().task;

describe('The HTTP+JSON binding', () => {
  it('is on the card, and the client of the SDK speaks it', async () => {
    const factory = new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new RestTransportFactory()],
        preferredTransports: ['HTTP+JSON'],
      }),
    );
    const client = await factory.createFromUrl(host.url);
    const params = {
      tenant: '',
      message: {
        messageId: 'm',
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [
          {
            content: { $case: 'text' as const, value: 'hello' },
            metadata: undefined,
            filename: '',
            mediaType: '',
          },
        ],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: undefined,
      metadata: undefined,
    };
    const sent = await client.sendMessage(params);
    if (!('status' in sent)) throw new Error('a task was expected');
    expect(sent.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const events: string[] = [];
    for await (const event of client.sendMessageStream(params)) events.push(event.payload?.$case ?? '');
    expect(events[0]).toBe('task');
    expect(events.at(-1)).toBe('statusUpdate');
    expect((await client.getTask({ tenant: '', id: sent.id })).artifacts).toHaveLength(1);
    expect((await client.listTasks(listOf(sent.contextId))).tasks).toHaveLength(1);
  });

  it('answers a message with a task in application/a2a+json', async () => {
    const { status, headers, json } = await post('/message:send', { message: message('hello') });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/a2a+json']);
    expect(json().task).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      artifacts: [{ parts: [{ text: 'One two.' }] }],
    });
  });

  it('keeps every digit of a typed request and of its document', async () => {
    const document = '{"id":9007199254740993,"price":78.0}';
    const schema = '{"properties":{"id":{"const":9007199254740993}}}';
    const { headers, json } = await post(
      '/message:send',
      {
        message: message(document, { extensions: [KEDI_STRUCTURED_OUTPUT_URI] }),
        configuration: { acceptedOutputModes: ['application/json'] },
        metadata: { kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: schema } },
      },
      { 'A2A-Extensions': KEDI_STRUCTURED_OUTPUT_URI },
    );
    const [artifact] = json().task.artifacts;
    expect(Buffer.from(artifact.parts[0].raw, 'base64').toString()).toBe(document);
    expect(headers.get('a2a-extensions')).toBe(KEDI_STRUCTURED_OUTPUT_URI);
  });

  it('reads the numbers of a legacy schema as the client wrote them', async () => {
    const body = JSON.stringify({
      message: message('1', { extensions: [KEDI_STRUCTURED_OUTPUT_URI] }),
      configuration: { acceptedOutputModes: ['application/json'] },
      metadata: { kediStructuredOutput: { version: 1, schema: { const: 'NUMBER' } } },
    }).replace('"NUMBER"', '9007199254740993');
    const { json } = await request('/message:send', { method: 'POST', body });
    expect(json().task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(json().task.status.message.metadata)).toContain('SCHEMA_LOSSY');
  });

  it('streams events that have no envelope', async () => {
    const { headers, text } = await post('/message:stream', { message: message('hello') });
    expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
    const events = [...text.matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']) => Object.keys(JSON.parse(data))[0],
    );
    expect(events[0]).toBe('task');
    expect(events.at(-1)).toBe('statusUpdate');
  });

  it('gets, lists and cancels by paths and queries', async () => {
    const task = await send('wait', { configuration: { returnImmediately: true } });
    const got = (await request(`/tasks/${task.id}?historyLength=0`)).json();
    expect(got).toMatchObject({ id: task.id });
    expect(got).not.toHaveProperty('history');
    const query = `contextId=${task.contextId}&pageSize=1&includeArtifacts=true&status=TASK_STATE_WORKING`;
    const { tasks, totalSize } = await eventually(async () => {
      const page = (await request(`/tasks?${query}`)).json();
      return page.tasks.length > 0 ? page : undefined;
    });
    expect([tasks[0].id, totalSize]).toEqual([task.id, 1]);
    const canceled = (await request(`/tasks/${task.id}:cancel`, { method: 'POST' })).json();
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    const again = await post(`/tasks/${task.id}:cancel`, {});
    expect([again.status, again.json().error.details[0].reason]).toEqual([400, 'TASK_NOT_CANCELABLE']);
  });

  it.each(['POST', 'GET'])('subscribes to a running task by %s', async (method) => {
    const task = await send('wait', { configuration: { returnImmediately: true } });
    const stream = request(`/tasks/${task.id}:subscribe`, { method });
    await request(`/tasks/${task.id}:cancel`, { method: 'POST' });
    expect((await stream).text).toMatch(/TASK_STATE_CANCELED/);
    const late = await request(`/tasks/${task.id}:subscribe`, { method });
    expect([late.status, late.json().error.details[0].reason]).toEqual([400, 'UNSUPPORTED_OPERATION']);
  });

  it.each([
    ['no such task', '/tasks/nowhere', {}, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
    [
      'another version',
      '/tasks',
      { headers: { 'A2A-Version': '0.3' } },
      400,
      'FAILED_PRECONDITION',
      'VERSION_NOT_SUPPORTED',
    ],
    ['a page too large', '/tasks?pageSize=101', {}, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'],
    ['no JSON', '/message:send', { method: 'POST', body: '{' }, 400, 'INVALID_ARGUMENT', 'PARSE_ERROR'],
    [
      'no message',
      '/message:send',
      { method: 'POST', body: '{}' },
      400,
      'INVALID_ARGUMENT',
      'INVALID_PARAMS',
    ],
    [
      'a body over the limit',
      '/message:send',
      { method: 'POST', body: ' '.repeat(2 ** 20 + 1) },
      413,
      'RESOURCE_EXHAUSTED',
      'BODY_TOO_LARGE',
    ],
    ['no extended card', '/extendedAgentCard', {}, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'],
  ])('says in google.rpc.Status: %s', async (_, path, init, code, status, reason) => {
    const answer = await request(path, init);
    const { error } = answer.json();
    expect([answer.status, error.code, error.status]).toEqual([code, code, status]);
    expect(error.details.at(-1)).toMatchObject({
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason,
      domain: 'a2a-protocol.org',
    });
  });

  it('tells which verbs a path has, and that others have nothing', async () => {
    const wrong = await request('/message:send');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await request('/nothing')).status).toBe(404);
    expect((await request('/tasks/%E0%A4%A')).status).toBe(404);
  });

  it('is not there where the operator leaves it out', async () => {
    const other = await startA2aHost({ flags: { bindings: 'json-rpc' } });
    expect((await fetch(`${other.url}/a2a/v1/tasks`)).status).toBe(404);
    const card = await (await fetch(`${other.url}/.well-known/agent-card.json`)).text();
    expect(card).not.toContain('HTTP+JSON');
  });
});

const listOf = (contextId: string) => ({
  tenant: '',
  contextId,
  status: TaskState.TASK_STATE_UNSPECIFIED,
  pageToken: '',
  statusTimestampAfter: undefined,
});
