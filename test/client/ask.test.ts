import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type Answer, ask, askLive } from '../../src/client/ask.js';
import { openPeer } from '../../src/client/peer.js';
import { FAILURE_URI } from '../../src/protocol/failure.js';
import {
  type Answering,
  answerJson,
  answerResult,
  chunkJson,
  peerCard,
  type Received,
  startPeer,
  statusJson,
  streamResults,
  taskJson,
} from '../support/peer.js';

const signal = AbortSignal.timeout(15_000);

const started = async (answer: Answering, card = peerCard) => {
  const peer = await startPeer({ answer, card });
  return { peer, opened: await openPeer(peer.url, { signal }) };
};

const collect = async (asked: AsyncGenerator<string, Answer, void>) => {
  const pieces: string[] = [];
  for (;;) {
    const { done, value } = await asked.next();
    if (done === true) return { pieces, answer: value };
    pieces.push(value);
  }
};

const polled = (url: string) => peerCard(url, { capabilities: {} });

describe('Asking a peer that streams', () => {
  it('gives the text as it comes and whole at the end', async () => {
    const { peer, opened } = await started((response) => {
      streamResults(response, [
        { task: taskJson('SUBMITTED') },
        statusJson('WORKING'),
        chunkJson('Hel', false),
        chunkJson('lo', true),
        chunkJson('', true),
        statusJson('COMPLETED'),
      ]);
      response.end();
    });
    const { pieces, answer } = await collect(askLive(opened, { prompt: 'Hi', contextId: 'c' }, signal));
    expect(pieces).toEqual(['Hel', 'lo']);
    expect(answer).toMatchObject({ kind: 'answer', text: 'Hello', taskId: 'task-1', contextId: 'context-1' });
    const sent = JSON.parse(peer.received[1]?.body ?? '');
    expect(sent).toMatchObject({
      jsonrpc: '2.0',
      method: 'SendStreamingMessage',
      params: {
        message: { role: 'ROLE_USER', parts: [{ text: 'Hi' }], contextId: 'c' },
        configuration: { acceptedOutputModes: ['text/plain', 'application/json'] },
      },
    });
    expect(peer.received[1]?.headers).toMatchObject({
      'a2a-version': '1.0',
      'content-type': 'application/json',
    });
  });

  it('comes back to the task when the connection breaks, sends nothing twice and repeats no word', async () => {
    let subscriptions = 0;
    const { peer, opened } = await started((response, { call }) => {
      if (call === 'SendStreamingMessage') {
        streamResults(response, [{ task: taskJson('WORKING') }, chunkJson('one ', false)]);
        setTimeout(() => response.destroy(), 50);
        return;
      }
      const artifacts = [{ artifactId: 'response', parts: [{ text: 'one two ' }] }];
      const task = taskJson('WORKING', { artifacts });
      if (call === 'GetTask') return answerResult(response, task);
      subscriptions += 1;
      if (subscriptions === 1) return void response.destroy();
      streamResults(response, [{ task }, chunkJson('three', true), statusJson('COMPLETED')]);
      response.end();
    });
    const { pieces, answer } = await collect(askLive(opened, { prompt: 'Count' }, signal));
    expect(pieces).toEqual(['one ', 'two ', 'three']);
    expect(answer).toMatchObject({ text: 'one two three' });
    expect(peer.calls()).toEqual([
      'SendStreamingMessage',
      'GetTask',
      'SubscribeToTask',
      'GetTask',
      'SubscribeToTask',
    ]);
  });

  it('fails, and does not send again, when the connection breaks before there is a task', async () => {
    const { peer, opened } = await started((response) => void response.destroy());
    await expect(ask(opened, { prompt: 'Hi' }, signal)).rejects.toMatchObject({ code: 'PEER_UNREACHABLE' });
    expect(peer.calls()).toEqual(['SendStreamingMessage']);
  });

  it('finds the end of a task that can no longer be subscribed to', async () => {
    const { opened } = await started((response, { call }) => {
      if (call === 'SendStreamingMessage') {
        streamResults(response, [{ task: taskJson('WORKING') }]);
        return void response.end();
      }
      const artifacts = [{ artifactId: 'a', parts: [{ text: 'late' }] }];
      answerResult(response, taskJson('COMPLETED', { artifacts }));
    });
    await expect(ask(opened, { prompt: 'Hi' }, signal)).resolves.toMatchObject({ text: 'late' });
  });

  it('takes a direct message for an answer', async () => {
    const { opened } = await started((response) => {
      streamResults(response, [
        { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: 'pong' }] } },
      ]);
      response.end();
    });
    await expect(ask(opened, { prompt: 'ping' }, signal)).resolves.toMatchObject({
      kind: 'answer',
      text: 'pong',
      taskId: undefined,
    });
  });

  it('takes the words of the last status where there is no artifact, and keeps the digits of data', async () => {
    const { opened } = await started((response) => {
      streamResults(response, [{ task: taskJson('WORKING') }, statusJson('COMPLETED', 'All done.')]);
      response.end();
    });
    await expect(ask(opened, { prompt: 'Hi' }, signal)).resolves.toMatchObject({ text: 'All done.' });
    const data = await started((response) => {
      streamResults(response, [
        '{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"data":{"id":9007199254740993,"x":78.0}}]}]}}',
      ]);
      response.end();
    });
    await expect(ask(data.opened, { prompt: 'Hi' }, signal)).resolves.toMatchObject({
      text: '{"id":9007199254740993,"x":78.0}',
    });
  });

  it('gives a question back, and answers it in the same task though the peer first shows the task as it was', async () => {
    const { peer, opened } = await started((response, { body }) => {
      if (body.includes('"taskId"')) {
        streamResults(response, [
          { task: taskJson('INPUT_REQUIRED') },
          statusJson('WORKING'),
          chunkJson('Blue it is.', false),
          statusJson('COMPLETED'),
        ]);
      } else
        streamResults(response, [
          { task: taskJson('WORKING') },
          statusJson('INPUT_REQUIRED', 'Which colour?'),
        ]);
      response.end();
    });
    const question = await ask(opened, { prompt: 'Paint' }, signal);
    expect(question).toEqual({
      kind: 'question',
      text: 'Which colour?',
      auth: false,
      taskId: 'task-1',
      contextId: 'context-1',
    });
    const place = { taskId: 'task-1', contextId: 'context-1' };
    await expect(ask(opened, { prompt: 'blue', ...place }, signal)).resolves.toMatchObject({
      text: 'Blue it is.',
    });
    expect(JSON.parse(peer.received[2]?.body ?? '').params.message).toMatchObject(place);
  });

  it.each([
    [
      'FAILED',
      'The program broke.',
      { [FAILURE_URI]: { code: 'TIMED_OUT' } },
      'TIMED_OUT',
      'The program broke.',
    ],
    ['FAILED', 'No.', { [FAILURE_URI]: { code: 'NO_SUCH_CODE' } }, 'AGENT_FAILED', 'No.'],
    [
      'FAILED',
      undefined,
      undefined,
      'AGENT_FAILED',
      'The task ended as failed, and the peer does not say why.',
    ],
    ['CANCELED', 'Stopped.', undefined, 'CANCELED', 'Stopped.'],
    ['REJECTED', 'Not me.', undefined, 'REJECTED', 'Not me.'],
  ])('throws when the task is %s (%s)', async (state, text, metadata, code, message) => {
    const { opened } = await started((response) => {
      streamResults(response, [{ task: taskJson('WORKING') }, statusJson(state, text, metadata)]);
      response.end();
    });
    await expect(ask(opened, { prompt: 'Hi' }, signal)).rejects.toMatchObject({
      code,
      message,
      info: { taskId: 'task-1', contextId: 'context-1' },
    });
  });
});

describe('Asking a peer that does not stream', () => {
  it('sends once, does not wait for the answer, and looks at the task until it has ended', async () => {
    let looks = 0;
    const answer: Answering = (response, { call }) => {
      if (call === 'SendMessage') return answerResult(response, { task: taskJson('SUBMITTED') });
      looks += 1;
      const artifacts = [{ artifactId: 'a', parts: [{ text: 'done' }] }];
      answerResult(response, looks < 2 ? taskJson('WORKING') : taskJson('COMPLETED', { artifacts }));
    };
    const { peer, opened } = await started(answer, polled);
    await expect(ask(opened, { prompt: 'Hi' }, signal)).resolves.toMatchObject({ text: 'done' });
    expect(peer.calls()).toEqual(['SendMessage', 'GetTask', 'GetTask']);
    expect(JSON.parse(peer.received[1]?.body ?? '').params.configuration.returnImmediately).toBe(true);
  });

  it('works over HTTP+JSON, with the name that the interface routes by', async () => {
    const card = (url: string) =>
      peerCard(url, {
        capabilities: {},
        supportedInterfaces: [
          { url: `${url}/rest/`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0', tenant: 'red team' },
        ],
      });
    const answer: Answering = (response, { path }) =>
      path.endsWith('/message:send')
        ? answerJson(response, { task: taskJson('WORKING') })
        : answerJson(
            response,
            taskJson('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: 'yes' }] }] }),
          );
    const { peer, opened } = await started(answer, card);
    await expect(ask(opened, { prompt: 'Hi' }, signal)).resolves.toMatchObject({ text: 'yes' });
    expect(peer.received.slice(1).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /rest/red%20team/message:send',
      'GET /rest/red%20team/tasks/task-1',
    ]);
  });
});

describe('Leaving a call', () => {
  const hanging: Answering = (response, { call }) => {
    if (call === 'CancelTask') return answerResult(response, taskJson('CANCELED'));
    streamResults(response, [{ task: taskJson('WORKING') }]);
  };

  it('cancels the task', async () => {
    const { peer, opened } = await started(hanging);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(ask(opened, { prompt: 'Hi' }, controller.signal)).rejects.toMatchObject({
      code: 'CANCELED',
      message: 'The call was canceled, and task task-1 with it.',
    });
    expect(peer.calls()).toEqual(['SendStreamingMessage', 'CancelTask']);
  });

  it('cancels the task when time is up', async () => {
    const { opened } = await started(hanging);
    await expect(ask(opened, { prompt: 'Hi' }, AbortSignal.timeout(100))).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: 'There was no answer in time; task task-1 was canceled.',
    });
  });

  it('waits a moment for a task that has no name yet, so that it can be canceled', async () => {
    const { peer, opened } = await started((response, received) => {
      if (received.call === 'CancelTask') return hanging(response, received);
      setTimeout(() => streamResults(response, [{ task: taskJson('WORKING') }]), 300);
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(ask(opened, { prompt: 'Hi' }, controller.signal)).rejects.toMatchObject({
      code: 'CANCELED',
    });
    expect(peer.calls()).toEqual(['SendStreamingMessage', 'CancelTask']);
  });

  it('says so when the peer does not cancel', async () => {
    const { opened } = await started((response, received) => {
      if (received.call !== 'CancelTask') return hanging(response, received);
      answerJson(response, { jsonrpc: '2.0', id: 1, error: { code: -32002, message: 'Too late.' } });
    });
    await expect(ask(opened, { prompt: 'Hi' }, AbortSignal.timeout(50))).rejects.toMatchObject({
      message: 'There was no answer in time; task task-1 may go on: Too late.',
    });
  });

  it('sends nothing when it was left before', async () => {
    const { peer, opened } = await started(hanging);
    await expect(ask(opened, { prompt: 'Hi' }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELED',
    });
    expect(peer.calls()).toEqual([]);
  });

  it('lets the task go on when the reader only looks away, and holds no connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { peer, opened } = await started((response) => {
      closed = once(response, 'close');
      streamResults(response, [{ task: taskJson('WORKING') }, chunkJson('a', false)]);
    });
    for await (const _ of askLive(opened, { prompt: 'Hi' }, signal)) break;
    await closed;
    expect(peer.calls()).toEqual(['SendStreamingMessage']);
  });
});

describe('What a peer refuses', () => {
  const refusing =
    (error: unknown, status = 200): Answering =>
    (response) =>
      answerJson(response, { jsonrpc: '2.0', id: null, error }, status);
  const reason = (name: string) => [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name, domain: 'a2a-protocol.org' },
  ];

  it.each([
    ['by its reason', { code: -32603, message: 'Later.', data: reason('BUSY') }, 503, 'BUSY', 'Later.'],
    ['by its number', { code: -32001, message: 'Unknown task.' }, 200, 'TASK_NOT_FOUND', 'Unknown task.'],
    ['by a number of its own', { code: -1, message: 'Odd.' }, 200, 'PEER_UNSUITABLE', 'Odd.'],
  ])('is known %s', async (_, error, status, code, message) => {
    const { opened } = await started(refusing(error, status));
    await expect(ask(opened, { prompt: 'Hi' }, signal)).rejects.toMatchObject({ code, message });
  });

  it('names the fields', async () => {
    const data = [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'message.parts', description: 'is required' }],
      },
    ];
    const { opened } = await started(refusing({ code: -32602, message: 'Wrong.', data }));
    await expect(ask(opened, { prompt: 'Hi' }, signal)).rejects.toMatchObject({
      code: 'INVALID_PARAMS',
      fields: [{ field: 'message.parts', description: 'is required' }],
    });
  });

  it.each([
    ['HTML', 200, '<html>', 'PEER_UNSUITABLE', /something that is not JSON/],
    ['a bare status', 502, 'Bad gateway', 'PEER_UNSUITABLE', /HTTP 502/],
    [
      'a demand for credentials',
      401,
      '{"title":"no"}',
      'UNAUTHENTICATED',
      /HTTP 401. No credentials were sent/,
    ],
    ['an answer without a result', 200, '{"jsonrpc":"2.0","id":1}', 'PEER_UNSUITABLE', /without a result/],
    [
      'a malformed task',
      200,
      '{"result":{"task":{"id":"x"}}}',
      'INVALID_AGENT_RESPONSE',
      /status is required/,
    ],
    ['a stream of nothing', 200, '{"result":{}}', 'INVALID_AGENT_RESPONSE', /without an answer or a task/],
  ])('tells of %s', async (_, status, body, code, message) => {
    const { opened } = await started((response) => answerJson(response, body, status));
    await expect(ask(opened, { prompt: 'Hi' }, signal)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('sees the credentials, each in its header', async () => {
    const seen: Received['headers'][] = [];
    const peer = await startPeer({
      answer: (response, { headers }) => {
        seen.push(headers);
        answerResult(response, { message: { messageId: 'm', parts: [{ text: 'ok' }] } });
      },
    });
    const all = [
      { kind: 'bearer', token: 'abc' },
      { kind: 'basic', user: 'ü', password: 'p:q' },
      { kind: 'api-key', header: 'X-Key', key: 'k' },
    ] as const;
    for (const credentials of all) {
      await ask(await openPeer(peer.url, { credentials, signal }), { prompt: 'Hi' }, signal);
    }
    expect(seen).toMatchObject([
      { authorization: 'Bearer abc' },
      { authorization: `Basic ${Buffer.from('ü:p:q').toString('base64')}` },
      { 'x-key': 'k' },
    ]);
    await expect(
      openPeer(peer.url, { credentials: { kind: 'bearer', token: 'a\nb' }, signal }),
    ).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
  });
});
