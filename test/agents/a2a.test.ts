import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readConversation, withQuestion, writeConversation } from '../../src/agents/a2a/conversation.js';
import { a2a } from '../../src/agents/a2a.js';
import { readAgentOptions } from '../../src/agents/index.js';
import { ask, askLive, openPeer, produce } from '../../src/client/index.js';
import type { Turn } from '../../src/domain/agent.js';
import { KediError } from '../../src/domain/errors.js';
import { kediExtension } from '../../src/protocol/structured-output.js';
import { createJudge } from '../../src/schema/index.js';
import { widget, widgetSchema } from '../harness/widget.js';
import { type A2aHost, eventually, says, scripted, startA2aHost } from '../support/a2a-host.js';
import { startModelServer } from '../support/model-server.js';
import { answerResult, peerCard, startPeer, taskJson } from '../support/peer.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ofType } from './support/events.js';
import { startSdkAgent } from './support/sdk-agent.js';
import { eventsOf, finish, newTurn, type Ran } from './support/turn.js';

const judge = createJudge();
afterAll(() => judge.close());

const { signal } = new AbortController();

type Options = Readonly<Record<string, unknown>>;

const made = async (options: Options, { env = {}, warnings = [] as string[] } = {}) =>
  Promise.resolve(
    a2a.create(readAgentOptions(a2a, JSON.stringify(options)), {
      env,
      directory: await temporaryDirectory(),
      warn: (message) => void warnings.push(message),
    }),
  );

const run = async (options: Options, turn: Partial<Turn> = {}): Promise<Ran> =>
  finish((await made(options)).run(await newTurn(turn)));

/** A server of ours whose agent is the one at that URL. */
const inFrontOf = (url: string, options: Options = {}): Promise<A2aHost> =>
  startA2aHost({ flags: { agent: 'a2a', agentOptions: JSON.stringify({ url, ...options }) } });

const tasksOf = async (host: A2aHost) => (await host.result('ListTasks')).tasks;

describe('another agent behind A2A', () => {
  it('delivers the document of a model two servers away to a client, byte for byte', async () => {
    const model = await startModelServer(() => ({ do: 'structured', document: widget }));
    onTestFinished(() => model.close());
    const agentOptions = JSON.stringify({ model: 'scripted', baseUrl: `${model.url}/v1` });
    const behind = await startA2aHost({ flags: { agent: 'openai', agentOptions } });
    const host = await inFrontOf(behind.url);
    const peer = await openPeer(host.url, { signal });
    const schema = await judge.compile(widgetSchema);
    const product = await produce(peer, { prompt: 'A widget.', schema }, signal);
    expect(product).toMatchObject({ kind: 'document', document: widget });
    expect(model.requests[0]?.body).toContain('"response_format"');
  });

  it('becomes one with typed answers where it answers in words alone', async () => {
    const behind = await startSdkAgent(() => [
      'Here it is:\n\n',
      widget.slice(0, 20),
      widget.slice(20),
      '\n\nAnything else?',
    ]);
    const host = await inFrontOf(behind.url);
    const peer = await openPeer(host.url, { signal });
    const schema = await judge.compile(widgetSchema);
    const product = await produce(peer, { prompt: 'A widget.', schema }, signal);
    expect(product).toMatchObject({ kind: 'document', document: widget });
    expect(behind.prompts).toEqual([expect.stringContaining(widgetSchema)]);
  });

  it('fails a typed request where its words hold no document, or one that does not fulfil the schema', async () => {
    const output = await judge.compile(widgetSchema);
    const wordy = await startSdkAgent(() => ['I would rather not.']);
    await expect(run({ url: wordy.url }, { output })).rejects.toMatchObject({ code: 'RESULT_MISSING' });
    const wrong = await startSdkAgent(() => ['{"id":1}']);
    const peer = await openPeer((await inFrontOf(wrong.url)).url, { signal });
    await expect(produce(peer, { prompt: 'A widget.', schema: output }, signal)).rejects.toMatchObject({
      code: 'RESULT_INVALID',
    });
  });

  it('is not asked by words where only the extension is allowed, nor by the extension where only words are', async () => {
    const output = await judge.compile(widgetSchema);
    const plain = await startSdkAgent(() => [widget]);
    await expect(run({ url: plain.url, structured: 'native' }, { output })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: 'The agent behind this one does not offer typed answers.',
    });
    expect(plain.prompts).toEqual([]);
    const agentKind = scripted(async function* (turn) {
      yield says(turn.output === undefined ? widget : 'typed');
      return { kind: 'done' };
    });
    const { url } = await startA2aHost({ agentKind });
    const { outcome } = await run({ url, structured: 'instruction' }, { output });
    expect(outcome).toEqual({ kind: 'json', document: widget });
  });

  it('is asked by words, and the chat told, where the schema does not fit its card', async () => {
    const offer = kediExtension();
    const extension = { ...offer, params: { ...offer.params, maxSchemaBytes: 10 } };
    const task = taskJson('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: widget }] }] });
    const { url } = await startPeer({
      card: (at) => peerCard(at, { capabilities: { extensions: [extension] } }),
      answer: (response) => answerResult(response, { task }),
    });
    const { lines, outcome } = await run({ url }, { output: await judge.compile(widgetSchema) });
    expect(outcome).toEqual({ kind: 'json', document: widget });
    expect(ofType(eventsOf(lines), 'status')).toMatchObject([
      { status: 'instruction', text: expect.stringMatching(/peer allows 10\. It is asked by words\.$/) },
    ]);
  });

  it('gives a document that came in the older encoding as a parsed one', async () => {
    const offer = kediExtension();
    const older = { ...offer, params: { ...offer.params, resultEncodings: ['protobuf-value'] } };
    const artifact = {
      artifactId: 'a',
      name: 'kedi-structured-output',
      extensions: [offer.uri],
      parts: [{ data: { id: 1 }, mediaType: 'application/json' }],
    };
    const { url } = await startPeer({
      card: (at) => peerCard(at, { capabilities: { extensions: [older] } }),
      answer: (response) =>
        answerResult(response, { task: taskJson('COMPLETED', { artifacts: [artifact] }) }),
    });
    const { outcome } = await run({ url }, { output: await judge.compile('{"type":"object"}') });
    expect(outcome).toEqual({ kind: 'json', document: '{"id":1}', parsed: true });
  });

  it('streams its words, and hands its files on', async () => {
    const agentKind = scripted(async function* () {
      yield says('One ');
      yield says('two.');
      yield {
        raw: Buffer.from('file'),
        channel: 'stdout',
        events: [
          {
            type: 'artifact',
            artifactId: 'chart',
            parts: [
              { kind: 'raw', bytes: Buffer.from('PNG'), mediaType: 'image/png', filename: 'chart.png' },
            ],
            append: false,
            lastChunk: true,
          },
        ],
      };
      return { kind: 'done' };
    });
    const { url } = await startA2aHost({ agentKind });
    const events = eventsOf((await run({ url })).lines);
    expect(
      ofType(events, 'delta')
        .map(({ text }) => text)
        .join(''),
    ).toBe('One two.');
    expect(ofType(events, 'artifact')).toEqual([
      {
        type: 'artifact',
        artifactId: 'file-1',
        parts: [expect.objectContaining({ mediaType: 'image/png', filename: 'chart.png' })],
        append: false,
        lastChunk: true,
      },
    ]);
    const host = await inFrontOf(url);
    const pieces: string[] = [];
    for await (const piece of askLive(await openPeer(host.url, { signal }), { prompt: 'Go.' }, signal))
      pieces.push(piece);
    expect(pieces.join('')).toContain('One two.');
  });

  it('gets the parts of a message as they were sent, files too', async () => {
    const seen: unknown[] = [];
    const agentKind = scripted(
      async function* (turn) {
        seen.push(...turn.parts);
        yield says('Thanks.');
        return { kind: 'done' };
      },
      { inputModes: ['image/*'] },
    );
    const behind = await startA2aHost({ agentKind });
    const host = await inFrontOf(behind.url);
    const image = { kind: 'raw', bytes: Buffer.from('PNG'), mediaType: 'image/png' } as const;
    await ask(
      await openPeer(host.url, { signal }),
      { prompt: [{ kind: 'text', text: 'Look.' }, image] },
      signal,
    );
    expect(seen).toMatchObject([
      { kind: 'text', text: 'Look.' },
      { kind: 'raw', mediaType: 'image/png' },
    ]);
  });
});

describe('a conversation with another agent', () => {
  it('goes on in one context of its, after a restart too', async () => {
    const behind = await startA2aHost();
    const directory = await temporaryDirectory();
    const flags = { agent: 'a2a', agentOptions: JSON.stringify({ url: behind.url }) };
    const first = await startA2aHost({ flags, directory });
    const { contextId } = await ask(await openPeer(first.url, { signal }), { prompt: 'I am Ada.' }, signal);
    await first.close();
    const second = await startA2aHost({ flags, directory });
    const again = await ask(await openPeer(second.url, { signal }), { prompt: '/recall', contextId }, signal);
    expect(again).toMatchObject({ text: 'You said before: I am Ada.' });
    const contexts = new Set((await tasksOf(behind)).map((task: { contextId: string }) => task.contextId));
    expect(contexts.size).toBe(1);
  });

  it('carries its question to the client and the client’s answer to the task that asked', async () => {
    const behind = await startA2aHost();
    const host = await inFrontOf(behind.url);
    const peer = await openPeer(host.url, { signal });
    const question = await ask(peer, { prompt: '/ask Which colour?' }, signal);
    if (question.kind !== 'question') throw new Error('no question');
    expect(question.text).toBe('Which colour?');
    const { taskId, contextId } = question;
    // Something else in the same context is no answer.
    const other = await ask(peer, { prompt: 'By the way', contextId }, signal);
    expect(other).toMatchObject({ text: expect.stringContaining('By the way') });
    const answer = await ask(peer, { prompt: 'Blue', taskId, contextId }, signal);
    expect(answer).toMatchObject({ kind: 'answer', text: expect.stringContaining('Blue'), taskId });
    const states = (await tasksOf(behind)).map((task: { status: { state: string } }) => task.status.state);
    expect(states).toEqual(['TASK_STATE_COMPLETED', 'TASK_STATE_COMPLETED']);
  });

  it('carries a question in a typed request, whose answer is typed', async () => {
    const agentKind = scripted(async function* (turn) {
      if (turn.prompt !== 'Blue') return { kind: 'question', text: 'Which colour?', auth: true };
      yield says('Thanks.');
      return { kind: 'json', document: '{"colour":"blue"}' };
    });
    const behind = await startA2aHost({ agentKind });
    const peer = await openPeer((await inFrontOf(behind.url)).url, { signal });
    const schema = await judge.compile('{"required":["colour"]}');
    const question = await produce(peer, { prompt: 'Paint it.', schema }, signal);
    if (question.kind !== 'question') throw new Error('no question');
    expect(question).toMatchObject({ text: 'Which colour?', auth: true });
    const { taskId, contextId } = question;
    const product = await produce(peer, { prompt: 'Blue', schema, taskId, contextId }, signal);
    expect(product).toMatchObject({ kind: 'document', document: '{"colour":"blue"}' });
  });

  it('asks anew, and says so, where the task that asked is there no more', async () => {
    const { url } = await startA2aHost();
    const turn = await newTurn({ prompt: 'Blue' });
    const session = writeConversation({ contextId: 'context', asked: { [turn.taskId]: 'gone' } });
    const { lines } = await finish((await made({ url })).run({ ...turn, session }));
    expect(eventsOf(lines)).toMatchObject([
      { type: 'status', status: 'session_lost' },
      ...ofType(eventsOf(lines), 'delta'),
      { type: 'session', id: 'context' },
    ]);
  });

  it('is remembered by the name of its context alone, as long as no question is open', () => {
    const first = withQuestion(readConversation(undefined), { taskId: 'a', question: undefined });
    expect(writeConversation({ ...first, contextId: 'context' })).toBe('context');
    const asking = withQuestion({ contextId: '{odd', asked: {} }, { taskId: 'ours', question: 'theirs' });
    expect(readConversation(writeConversation(asking))).toEqual({
      contextId: '{odd',
      asked: { ours: 'theirs' },
    });
    const answered = withQuestion(asking, { taskId: 'ours', question: undefined });
    expect(readConversation(writeConversation(answered))).toEqual({ contextId: '{odd', asked: {} });
    let many = readConversation('context');
    for (let count = 0; count < 50; count += 1)
      many = withQuestion(many, { taskId: `t${count}`, question: 'q' });
    expect(Object.keys(readConversation(writeConversation(many)).asked)).toHaveLength(32);
  });
});

describe('another agent that does not answer', () => {
  it.each(['OUTPUT_TOO_LARGE', 'TIMED_OUT', 'UNSUPPORTED', 'AGENT_EMPTY', 'RESULT_INVALID'] as const)(
    'fails with the code and the words of its failure: %s',
    async (code) => {
      const agentKind = scripted(async function* () {
        yield says('Well.');
        throw new KediError(code, 'as it happens');
      });
      const host = await inFrontOf((await startA2aHost({ agentKind })).url);
      const peer = await openPeer(host.url, { signal });
      await expect(ask(peer, { prompt: 'Go.' }, signal)).rejects.toMatchObject({
        code,
        message: 'as it happens',
      });
    },
  );

  it('is canceled with the task in front of it, in words and typed', async () => {
    const agentKind = scripted(async function* ({ signal: stop }) {
      yield says('One moment.');
      await new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
      return { kind: 'done' };
    });
    const behind = await startA2aHost({ agentKind });
    const host = await inFrontOf(behind.url);
    const peer = await openPeer(host.url, { signal });
    const schema = await judge.compile('{}');
    for (const [count, call] of [
      (stop: AbortSignal) => ask(peer, { prompt: 'Go.' }, stop),
      (stop: AbortSignal) => produce(peer, { prompt: 'Go.', schema }, stop),
    ].entries()) {
      const controller = new AbortController();
      const calling = call(controller.signal);
      await eventually(async () => (await tasksOf(behind)).length > count);
      controller.abort();
      await expect(calling).rejects.toMatchObject({ code: 'CANCELED' });
      await eventually(async () =>
        (await tasksOf(behind)).every(
          (task: { status: { state: string } }) => task.status.state === 'TASK_STATE_CANCELED',
        ),
      );
    }
  });

  it('is canceled when nobody reads on', async () => {
    const behind = await startSdkAgent(async function* () {
      yield 'One moment.';
      await new Promise((resolve) => setTimeout(resolve, 60_000).unref());
    });
    const running = (await made({ url: behind.url })).run(await newTurn());
    await running.next();
    await running.return({ kind: 'done' });
    expect(behind.canceled).toHaveLength(1);
  });

  it('is unavailable where it cannot be reached, and its address stays in the log', async () => {
    const warnings: string[] = [];
    const agent = await made({ url: 'http://127.0.0.1:9' }, { warnings });
    const failure: unknown = await finish(agent.run(await newTurn())).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The agent behind this one cannot be reached.',
    });
    expect(warnings).toEqual([expect.stringMatching(/127\.0\.0\.1:9\/.+cannot be reached/)]);
  });

  it('is asked with the credentials that the options name, and wants the right ones', async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, 'secret'), 'right-secret-of-the-peer\n');
    const behind = await startA2aHost({
      directory,
      flags: { auth: 'bearer', secretFile: join(directory, 'secret') },
    });
    const env = { PEER_TOKEN: 'right-secret-of-the-peer', WRONG: 'wrong-secret-of-the-peer' };
    const agent = await made({ url: behind.url, tokenEnv: 'PEER_TOKEN' }, { env });
    expect((await finish(agent.run(await newTurn({ prompt: 'Hi' })))).outcome).toMatchObject({
      kind: 'text',
    });
    const byFile = await made({ url: behind.url, tokenFile: join(directory, 'secret') });
    expect((await finish(byFile.run(await newTurn({ prompt: 'Hi' })))).outcome).toMatchObject({
      kind: 'text',
    });
    for (const options of [{ tokenEnv: 'WRONG' }, {}]) {
      const refused = await made({ url: behind.url, ...options }, { env });
      const failure: unknown = await finish(refused.run(await newTurn())).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'AGENT_UNAVAILABLE' });
      expect(String(failure)).not.toMatch(/secret-of-the-peer|127\.0\.0\.1/);
    }
  });

  it.each([
    [{ url: 'not a url' }, /"url" is not an http or https URL/],
    [{ url: 'http://h', tokenEnv: 'NO_SUCH' }, /NO_SUCH is not set/],
    [{ url: 'http://h', basicEnv: 'TOKEN' }, /must be USER:PASSWORD/],
    [{ url: 'http://h', tokenEnv: 'TOKEN', apiKeyEnv: 'TOKEN' }, /Only one of/],
  ])('has options that are refused before anything is served: %j', async (options, message) => {
    const failure: unknown = await made(options, { env: { TOKEN: 'x' } }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SETTINGS_INVALID', message: expect.stringMatching(message) });
  });
});
