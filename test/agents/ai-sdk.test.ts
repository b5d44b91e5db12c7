import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { sdkAnswer } from '../../src/agents/ai-sdk/answer.js';
import { aiSdk } from '../../src/agents/ai-sdk.js';
import { readAgentOptions } from '../../src/agents/index.js';
import { streamJson } from '../../src/agents/kit/stream-json.js';
import { openPeer, produce } from '../../src/client/index.js';
import type { Agent, Turn } from '../../src/domain/agent.js';
import { createJudge } from '../../src/schema/index.js';
import { widget, widgetSchema } from '../harness/widget.js';
import { startA2aHost } from '../support/a2a-host.js';
import { inOrder, type ModelScript, startModelServer } from '../support/model-server.js';
import { startPeer } from '../support/peer.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ofType } from './support/events.js';
import { answerOf, eventsOf, finish, newTurn, type Ran } from './support/turn.js';

const judge = createJudge();
afterAll(() => judge.close());

const key = 'sk-very-secret-key-of-the-operator';

type Options = Readonly<Record<string, unknown>>;

const made = async (options: Options, directory?: string): Promise<Agent> =>
  aiSdk.create(readAgentOptions(aiSdk, JSON.stringify(options)), {
    env: { MODEL_KEY: key },
    directory: directory ?? (await temporaryDirectory()),
    warn: () => {},
  });

const optionsFor = (baseURL: string, settings: Options = {}) => ({
  provider: '@ai-sdk/openai-compatible',
  model: 'scripted',
  settings: { name: 'scripted', baseURL, supportsStructuredOutputs: true, ...settings },
  retries: 0,
});

async function modelled(
  script: ModelScript,
  { settings = {}, ...options }: Options & { settings?: Options } = {},
) {
  const model = await startModelServer(script);
  onTestFinished(() => model.close());
  return { agent: await made({ ...optionsFor(`${model.url}/v1`, settings), ...options }), model };
}

const run = async (agent: Agent, turn: Partial<Turn> = {}): Promise<Ran> =>
  finish(agent.run(await newTurn(turn)));

const typed = async (schema = widgetSchema): Promise<Partial<Turn>> => ({
  output: await judge.compile(schema),
});

const bodyOf = (request: { readonly body: string } | undefined): ReturnType<typeof JSON.parse> =>
  JSON.parse(request?.body ?? 'null');

describe('a model of the AI SDK', () => {
  it('delivers the document of its model to a client, byte for byte, through a whole server', async () => {
    const model = await startModelServer(() => ({ do: 'structured', document: widget }));
    onTestFinished(() => model.close());
    const agentOptions = JSON.stringify(optionsFor(`${model.url}/v1`));
    const host = await startA2aHost({ flags: { agent: 'ai-sdk', agentOptions } });
    const { signal } = new AbortController();
    const peer = await openPeer(host.url, { signal });
    const schema = await judge.compile(widgetSchema);
    const product = await produce(peer, { prompt: 'A widget.', schema }, signal);
    expect(product).toMatchObject({ kind: 'document', document: widget });
  });

  it('is asked as its options say', async () => {
    const { agent, model } = await modelled(() => ({ do: 'text', text: 'Hi.' }), {
      ...{ apiKeyEnv: 'MODEL_KEY', system: 'Be brief.', temperature: 0.5, maxTokens: 100 },
      providerOptions: { scripted: { reasoningEffort: 'low' } },
    });
    expect(answerOf(await run(agent, { prompt: 'Hello' }))).toBe('Hi.');
    expect(model.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(bodyOf(model.requests[0])).toMatchObject({
      model: 'scripted',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      temperature: 0.5,
      max_tokens: 100,
      reasoning_effort: 'low',
    });
  });

  it('is given a schema with closed objects, or as it is, and a root that is no object in a wrapper', async () => {
    const { agent, model } = await modelled(() => ({ do: 'structured', document: '{"value":[1.0]}' }));
    const schema = '{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}}}}';
    expect((await run(agent, await typed(schema))).outcome).toEqual({ kind: 'json', document: '[1.0]' });
    const asked = bodyOf(model.requests[0]).response_format.json_schema;
    expect(asked).toMatchObject({
      schema: { properties: { value: { items: { additionalProperties: false, required: ['a'] } } } },
    });
    const open = await modelled(() => ({ do: 'structured', document: '{}' }), { closeObjects: false });
    await run(open.agent, await typed('{"type":"object","properties":{"a":{}}}'));
    expect(bodyOf(open.model.requests[0]).response_format.json_schema.schema).toEqual({
      type: 'object',
      properties: { a: {} },
    });
  });

  it('is asked again by words, from then on, where it passes over the schema', async () => {
    const { agent, model } = await modelled(() => ({ do: 'text', text: `Here: ${widget}` }), {
      settings: { supportsStructuredOutputs: false },
    });
    const ran = await run(agent, await typed());
    expect(ran.outcome).toEqual({ kind: 'json', document: widget });
    expect(ofType(eventsOf(ran.lines), 'status').map(({ text }) => text)).toEqual([
      'The model takes no schema; it is asked again, by words.',
    ]);
    expect(model.requests.at(-1)?.messages.at(-1)?.text).toContain(widgetSchema);
    const asked = model.requests.length;
    expect((await run(agent, await typed())).outcome).toEqual({ kind: 'json', document: widget });
    expect(model.requests).toHaveLength(asked + 1);
  });

  it('is not asked by words where only its own way is allowed', async () => {
    const { agent } = await modelled(() => ({ do: 'text', text: widget }), {
      structured: 'native',
      settings: { supportsStructuredOutputs: false },
    });
    await expect(run(agent, await typed())).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });

  it('gets a schema by words whose numbers the AI SDK would change', async () => {
    const schema = '{"type":"object","properties":{"id":{"const":9007199254740993}}}';
    const { agent, model } = await modelled(() => ({ do: 'text', text: '{"id":9007199254740993}' }));
    expect((await run(agent, await typed(schema))).outcome).toEqual({
      kind: 'json',
      document: '{"id":9007199254740993}',
    });
    expect(bodyOf(model.requests[0])).not.toHaveProperty('response_format');
    expect(model.requests[0]?.messages.at(-1)?.text).toContain(schema);
  });

  it('shows thinking, the calls of tools that are not there, and usage', async () => {
    const thinking = await modelled(() => ({ do: 'text', text: 'Done.', thinking: 'Let me think.' }), {
      settings: { includeUsage: true },
    });
    const { lines } = await run(thinking.agent);
    expect(eventsOf(lines).filter(({ type }) => type !== 'delta')).toEqual([
      { type: 'raw', text: 'Let me think.' },
      {
        type: 'usage',
        finishReason: 'stop',
        model: 'scripted',
        usage: expect.stringContaining('"totalTokens":18'),
      },
    ]);
    const calling = await modelled(() => ({
      do: 'tools',
      calls: [{ name: 'look', input: '{"id":9007199254740993}' }],
    }));
    const seen: unknown[] = [];
    const calls = finish(
      calling.agent.run(await newTurn()),
      (line) => void seen.push(...(line.events ?? [])),
    );
    await expect(calls).rejects.toMatchObject({ code: 'AGENT_FAILED' });
    expect(seen).toContainEqual(
      expect.objectContaining({ type: 'tool_call', name: 'look', input: '{"id":9007199254740993}' }),
    );
  });

  it('writes nothing on the server’s own output', async () => {
    const prints = [
      vi.spyOn(console, 'info'),
      vi.spyOn(console, 'warn'),
      vi.spyOn(console, 'error'),
      vi.spyOn(console, 'log'),
    ];
    const failing = await modelled(inOrder({ do: 'status', status: 400 }, { do: 'text', text: '{}' }), {
      settings: { supportsStructuredOutputs: false },
    });
    await expect(run(failing.agent)).rejects.toThrow();
    await run(failing.agent, await typed('{"type":"object"}'));
    for (const print of prints) expect(print).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });
});

describe('a model of the AI SDK that does not answer', () => {
  it.each([
    ['length', /cut off at its limit of tokens/],
    ['content-filter', /stopped by the filter/],
  ] as const)('fails where it was ended by %s, in text and typed', async (reason, message) => {
    for (const turn of [{}, await typed()]) {
      const { agent } = await modelled(() => ({ do: 'text', text: widget, finish: reason }));
      await expect(run(agent, turn)).rejects.toMatchObject({
        code: 'AGENT_FAILED',
        message: expect.stringMatching(message),
      });
    }
  });

  it('never passes off half an answer as the whole, however the connection ends', async () => {
    const dropped = await modelled(() => ({ do: 'drop', text: '{"id":1}' }));
    await expect(run(dropped.agent, await typed('{"type":"object"}'))).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: expect.stringMatching(/closed|terminated|finish reason/),
    });
    const { url } = await startPeer({
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: '{}' } }] })}\n\n`);
      },
    });
    await expect(run(await made(optionsFor(url)), await typed('{"type":"object"}'))).rejects.toMatchObject({
      code: 'AGENT_FAILED',
    });
  });

  it('is tried again as often as its options say, and fails with the last words, without the key', async () => {
    const { agent, model } = await modelled(
      () => ({ do: 'status', status: 429, retryAfter: '0', message: `slow down, ${key}` }),
      { retries: 1, apiKeyEnv: 'MODEL_KEY' },
    );
    await expect(run(agent)).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: 'The model failed (HTTP 429): slow down, ***',
    });
    expect(model.requests).toHaveLength(2);
    const given = await modelled(() => ({ do: 'status', status: 400, message: `not with ${key}` }), {
      settings: { apiKey: key },
    });
    await expect(run(given.agent)).rejects.toMatchObject({
      message: 'The model failed (HTTP 400): not with ***',
    });
  });

  it('fails as unavailable where there is no endpoint', async () => {
    await expect(run(await made(optionsFor('http://127.0.0.1:1/v1')))).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(/Cannot connect to API/),
    });
  });
});

describe('the stream of an AI SDK', () => {
  const write = streamJson({ sessionId: 's' });

  it('tells results of tools that the provider ran, sources, and files as artifacts', () => {
    const answer = sdkAnswer(write);
    const parts = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', text: 'One.' },
      { type: 'text-end', id: '1' },
      { type: 'tool-call', toolCallId: 't', toolName: 'search', input: { query: 'kedi' } },
      { type: 'tool-result', toolCallId: 't', output: { found: 1 } },
      { type: 'tool-error', toolCallId: 'u', error: new Error('no network') },
      { type: 'source', sourceType: 'url', url: 'https://example.org', title: 'Example' },
      { type: 'file', file: { mediaType: 'image/png', uint8Array: new Uint8Array([1, 2]) } },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '2', text: 'Two.' },
      { type: 'finish-step', finishReason: 'stop', rawFinishReason: 'stop' },
      { type: 'invented-later' },
    ];
    expect(eventsOf(parts.flatMap((part) => answer.take(part)))).toEqual([
      { type: 'delta', text: 'One.' },
      { type: 'tool_call', id: 't', name: 'search', input: '{"query":"kedi"}' },
      { type: 'tool_result', id: 't', ok: true, text: '{"found":1}' },
      { type: 'tool_result', id: 'u', ok: false, text: 'no network' },
      { type: 'status', status: 'source', text: 'Example https://example.org' },
      {
        type: 'artifact',
        artifactId: 'file-1',
        parts: [{ kind: 'raw', bytes: new Uint8Array([1, 2]), mediaType: 'image/png' }],
        append: false,
        lastChunk: true,
      },
      { type: 'delta', text: 'Two.', startsMessage: true },
    ]);
    expect(answer.messages()).toEqual(['One.', 'Two.']);
    expect(answer.finish()).toEqual({ reason: 'stop', wantsTools: false });
  });

  it('is no whole answer where the SDK made the reason of its end up', () => {
    const ended = (part: Options) => {
      const answer = sdkAnswer(write);
      answer.take({ type: 'finish-step', ...part });
      return answer.finish();
    };
    expect(ended({ finishReason: 'unknown' })).toBeUndefined();
    expect(ended({ finishReason: 'other' })).toBeUndefined();
    expect(ended({ finishReason: 'other', rawFinishReason: 'eos' })).toEqual({
      reason: 'other',
      wantsTools: false,
    });
  });
});

describe('the packages of an AI SDK', () => {
  const refused = (options: Options, directory?: string) =>
    made({ model: 'm', provider: '@ai-sdk/openai-compatible', ...options }, directory).catch(
      (error: unknown) => error,
    );

  it.each([
    [
      { provider: '@ai-sdk/not-installed' },
      /The package @ai-sdk\/not-installed is not installed in .+npm install/,
    ],
    [{ factory: 'createNothing' }, /exports no function "createNothing"; it has createOpenAICompatible/],
    [{ method: 'nothing' }, /has no method "nothing"/],
    [{ apiKeyEnv: 'NO_SUCH' }, /NO_SUCH is not set/],
  ])('are refused before anything is served: %j', async (options, message) => {
    expect(await refused(options)).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('are those of the operator’s project, before any other, and may be a file of theirs', async () => {
    const project = await temporaryDirectory();
    const nested = join(project, 'nested');
    await mkdir(join(project, 'node_modules'), { recursive: true });
    await mkdir(nested);
    const home = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    await symlink(home('ai'), join(project, 'node_modules/ai'));
    await symlink(home('@ai-sdk/openai-compatible'), join(project, 'node_modules/compatible'));
    await writeFile(
      join(nested, 'mine.mjs'),
      "import { createOpenAICompatible } from 'compatible';\nexport const createMine = (settings) => createOpenAICompatible({ name: 'mine', ...settings });\n",
    );
    const model = await startModelServer(() => ({ do: 'text', text: 'Mine.' }));
    onTestFinished(() => model.close());
    const options = {
      provider: './mine.mjs',
      model: 'm',
      method: 'chatModel',
      settings: { baseURL: `${model.url}/v1` },
    };
    expect(answerOf(await run(await made(options, nested)))).toBe('Mine.');
    await mkdir(join(nested, 'node_modules/ai'), { recursive: true });
    await writeFile(join(nested, 'node_modules/ai/package.json'), '{"version":"4.3.0","main":"./index.cjs"}');
    await writeFile(join(nested, 'node_modules/ai/index.cjs'), 'exports.streamText = () => {};\n');
    expect(await refused(options, nested)).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: 'The package ai 4.3.0 is not an AI SDK that is known here; version 5 or later is.',
    });
  });
});
