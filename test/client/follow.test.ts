import { describe, expect, it } from 'vitest';
import { type ChatFrame, follow } from '../../src/client/follow.js';
import { openPeer } from '../../src/client/peer.js';
import { agentOutputInterface } from '../../src/protocol/agent-output.js';
import { type Answering, answerJson, peerCard, startPeer } from '../support/peer.js';

const signal = AbortSignal.timeout(15_000);

const card = (url: string) => {
  const plain = peerCard(url);
  const chat = agentOutputInterface(url, { strict: false });
  return { ...plain, supportedInterfaces: [...plain.supportedInterfaces, chat] };
};

const started = async (answer: Answering) => {
  const peer = await startPeer({ card, answer });
  return { peer, opened: await openPeer(peer.url, { signal }) };
};

const collect = async (frames: AsyncGenerator<ChatFrame, void, void>) => {
  const all: ChatFrame[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
};

const event = (id: string, name: string, data: string) => `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;

describe('Following a chat', () => {
  it('comes back at the last frame when the connection breaks, until the terminal frame', async () => {
    const { peer, opened } = await started((response, { headers }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (headers['last-event-id'] === undefined) {
        response.write(`${event('s-0', 'delta', '{"content":"a"}')}: heartbeat\n\nid: s-1\nevent: del`);
        return void setTimeout(() => response.destroy(), 50);
      }
      response.write(
        event('s-1', 'tool_call', '{"input":{"id":9007199254740993}}') + event('s-2', 'done', '{}'),
      );
      // It stays open: the terminal frame is the end, not the end of the connection.
    });
    const frames = await collect(follow(opened, { taskId: 'a b', signal }));
    expect(frames).toEqual([
      { id: 's-0', event: 'delta', data: '{"content":"a"}' },
      { id: 's-1', event: 'tool_call', data: '{"input":{"id":9007199254740993}}' },
      { id: 's-2', event: 'done', data: '{}' },
    ]);
    expect(peer.received.slice(1).map(({ path, headers }) => [path, headers['last-event-id']])).toEqual([
      ['/api/v1/agent-output/chat?command_id=a+b&replay=true', undefined],
      ['/api/v1/agent-output/chat?command_id=a+b&replay=true', 's-0'],
    ]);
  });

  it('ends at once past the terminal frame', async () => {
    const { opened } = await started((response) => {
      response.writeHead(204);
      response.end();
    });
    expect(await collect(follow(opened, { taskId: 't', lastEventId: 's-9', signal }))).toEqual([]);
  });

  it.each([
    [404, { detail: 'There is no such command.' }, 'TASK_NOT_FOUND', 'There is no such command.'],
    [400, { detail: 'A malformed cursor.', code: 'INVALID_PARAMS' }, 'INVALID_PARAMS', 'A malformed cursor.'],
    [401, {}, 'UNAUTHENTICATED', /answered with HTTP 401/],
  ])('tells why there is none (HTTP %i)', async (status, problem, code, message) => {
    const { opened } = await started((response) => answerJson(response, problem, status));
    await expect(collect(follow(opened, { taskId: 't', signal }))).rejects.toMatchObject({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('tells when the peer has no chat', async () => {
    const peer = await startPeer({ answer: () => {} });
    const opened = await openPeer(peer.url, { signal });
    await expect(collect(follow(opened, { taskId: 't', signal }))).rejects.toMatchObject({
      code: 'PEER_UNSUITABLE',
    });
  });

  it('ends when it is left', async () => {
    const { opened } = await started((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event('s-0', 'delta', '{}'));
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(collect(follow(opened, { taskId: 't', signal: controller.signal }))).rejects.toThrow(
      /abort/,
    );
  });
});
