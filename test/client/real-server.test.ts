import { afterAll, describe, expect, it } from 'vitest';
import { ask } from '../../src/client/ask.js';
import { fetchCard } from '../../src/client/card.js';
import { checkCard } from '../../src/client/check-card.js';
import { follow } from '../../src/client/follow.js';
import { openPeer } from '../../src/client/peer.js';
import { produce } from '../../src/client/produce.js';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../../src/protocol/kedi-extension.js';
import { createJudge } from '../../src/schema/index.js';
import { startServer } from '../support/server.js';

const signal = AbortSignal.timeout(30_000);
const judge = createJudge();
afterAll(() => judge.close());
const server = await startServer({ options: { delayMs: 5 }, until: afterAll });

describe('The client and our own server', () => {
  it('agree on the card', async () => {
    expect(checkCard(await fetchCard(server.url, { credentials: { kind: 'none' }, signal }))).toEqual([]);
  });

  it('agree on an answer in words and on the chat of its task, which can be resumed anywhere', async () => {
    const peer = await openPeer(server.url, { signal });
    const answer = await ask(peer, { prompt: '/tool hello' }, signal);
    if (answer.kind !== 'answer' || answer.taskId === undefined) throw new Error('a task was expected');
    const { taskId } = answer;
    const frames = [];
    for await (const frame of follow(peer, { taskId, signal })) frames.push(frame);
    expect(frames.map(({ event }) => event)).toContain('tool_call');
    expect(frames.at(-1)?.event).toBe('done');
    const said = frames.flatMap(({ event, data }) => (event === 'delta' ? JSON.parse(data).content : []));
    expect(said.join('')).toBe(answer.text);
    const middle = frames[3]?.id ?? '';
    const rest = [];
    for await (const frame of follow(peer, { taskId, lastEventId: middle, signal })) rest.push(frame);
    expect(rest).toEqual(frames.slice(4));
  });

  it('agree on a typed answer', async () => {
    const peer = await openPeer(server.url, { extensions: [KEDI_STRUCTURED_OUTPUT_URI], signal });
    const schema = await judge.compile('{"const":9007199254740993}');
    await expect(produce(peer, { prompt: 'The number', schema }, signal)).resolves.toMatchObject({
      document: '9007199254740993',
    });
  });

  it('agree over HTTP+JSON too: words, a question and its answer, a typed answer, a cancel', async () => {
    const rest = await startServer({ flags: ['--bindings', 'http-json'] });
    const peer = await openPeer(rest.url, { extensions: [KEDI_STRUCTURED_OUTPUT_URI], signal });
    expect(peer.card.interfaces.map(({ binding }) => binding)).not.toContain('JSONRPC');
    await expect(ask(peer, { prompt: 'Hello' }, signal)).resolves.toMatchObject({ kind: 'answer' });
    const question = await ask(peer, { prompt: '/ask Who?' }, signal);
    if (question.kind !== 'question') throw new Error('a question was expected');
    const { taskId, contextId } = question;
    await expect(ask(peer, { prompt: 'me', taskId, contextId }, signal)).resolves.toMatchObject({ taskId });
    const schema = await judge.compile('{"const":9007199254740993}');
    await expect(produce(peer, { prompt: 'The number', schema }, signal)).resolves.toMatchObject({
      document: '9007199254740993',
    });
    await expect(ask(peer, { prompt: '/wait 30' }, AbortSignal.timeout(500))).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: expect.stringMatching(/task \S+ was canceled/),
    });
    await expect(ask(peer, { prompt: 'x', taskId: 'nobody' }, signal)).rejects.toMatchObject({
      code: 'TASK_NOT_FOUND',
    });
  });
});
