import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import type { Turn } from '../../src/domain/agent.js';
import {
  answerOf,
  eventually,
  type Json,
  line,
  message,
  says,
  scripted,
  startA2aHost,
} from '../support/a2a-host.js';

/** Agents that wait do so until the test lets them go by name. */
const gates = new Map<string, () => void>();
const open = (name: string) => eventually(() => gates.get(name)).then((go) => go());

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const stopped: string[] = [];

/** Does what the first word of its prompt says. */
async function* obey({ prompt, parts, signal, taskId }: Turn) {
  const [word = '', name = ''] = prompt.split(/\s+/);
  switch (word) {
    case 'ask':
      yield says('Let me see.');
      return { kind: 'question', text: 'Which one?' } as const;
    case 'login':
      return { kind: 'question', text: 'Who are you?', auth: true } as const;
    case 'wait': {
      yield says('Waiting.');
      const gate = new Promise<void>((resolve) => gates.set(name, resolve));
      await Promise.race([gate, aborted(signal)]);
      if (signal.aborted) stopped.push(taskId);
      signal.throwIfAborted();
      yield says(' Done.');
      return { kind: 'done' } as const;
    }
    case 'nothing':
      return { kind: 'done' } as const;
    case 'whole':
      return { kind: 'text', text: 'All at once.' } as const;
    case 'both':
      yield says('As it came.');
      return { kind: 'text', text: 'As it came.' } as const;
    case 'messages':
      yield says('One, ');
      yield line({ type: 'delta', text: 'subagent', parent: 'tool' });
      yield says('two.');
      yield says('Three.', true);
      return { kind: 'done' } as const;
    case 'half':
      yield says('So far so ');
      throw new Error('secret detail');
    case 'file':
      yield line({
        type: 'artifact',
        artifactId: 'file',
        name: 'notes.txt',
        parts: [{ kind: 'raw', bytes: Buffer.from([0, 255]), mediaType: 'application/octet-stream' }],
        append: false,
        lastChunk: true,
      });
      yield says('There.');
      return { kind: 'done' } as const;
    default:
      yield says(`${prompt} (${parts.map(({ kind }) => kind).join(',')})`);
      return { kind: 'done' } as const;
  }
}

const host = await startA2aHost({
  until: afterAll,
  agentKind: scripted(obey, { inputModes: ['image/*'] }),
});

const send = async (text: string, more: object = {}, configuration: object = {}): Promise<Json> =>
  (await host.result('SendMessage', { message: message(text, more), configuration })).task;

const begin = (text: string, more: object = {}) => send(text, more, { returnImmediately: true });

const getTask = (id: string, more: object = {}) => host.result('GetTask', { id, ...more });

const state = async (id: string): Promise<string> => (await getTask(id)).status.state;

async function collect(events: AsyncGenerator<Json, void, void>): Promise<Json[]> {
  const all: Json[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const statesOf = (events: readonly Json[]): readonly string[] =>
  events.flatMap(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state ?? []);

const textOf = (events: readonly Json[]): string =>
  events.map(({ artifactUpdate }) => artifactUpdate?.artifact.parts[0].text ?? '').join('');

describe('Text answer', () => {
  it("is one artifact `response`: the agent's own deltas in order, a blank line between messages", async () => {
    const { artifacts, status } = await send('messages');
    expect(status.state).toBe('TASK_STATE_COMPLETED');
    expect(artifacts).toEqual([
      { artifactId: 'response', name: 'response', parts: [{ text: 'One, two.\n\nThree.' }] },
    ]);
  });

  it('is streamed with append, and reads back as one text part', async () => {
    const events = await collect(host.stream('SendStreamingMessage', { message: message('messages') }));
    const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(
      chunks.map(({ artifact, append, lastChunk }) => [artifact.parts[0].text, append, lastChunk]),
    ).toEqual([
      ['One, ', undefined, undefined],
      ['two.', true, undefined],
      ['\n\nThree.', true, undefined],
      ['', true, true],
    ]);
    const task = await getTask(events[0].task.id);
    expect(task.artifacts[0].parts).toEqual([{ text: textOf(events) }]);
  });

  it('is Outcome.text only when no delta came', async () => {
    expect(answerOf(await send('whole'))).toBe('All at once.');
    expect(answerOf(await send('both'))).toBe('As it came.');
  });

  it('stays, as far as it came, on a failed task, which does not tell what was thrown', async () => {
    const task = await send('half');
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(answerOf(task)).toBe('So far so ');
    expect(JSON.stringify(task)).not.toContain('secret');
  });

  it('of an agent that says nothing is a failure (AGENT_EMPTY)', async () => {
    const { status, artifacts } = await send('nothing');
    expect(status.state).toBe('TASK_STATE_FAILED');
    expect(status.message.metadata['urn:kedi-a2a-server:failure:v1'].code).toBe('AGENT_EMPTY');
    expect(artifacts).toBeUndefined();
  });

  it('may have other artifacts beside it', async () => {
    const { artifacts } = await send('file');
    expect(artifacts[1]).toMatchObject({ artifactId: 'file', parts: [{ raw: 'AP8=' }] });
  });

  it('may be a direct message in place of a task', async () => {
    const other = await startA2aHost({
      agentKind: scripted(obey, {
        reply: async ({ prompt }) => (prompt === 'ping' ? [{ kind: 'text', text: 'pong' }] : undefined),
      }),
    });
    const params = { message: message('ping', { contextId: 'ctx-ping' }) };
    const { message: direct } = await other.result('SendMessage', params);
    expect(direct).toMatchObject({ role: 'ROLE_AGENT', contextId: 'ctx-ping', parts: [{ text: 'pong' }] });
    const events = await collect(other.stream('SendStreamingMessage', params));
    expect(events).toHaveLength(1);
    expect(events[0].message.parts).toEqual([{ text: 'pong' }]);
    expect(answerOf((await other.result('SendMessage', { message: message('pong') })).task)).toBe(
      'pong (text)',
    );
  });
});

describe('Modes', () => {
  it('take text, and data that is appended to the prompt as JSON, digit for digit', async () => {
    const params = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{"n": 9007199254740993}},{"text":"look:"}]}}`;
    const { text } = await host.post(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`);
    const { result } = JSON.parse(text);
    expect(answerOf(result.task)).toBe('look:\n\n{"n": 9007199254740993} (data,text)');
    expect(text).toContain('"data":{"n": 9007199254740993}');
  });

  it.each([
    ['a text of another type', { text: 'x', mediaType: 'text/html' }, 'text/html'],
    ['bytes', { raw: 'AAAA', mediaType: 'application/pdf' }, 'application/pdf'],
    ['bytes of no type', { raw: 'AAAA' }, 'application/octet-stream'],
    ['bytes of text, which would not reach the prompt', { raw: 'AAAA', mediaType: 'text/plain' }, 'raw part'],
    [
      'an address, which the server never fetches',
      { url: 'http://127.0.0.1/x', mediaType: 'text/plain' },
      'url part',
    ],
  ])('refuse %s with -32005', async (_, part, named) => {
    const { error } = await host.call('SendMessage', { message: message([{ text: 'x' }, part]) });
    expect(error.code).toBe(-32005);
    expect(error.message).toContain('message.parts[1]');
    expect(error.message).toContain(named);
  });

  it('take more where the agent declares it', async () => {
    const parts = [{ text: 'see' }, { raw: 'AAAA', mediaType: 'image/png' }];
    const { task } = await host.result('SendMessage', { message: message(parts) });
    expect(answerOf(task)).toBe('see (text,raw)');
  });
});

describe('contextId', () => {
  it('is taken from the client, and made here where there is none', async () => {
    expect((await send('x', { contextId: 'my-context_1.0' })).contextId).toBe('my-context_1.0');
    const [first, second] = [await send('x'), await send('x')];
    expect(first.contextId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.contextId).not.toBe(first.contextId);
  });

  it.each(['a b', 'ä', 'a/b', 'x'.repeat(129)])('is -32602 where it is "%.20s"', async (contextId) => {
    const { error } = await host.call('SendMessage', { message: message('x', { contextId }) });
    expect(error).toMatchObject({
      code: -32602,
      data: [{ fieldViolations: [{ field: 'message.contextId' }] }, {}],
    });
  });

  it('that does not match its task is -32602, and leaves the task waiting', async () => {
    const { id } = await send('ask');
    const { error } = await host.call('SendMessage', {
      message: message('x', { taskId: id, contextId: 'other' }),
    });
    expect(error).toMatchObject({
      code: -32602,
      data: [{ fieldViolations: [{ field: 'message.contextId' }] }, {}],
    });
    expect(await state(id)).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('groups what runs in order, while other contexts run beside it', async () => {
    const one = await begin('wait order-1', { contextId: 'ordered' });
    const two = await begin('wait order-2', { contextId: 'ordered' });
    const other = await begin('wait order-3', { contextId: 'elsewhere' });
    await eventually(async () => (await state(other.id)) === 'TASK_STATE_WORKING');
    expect(await state(two.id)).toBe('TASK_STATE_SUBMITTED');
    await open('order-1');
    await eventually(async () => (await state(two.id)) === 'TASK_STATE_WORKING');
    await open('order-2');
    await open('order-3');
    for (const { id } of [one, two, other]) {
      await eventually(async () => (await state(id)) === 'TASK_STATE_COMPLETED');
    }
  });
});

describe('Streams at a question', () => {
  it('end after INPUT_REQUIRED, and a follow-up has a stream of its own', async () => {
    const events = await collect(host.stream('SendStreamingMessage', { message: message('ask') }));
    expect(statesOf(events)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
    ]);
    const { id } = events[0].task;
    expect(events.at(-1).statusUpdate.status.message.parts).toEqual([{ text: 'Which one?' }]);

    const more = await collect(
      host.stream('SendStreamingMessage', { message: message('that one', { taskId: id }) }),
    );
    expect(more[0].task.history.map(({ role, parts }: Json) => [role, parts[0].text])).toEqual([
      ['ROLE_USER', 'ask'],
      ['ROLE_AGENT', 'Which one?'],
      ['ROLE_USER', 'that one'],
    ]);
    expect(more[0].task.artifacts[0].parts).toEqual([{ text: 'Let me see.' }]);
    expect(statesOf(more)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    expect(answerOf(await getTask(id))).toBe('Let me see.\n\nthat one (text)');
  });

  it('stay open for SubscribeToTask until the terminal state', async () => {
    const { id, status } = await send('login');
    expect(status.state).toBe('TASK_STATE_AUTH_REQUIRED');
    const subscription = host.stream('SubscribeToTask', { id });
    const first = await subscription.next();
    expect(first.value.task).toMatchObject({ id, status: { state: 'TASK_STATE_AUTH_REQUIRED' } });
    await send('here I am', { taskId: id });
    expect(statesOf(await collect(subscription))).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('refuse a message to a running task: -32004', async () => {
    const { id } = await begin('wait busy');
    await eventually(async () => (await state(id)) === 'TASK_STATE_WORKING');
    const { error } = await host.call('SendMessage', { message: message('x', { taskId: id }) });
    expect(error).toMatchObject({
      code: -32004,
      data: [{ reason: 'UNSUPPORTED_OPERATION', metadata: { taskId: id } }],
    });
    await open('busy');
  });
});

describe('messageId', () => {
  it('is not used to drop duplicates', async () => {
    const twice = message('again');
    const first = await host.result('SendMessage', { message: twice });
    const second = await host.result('SendMessage', { message: twice });
    expect(second.task.id).not.toBe(first.task.id);
  });
});

describe('a task', () => {
  it('that is unknown is -32001 for every operation', async () => {
    for (const method of ['GetTask', 'CancelTask', 'SubscribeToTask']) {
      const { error } = await host.call(method, { id: 'none' });
      expect(error).toMatchObject({
        code: -32001,
        data: [{ reason: 'TASK_NOT_FOUND', metadata: { taskId: 'none' } }],
      });
    }
    const { error } = await host.call('SendMessage', { message: message('x', { taskId: 'none' }) });
    expect(error.code).toBe(-32001);
  });

  it('that has ended takes no message, no cancel and no subscription', async () => {
    const { id } = await send('x');
    const codes: number[] = [];
    for (const [method, params] of [
      ['SendMessage', { message: message('x', { taskId: id }) }],
      ['SendStreamingMessage', { message: message('x', { taskId: id }) }],
      ['CancelTask', { id }],
      ['SubscribeToTask', { id }],
    ] as const) {
      codes.push((await host.call(method, params)).error.code);
    }
    expect(codes).toEqual([-32004, -32004, -32002, -32004]);
  });

  it('is returned at once with returnImmediately, and can be fetched when it is done', async () => {
    const task = await begin('wait soon');
    expect(['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING']).toContain(task.status.state);
    await open('soon');
    await eventually(async () => (await state(task.id)) === 'TASK_STATE_COMPLETED');
    expect(answerOf(await getTask(task.id))).toBe('Waiting. Done.');
  });

  it('has as much history as historyLength says', async () => {
    const { id } = await send('ask');
    const done = await send('this', { taskId: id }, { historyLength: 1 });
    expect(done.history.map(({ parts }: Json) => parts[0].text)).toEqual(['this']);
    expect((await getTask(id)).history).toHaveLength(3);
    expect((await getTask(id, { historyLength: 2 })).history).toHaveLength(2);
    expect(await getTask(id, { historyLength: 0 })).not.toHaveProperty('history');
    expect((await host.call('GetTask', { id, historyLength: -1 })).error.code).toBe(-32602);
    const events = await collect(
      host.stream('SendStreamingMessage', { message: message('x'), configuration: { historyLength: 0 } }),
    );
    expect(events[0].task).not.toHaveProperty('history');
  });

  it('is followed by several streams, which tell the same', async () => {
    const { id } = await begin('wait many');
    await eventually(async () => (await state(id)) === 'TASK_STATE_WORKING');
    const streams = [host.stream('SubscribeToTask', { id }), host.stream('SubscribeToTask', { id })];
    const firsts = await Promise.all(streams.map((each) => each.next()));
    expect(firsts[0]).toEqual(firsts[1]);
    await open('many');
    const [one, other] = await Promise.all(streams.map(collect));
    expect(one).toEqual(other);
    expect(textOf(one ?? [])).toBe(' Done.');
  });
});

describe('CancelTask', () => {
  it.each(['blocking', 'streaming'])('stops the agent of a %s request, which is told so', async (mode) => {
    const params = { message: message(`wait cancel-${mode}`, { contextId: `cancel-${mode}` }) };
    const answered =
      mode === 'blocking'
        ? host.result('SendMessage', params).then(({ task }) => task.status.state)
        : collect(host.stream('SendStreamingMessage', params)).then((events) => statesOf(events).at(-1));
    const id: string = await eventually(async () => {
      const { tasks } = await host.result('ListTasks', { contextId: `cancel-${mode}` });
      return tasks[0]?.status.state === 'TASK_STATE_WORKING' && tasks[0].id;
    });
    const canceled = await host.result('CancelTask', { id });
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(answerOf(canceled)).toBe('Waiting.');
    expect(await answered).toBe('TASK_STATE_CANCELED');
    expect(stopped).toContain(id);
    expect((await host.call('CancelTask', { id })).error.code).toBe(-32002);
  });

  it('ends a task that waits for its client', async () => {
    const { id } = await send('ask');
    expect((await host.result('CancelTask', { id })).status.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('a client that goes away', () => {
  it.each(['SendMessage', 'SendStreamingMessage'])('leaves the task of %s running', async (method) => {
    const contextId = `gone-${method}`;
    const controller = new AbortController();
    const request = fetch(`${host.url}/a2a`, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { message: message(`wait gone-${method}`, { contextId }) },
      }),
    }).then((response) => response.text());
    const id: string = await eventually(
      async () => (await host.result('ListTasks', { contextId })).tasks[0]?.id,
    );
    controller.abort();
    await expect(request).rejects.toThrow();
    await pause(50);
    await open(`gone-${method}`);
    await eventually(async () => (await state(id)) === 'TASK_STATE_COMPLETED');
    expect(answerOf(await getTask(id))).toBe('Waiting. Done.');
  });
});

describe('ListTasks', () => {
  it('has the newest change first, in pages, with all its fields', async () => {
    const ids: string[] = [];
    for (const number of [1, 2, 3]) ids.unshift((await send(`list ${number}`, { contextId: 'listed' })).id);
    const first = await host.result('ListTasks', { contextId: 'listed', pageSize: 2 });
    expect(first).toMatchObject({ pageSize: 2, totalSize: 3 });
    expect(first.tasks.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
    const second = await host.result('ListTasks', {
      contextId: 'listed',
      pageSize: 2,
      pageToken: first.nextPageToken,
    });
    expect(second).toMatchObject({ nextPageToken: '', totalSize: 3 });
    expect(second.tasks.map(({ id }: Json) => id)).toEqual(ids.slice(2));
  });

  it('has artifacts only where they are asked for, and history as far as it is', async () => {
    await send('one', { contextId: 'bare' });
    const bare = await host.result('ListTasks', { contextId: 'bare' });
    expect(bare.tasks[0]).not.toHaveProperty('artifacts');
    expect(bare.tasks[0]).not.toHaveProperty('history');
    const full = await host.result('ListTasks', {
      contextId: 'bare',
      includeArtifacts: true,
      historyLength: 5,
    });
    expect(answerOf(full.tasks[0])).toBe('one (text)');
    expect(full.tasks[0].history).toHaveLength(1);
  });

  it('tells the same status as GetTask', async () => {
    await send('ask', { contextId: 'status' });
    await send('nothing', { contextId: 'status' });
    await send('x', { contextId: 'status' });
    const { tasks } = await host.result('ListTasks', { contextId: 'status' });
    expect(tasks).toHaveLength(3);
    for (const { id, status } of tasks) expect(status).toEqual((await getTask(id)).status);
  });

  it('filters by state and by time', async () => {
    const contextId = 'filtered';
    await send('ask', { contextId });
    await pause(5);
    const later = await send('x', { contextId });
    const waiting = await host.result('ListTasks', { contextId, status: 'TASK_STATE_INPUT_REQUIRED' });
    expect(waiting.totalSize).toBe(1);
    const since = { contextId, statusTimestampAfter: later.status.timestamp };
    expect((await host.result('ListTasks', since)).tasks.map(({ id }: Json) => id)).toEqual([later.id]);
  });

  it.each([
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ status: 'TASK_STATE_RUNNING' }, 'status'],
    [{ pageToken: 'no token of ours' }, 'pageToken'],
  ])('refuses %j by the name of the field', async (params, field) => {
    const { error } = await host.call('ListTasks', params);
    expect(error.code).toBe(-32602);
    expect(error.data[0].fieldViolations[0].field).toBe(field);
  });
});

describe('what is not offered', () => {
  it('has the error of A2A for it', async () => {
    const bare = await startA2aHost({ flags: { push: 'off' } });
    for (const method of ['Create', 'Get', 'Delete']) {
      const { error } = await bare.call(`${method}TaskPushNotificationConfig`, {
        taskId: 't',
        id: 'p',
        url: 'https://x',
      });
      expect(error).toMatchObject({ code: -32003, data: [{ reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' }] });
    }
    expect((await bare.call('ListTaskPushNotificationConfigs', { taskId: 't' })).error.code).toBe(-32003);
    expect((await bare.call('GetExtendedAgentCard')).error.code).toBe(-32004);
    const configuration = { taskPushNotificationConfig: { url: 'https://example.org/hook' } };
    expect((await bare.call('SendMessage', { message: message('x'), configuration })).error.code).toBe(
      -32003,
    );
  });
});
