import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, withA2AExtensions } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { isGrpcError } from '@a2a-js/sdk/errors/grpc';
import { afterAll, describe, expect, it } from 'vitest';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../../src/protocol/structured-output.js';
import { eventually, type Json, says, scripted, startA2aHost } from '../support/a2a-host.js';

const agentKind = scripted(async function* ({ prompt, output, signal }) {
  if (output !== undefined) return { kind: 'json', document: prompt };
  yield says('One ');
  if (prompt === 'wait') {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
  }
  if (prompt === 'many') for (let index = 0; index < 3_000; index += 1) yield says('x'.repeat(1_000));
  yield says('two.');
  return { kind: 'done' };
});
const flags = { bindings: 'grpc,json-rpc', grpcPort: '0' };
const host = await startA2aHost({ until: afterAll, agentKind, flags });

async function connect(url = host.url) {
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new GrpcTransportFactory()],
      preferredTransports: ['GRPC'],
    }),
  );
  return factory.createFromUrl(url);
}
const client = await connect();

const text = (value: string) => ({
  content: { $case: 'text' as const, value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

const request = (prompt: string, more: object = {}) => ({
  tenant: '',
  message: {
    messageId: 'm',
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [text(prompt)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  },
  configuration: undefined,
  metadata: undefined,
});

const taskOf = async (prompt: string, more: object = {}) => {
  const sent = await client.sendMessage({ ...request(prompt), ...more });
  if (!('status' in sent)) throw new Error('a task was expected');
  return sent;
};

const working = async () => {
  const status = TaskState.TASK_STATE_WORKING;
  const page = { tenant: '', contextId: '', status, pageToken: '', statusTimestampAfter: undefined };
  return (await client.listTasks(page)).tasks;
};

const now = {
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    returnImmediately: true,
  },
};

describe('The binding over gRPC', () => {
  it('is on the card as host and port, and the client of the SDK speaks it', async () => {
    const card: Json = await (await fetch(`${host.url}/.well-known/agent-card.json`)).json();
    expect(card.supportedInterfaces[0]).toEqual({
      url: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
      protocolBinding: 'GRPC',
      protocolVersion: '1.0',
    });
    const task = await taskOf('hello');
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'One two.' });
  });

  it('carries a typed document as bytes, each of them its own', async () => {
    const document = '{"id":9007199254740993,"price":78.0,"exp":1.0E+2}';
    const sent = await client.sendMessage(
      {
        ...request(document, { extensions: [KEDI_STRUCTURED_OUTPUT_URI] }),
        configuration: {
          acceptedOutputModes: ['application/json'],
          taskPushNotificationConfig: undefined,
          returnImmediately: false,
        },
        metadata: {
          kediStructuredOutput: {
            version: 1,
            resultEncoding: 'json-utf8',
            schemaJson: '{"properties":{"id":{"const":9007199254740993}}}',
          },
        },
      },
      { serviceParameters: withA2AExtensions(KEDI_STRUCTURED_OUTPUT_URI) as never },
    );
    if (!('status' in sent)) throw new Error('a task was expected');
    const [artifact] = sent.artifacts;
    expect(artifact?.extensions).toEqual([KEDI_STRUCTURED_OUTPUT_URI]);
    const content = artifact?.parts[0]?.content;
    if (content?.$case !== 'raw') throw new Error(`bytes were expected: ${JSON.stringify(sent.status)}`);
    expect(Buffer.from(content.value).toString()).toBe(document);
  });

  it('streams a long answer whole', async () => {
    let length = 0;
    let last = '';
    for await (const { payload } of client.sendMessageStream(request('many'))) {
      last = payload?.$case ?? '';
      if (payload?.$case !== 'artifactUpdate') continue;
      const content = payload.value.artifact?.parts[0]?.content;
      if (content?.$case === 'text') length += content.value.length;
    }
    expect([length, last]).toEqual([3_000_008, 'statusUpdate']);
  });

  it('gets, lists, cancels and watches tasks', async () => {
    const { id, contextId } = await taskOf('wait', now);
    expect((await client.getTask({ tenant: '', id })).id).toBe(id);
    const { tasks } = await client.listTasks({
      tenant: '',
      contextId,
      status: TaskState.TASK_STATE_UNSPECIFIED,
      pageToken: '',
      statusTimestampAfter: undefined,
    });
    expect(tasks.map((task) => task.id)).toEqual([id]);
    const watching = (async () => {
      const states: unknown[] = [];
      for await (const { payload } of client.resubscribeTask({ tenant: '', id })) {
        if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
      }
      return states;
    })();
    await eventually(async () => (await client.getTask({ tenant: '', id })).status?.state);
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect((await watching).at(-1)).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it('may be given up by its caller, and nothing is wrong then', async () => {
    const leaving = new AbortController();
    const waiting = client.sendMessage(request('wait'), { signal: leaving.signal });
    await eventually(async () => (await working()).length > 0);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    const tasks = await working();
    expect(tasks).toHaveLength(1);
    for (const { id } of tasks) await client.cancelTask({ tenant: '', id, metadata: undefined });
    expect(host.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('says what is wrong by status and reason', async () => {
    const error = await client.getTask({ tenant: '', id: 'nowhere' }).catch((thrown: unknown) => thrown);
    if (!isGrpcError(error)) throw error;
    expect([error.status, error.reason]).toEqual([5, 'TASK_NOT_FOUND']);
    expect(error.metadata).toEqual({ taskId: 'nowhere' });
    const invalid = await client
      .sendMessage(request('x', { messageId: '' }))
      .catch((thrown: unknown) => thrown);
    expect(isGrpcError(invalid) && invalid.status).toBe(3);
  });
});

describe('Credentials over gRPC', () => {
  it('are asked for in every call', async () => {
    const guarded = await startA2aHost({
      agentKind,
      flags: { ...flags, auth: 'bearer', secretEnv: 'PATH', publicCard: 'yes' },
    });
    const stranger = await connect(guarded.url);
    const error = await stranger.getTask({ tenant: '', id: 'x' }).catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/credentials|UNAUTHENTICATED/);
    const known = await stranger
      .getTask(
        { tenant: '', id: 'x' },
        { serviceParameters: { authorization: `Bearer ${process.env.PATH}` } },
      )
      .catch((thrown: unknown) => thrown);
    expect(isGrpcError(known) && known.reason).toBe('TASK_NOT_FOUND');
  });
});
