import { rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { readAgentOptions } from '../../src/agents/index.js';
import { waitBefore } from '../../src/agents/openai/retry.js';
import { openai } from '../../src/agents/openai.js';
import { ask, openPeer, produce } from '../../src/client/index.js';
import type { Agent, Turn } from '../../src/domain/agent.js';
import { createJudge } from '../../src/schema/index.js';
import { widget, widgetSchema } from '../harness/widget.js';
import { startA2aHost } from '../support/a2a-host.js';
import { inOrder, type ModelScript, startModelServer } from '../support/model-server.js';
import { type Received, type ScriptedPeer, startPeer } from '../support/peer.js';
import { temporaryDirectory } from '../support/temporary.js';
import { ofType } from './support/events.js';
import { answerOf, eventsOf, finish, newTurn, type Ran } from './support/turn.js';

const judge = createJudge();
afterAll(() => judge.close());

const key = 'sk-very-secret-key-of-the-operator';

type Options = Readonly<Record<string, unknown>>;

const agentAt = async (baseUrl: string, options: Options = {}, env: Record<string, string> = {}) =>
  Promise.resolve(
    openai.create(
      readAgentOptions(openai, JSON.stringify({ model: 'scripted', baseUrl, retries: 0, ...options })),
      { env: { MODEL_KEY: key, ...env }, directory: await temporaryDirectory(), warn: () => {} },
    ),
  );

/** The agent with a scripted model. */
async function modelled(script: ModelScript, options: Options = {}) {
  const model = await startModelServer(script);
  onTestFinished(() => model.close());
  return { agent: await agentAt(`${model.url}/v1`, options), model };
}

/** The agent with an endpoint that sends these chunks, objects or raw text, and then ends or what `after` does. */
async function chunked(
  chunks: readonly unknown[],
  {
    after = (response) => response.end(),
    options = {},
  }: { after?: (r: ServerResponse) => void; options?: Options } = {},
) {
  return answering((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) {
      response.write(`data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`);
    }
    after(response);
  }, options);
}

async function answering(
  answer: (response: ServerResponse, received: Received) => void | Promise<void>,
  options: Options = {},
): Promise<{ readonly agent: Agent; readonly endpoint: ScriptedPeer }> {
  const endpoint = await startPeer({ answer });
  return { agent: await agentAt(`${endpoint.url}/v1`, options), endpoint };
}

const says = (content: string, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, ...more }],
});
const ends = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });

const run = async (agent: Agent, turn: Partial<Turn> = {}): Promise<Ran> =>
  finish(agent.run(await newTurn(turn)));

const typed = async (schema = widgetSchema): Promise<Partial<Turn>> => ({
  output: await judge.compile(schema),
});

const bodyOf = (received: { readonly body: string } | undefined): ReturnType<typeof JSON.parse> =>
  JSON.parse(received?.body ?? 'null');

describe('a model behind an OpenAI-compatible endpoint', () => {
  it('delivers the document of its model to a client, byte for byte, through a whole server', async () => {
    const model = await startModelServer(() => ({ do: 'structured', document: widget }));
    onTestFinished(() => model.close());
    const agentOptions = JSON.stringify({ model: 'scripted', baseUrl: `${model.url}/v1` });
    const host = await startA2aHost({ flags: { agent: 'openai', agentOptions } });
    const { signal } = new AbortController();
    const peer = await openPeer(host.url, { signal });
    const schema = await judge.compile(widgetSchema);
    const product = await produce(peer, { prompt: 'A widget.', schema }, signal);
    expect(product).toMatchObject({ kind: 'document', document: widget });
    // The next request of the context knows the document.
    const { contextId } = product;
    await ask(peer, { prompt: 'And now?', contextId }, signal);
    expect(model.requests.at(-1)?.messages).toEqual([
      { role: 'user', text: 'A widget.' },
      { role: 'assistant', text: widget },
      { role: 'user', text: 'And now?' },
    ]);
  });

  it('sends what its options say, the key by the header that they name', async () => {
    const options = {
      apiKeyEnv: 'MODEL_KEY',
      headers: { 'X-Title': 'kedi' },
      system: 'Be brief.',
      temperature: 0.5,
      maxTokens: 100,
      body: { seed: 7, stream_options: null },
    };
    const { agent, model } = await modelled(() => ({ do: 'text', text: 'Hi.' }), options);
    expect(answerOf(await run(agent, { prompt: 'Hello' }))).toBe('Hi.');
    const [request] = model.requests;
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-title': 'kedi' });
    expect(bodyOf(request)).toEqual({
      model: 'scripted',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
      ],
      stream: true,
      temperature: 0.5,
      max_tokens: 100,
      seed: 7,
    });
    const azure = await modelled(() => ({ do: 'text', text: 'Hi.' }), {
      apiKeyEnv: 'MODEL_KEY',
      apiKeyHeader: 'api-key',
    });
    await run(azure.agent);
    expect(azure.model.requests[0]?.headers).toMatchObject({ 'api-key': key });
    expect(azure.model.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('reads a key from a file anew for each request', async () => {
    const file = join(await temporaryDirectory(), 'key');
    await writeFile(file, 'first-key\n');
    const { agent, model } = await modelled(() => ({ do: 'text', text: 'Hi.' }), { apiKeyFile: file });
    await run(agent);
    await writeFile(file, 'second-key\n');
    await run(agent);
    expect(model.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first-key',
      'Bearer second-key',
    ]);
    await rm(file);
    await expect(run(agent)).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The secret of the agent cannot be read any more.',
    });
  });

  it('gives the schema in its exact text, and keeps the query of its base URL', async () => {
    const schema =
      '{"type":"object","properties":{"id":{"const":9007199254740993},"price":{"minimum":78.0}}}';
    const endpoint = await startPeer({
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          `data: ${JSON.stringify(says('{"id":9007199254740993}', { finish_reason: 'stop' }))}\n\n`,
        );
      },
    });
    const agent = await agentAt(`${endpoint.url}/openai/v1/?api-version=2`);
    expect((await run(agent, await typed(schema))).outcome).toEqual({
      kind: 'json',
      document: '{"id":9007199254740993}',
    });
    const [request] = endpoint.received;
    expect(request?.path).toBe('/openai/v1/chat/completions?api-version=2');
    expect(request?.body).toContain(
      `"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":false,"schema":${schema}}}`,
    );
  });

  it('closes objects for the strict mode alone, and unwraps a root that is no object', async () => {
    const { agent, endpoint } = await chunked([says('{"value": [1.0, 2]}'), ends('stop')], {
      options: { strict: true },
    });
    const schema = '{"type":"array","items":{"type":"number"}}';
    expect((await run(agent, await typed(schema))).outcome).toEqual({ kind: 'json', document: '[1.0, 2]' });
    expect(bodyOf(endpoint.received[0]).response_format.json_schema).toMatchObject({
      strict: true,
      schema: { type: 'object', required: ['value'], additionalProperties: false },
    });
  });

  it('asks by words where the endpoint has no response format, and finds the document in the prose', async () => {
    const { agent, model } = await modelled(
      () => ({ do: 'text', text: `Here it is:\n\n\`\`\`json\n${widget}\n\`\`\`\n` }),
      { structured: 'instruction' },
    );
    expect((await run(agent, await typed())).outcome).toEqual({ kind: 'json', document: widget });
    expect(bodyOf(model.requests[0])).not.toHaveProperty('response_format');
    expect(model.requests[0]?.messages.at(-1)?.text).toContain(widgetSchema);
  });

  it('tells on a further attempt why the last document was refused', async () => {
    const { agent, model } = await modelled(() => ({ do: 'structured', document: '{}' }));
    await run(agent, { ...(await typed()), refused: { document: '{"id":1}', reason: 'price is missing' } });
    expect(model.requests[0]?.messages.at(-1)?.text).toMatch(/price is missing[\s\S]+\{"id":1\}/);
  });

  it('shows thinking, tool calls with their exact arguments, and usage', async () => {
    const { agent } = await chunked([
      { model: 'm-1', choices: [{ index: 0, delta: { role: 'assistant', reasoning_content: 'Let me ' } }] },
      { choices: [{ index: 0, delta: { reasoning_content: 'think.\nSo' } }] },
      {
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, id: 'c1', function: { name: 'look', arguments: '{"id":90071992' } }],
            },
          },
        ],
      },
      {
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '54740993}' } }] } }],
      },
      {
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 1, id: 'c2', function: { name: 'wait', arguments: '' } }] },
          },
        ],
      },
      says('Done.'),
      ends('stop'),
      '{"choices":[],"usage":{"total_tokens":18,"cost":0.10}}',
      '[DONE]',
    ]);
    const { lines, outcome } = await run(agent);
    expect(outcome).toEqual({ kind: 'done' });
    expect(eventsOf(lines)).toEqual([
      { type: 'raw', text: 'Let me think.' },
      { type: 'tool_call', id: 'c1', name: 'look', input: '{"id":9007199254740993}' },
      { type: 'raw', text: 'So' },
      { type: 'delta', text: 'Done.' },
      { type: 'tool_call', id: 'c2', name: 'wait', input: '{}' },
      { type: 'usage', finishReason: 'stop', model: 'm-1', usage: '{"total_tokens":18,"cost":0.10}' },
    ]);
  });

  it('keeps a character whole that comes in two halves', async () => {
    const { agent } = await chunked([
      '{"choices":[{"delta":{"content":"a\\ud83d"}}]}',
      '{"choices":[{"delta":{"content":"\\ude00b"}}]}',
      ends('stop'),
    ]);
    const deltas = ofType(eventsOf((await run(agent)).lines), 'delta').map(({ text }) => text);
    expect(deltas).toEqual(['a', '😀b']);
  });

  it('takes the whole answer of an endpoint that does not stream', async () => {
    const { agent } = await answering((response) => {
      response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' });
      response.end(
        '{"choices":[{"index":0,"message":{"content":"All at once."},"finish_reason":"stop"}],"usage":{"total_tokens":3}}',
      );
    });
    const ran = await run(agent);
    expect(answerOf(ran)).toBe('All at once.');
    expect(ofType(eventsOf(ran.lines), 'usage')).toMatchObject([{ usage: '{"total_tokens":3}' }]);
  });

  it('reads no further than the end, though the connection stays open', async () => {
    const { agent } = await chunked([says('Hi.'), ends('stop'), '[DONE]'], { after: () => {} });
    expect(answerOf(await run(agent))).toBe('Hi.');
  });
});

describe('a model that does not answer', () => {
  it('declines in the field that is for it', async () => {
    const refusal = (text: string) => ({ choices: [{ index: 0, delta: { refusal: text } }] });
    const { agent } = await chunked([refusal('I cannot '), refusal('help with that.'), ends('stop')]);
    expect((await run(agent, await typed())).outcome).toEqual({
      kind: 'rejected',
      reason: 'I cannot help with that.',
    });
  });

  it.each([
    ['length', 'AGENT_FAILED', /cut off at its limit of tokens/],
    ['content_filter', 'AGENT_FAILED', /stopped by the filter/],
    ['tool_calls', 'AGENT_FAILED', /called a tool, and there is nobody here to run it/],
  ])(
    'fails where it was ended by %s, in text and typed, and tells what it cost',
    async (reason, code, message) => {
      for (const turn of [{}, await typed()]) {
        const { agent } = await chunked([
          says(widget),
          ends(reason),
          '{"choices":[],"usage":{"total_tokens":3}}',
          '[DONE]',
        ]);
        const lines: unknown[] = [];
        const running = finish(
          agent.run(await newTurn(turn)),
          (line) => void lines.push(...(line.events ?? [])),
        );
        await expect(running).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
        expect(lines.at(-1)).toMatchObject({ type: 'usage', usage: '{"total_tokens":3}' });
      }
    },
  );

  it('never passes off half an answer as the whole, however the connection ends', async () => {
    const whole = { after: (response: ServerResponse) => response.end() };
    const broken = { after: (response: ServerResponse) => void setTimeout(() => response.destroy(), 50) };
    for (const how of [whole, broken]) {
      const { agent } = await chunked([says('{"id":'), says('1}')], how);
      await expect(run(agent, await typed('{"type":"object"}'))).rejects.toMatchObject({
        code: 'AGENT_FAILED',
        message: expect.stringMatching(/broke off: the connection was closed|was lost in its answer/),
      });
    }
    const { agent } = await chunked([says('All.'), ends('stop')], broken);
    expect(answerOf(await run(agent))).toBe('All.');
    const dropped = await modelled(() => ({ do: 'drop', text: 'Half of an answer.' }));
    await expect(run(dropped.agent)).rejects.toMatchObject({ code: 'AGENT_FAILED' });
  });

  it('fails with what it says in the middle of an answer', async () => {
    const { agent } = await chunked([says('Well'), { error: { message: `out of memory for ${key}` } }], {
      options: { apiKeyEnv: 'MODEL_KEY' },
    });
    await expect(run(agent)).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: 'The model broke off its answer: out of memory for ***',
    });
    const garbled = await chunked(['<html>']);
    await expect(run(garbled.agent)).rejects.toMatchObject({ code: 'AGENT_FAILED', message: /no JSON/ });
  });

  it.each([
    [401, '{"error":{"message":"bad key KEY"}}', 'AGENT_UNAVAILABLE', '(HTTP 401): bad key ***'],
    [404, '{"error":"model not found"}', 'AGENT_FAILED', '(HTTP 404): model not found'],
    [400, '[{"error":{"message":"bad schema"}}]', 'AGENT_FAILED', '(HTTP 400): bad schema'],
    [422, '{"detail":"no such field"}', 'AGENT_FAILED', '(HTTP 422): no such field'],
    [502, '<h1>Bad\nGateway</h1>', 'AGENT_FAILED', '(HTTP 502): <h1>Bad Gateway</h1>'],
    [500, '', 'AGENT_FAILED', '(HTTP 500): without a reason'],
    [307, '', 'AGENT_FAILED', '(HTTP 307): it redirects elsewhere'],
  ])('fails with the words of HTTP %i, and never with the key', async (status, body, code, words) => {
    const { agent } = await answering(
      (response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' });
        response.end(body.replace('KEY', key));
      },
      { apiKeyEnv: 'MODEL_KEY' },
    );
    await expect(run(agent)).rejects.toMatchObject({
      code,
      message: `The model’s endpoint refused the request ${words}`,
    });
  });

  it('fails as unavailable where there is no endpoint', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    const port = typeof address === 'object' ? address?.port : 0;
    await expect(run(await agentAt(`http://127.0.0.1:${port}`))).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(/cannot be reached: connect ECONNREFUSED/),
    });
  });
});

describe('a model that is busy', () => {
  it('is asked again after the time that it asks for, and each try is told', async () => {
    const { agent, model } = await modelled(
      inOrder(
        { do: 'status', status: 429, retryAfter: '0.3', message: 'slow down' },
        { do: 'status', status: 503, retryAfter: new Date(Date.now()).toUTCString(), message: 'starting' },
        { do: 'text', text: 'Now.' },
      ),
      { retries: 2 },
    );
    const began = performance.now();
    const ran = await run(agent);
    expect(answerOf(ran)).toBe('Now.');
    expect(performance.now() - began).toBeGreaterThan(290);
    expect(model.requests).toHaveLength(3);
    expect(ofType(eventsOf(ran.lines), 'status')).toEqual([
      {
        type: 'status',
        status: 'retry',
        text: 'The model’s endpoint refused the request (HTTP 429): slow down; trying again in 0.3 s (1 of 2).',
      },
      {
        type: 'status',
        status: 'retry',
        text: 'The model’s endpoint refused the request (HTTP 503): starting; trying again in 0 s (2 of 2).',
      },
    ]);
  });

  it('is given up after so many tries, and at once where trying again cannot help', async () => {
    const busy = await modelled(() => ({ do: 'status', status: 429, retryAfter: '0' }), { retries: 3 });
    await expect(run(busy.agent)).rejects.toMatchObject({ code: 'AGENT_FAILED', info: { status: '429' } });
    expect(busy.model.requests).toHaveLength(4);
    const refusing = await modelled(() => ({ do: 'status', status: 400 }), { retries: 3 });
    await expect(run(refusing.agent)).rejects.toMatchObject({ info: { status: '400' } });
    expect(refusing.model.requests).toHaveLength(1);
    const firm = await answering(
      (response) => void response.writeHead(429, { 'x-should-retry': 'false' }).end(),
      { retries: 3 },
    );
    await expect(run(firm.agent)).rejects.toMatchObject({ info: { status: '429' } });
    expect(firm.endpoint.received).toHaveLength(1);
  });

  it('is not asked a second time once it has begun to answer', async () => {
    const { agent, model } = await modelled(() => ({ do: 'drop' }), { retries: 3 });
    await expect(run(agent)).rejects.toMatchObject({ code: 'AGENT_FAILED' });
    expect(model.requests).toHaveLength(1);
  });

  it('is not waited for after a cancel', async () => {
    const controller = new AbortController();
    const { agent, model } = await modelled(() => ({ do: 'status', status: 429, retryAfter: '60' }), {
      retries: 1,
    });
    const running = finish(agent.run(await newTurn({ signal: controller.signal })));
    const reason = new Error('canceled');
    setTimeout(() => controller.abort(reason), 200);
    await expect(running).rejects.toBe(reason);
    expect(model.requests).toHaveLength(1);
  });

  it('frees its connection when nobody reads on', async () => {
    let closed = false;
    const { agent } = await answering((response) => {
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(says('word'))}\n\n`);
    });
    const running = agent.run(await newTurn());
    await running.next();
    await running.return({ kind: 'done' });
    for (let tries = 0; tries < 50 && !closed; tries += 1) await delay(10);
    expect(closed).toBe(true);
  });

  it('is waited for as long as Retry-After says, up to a minute, and else longer with each try', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const wait = (tried: number, value?: string) =>
      waitBefore(tried, {
        headers: new Headers(value === undefined ? {} : { 'retry-after': value }),
        now,
        random: () => 0,
      });
    expect(wait(0, '3')).toBe(3_000);
    expect(wait(0, '0')).toBe(0);
    expect(wait(0, '86400')).toBe(60_000);
    expect(wait(0, 'Thu, 01 Jan 2026 00:00:10 GMT')).toBe(10_000);
    expect(wait(0, 'Wed, 31 Dec 2025 00:00:10 GMT')).toBe(0);
    expect([0, 1, 2, 3, 4, 9].map((tried) => wait(tried))).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(wait(1, 'soon')).toBe(1_000);
    const least = waitBefore(0, { headers: new Headers(), now, random: () => 0.999 });
    expect(least).toBeGreaterThanOrEqual(375);
  });
});

describe('the options of a model', () => {
  const refused = (options: Options, env: Record<string, string> = {}) =>
    agentAt('http://127.0.0.1:1', options, env).catch((error: unknown) => error);

  it.each([
    [{ baseUrl: 'ftp://host' }, /"baseUrl" is not an http or https URL/],
    [{ baseUrl: 'https://user:password@host' }, /Credentials do not belong/],
    [{ apiKeyEnv: 'NO_SUCH' }, /variable NO_SUCH is not set/],
    [{ apiKeyEnv: 'KEDI_A2A_SECRET' }, /belongs to the server itself/],
    [{ apiKeyFile: 'no-such-file' }, /There is no secret to be read in .+no-such-file/],
    [{ apiKeyEnv: 'MODEL_KEY', apiKeyFile: 'x' }, /only one of/],
    [{ headers: { 'bad name': 'x' } }, /"headers" holds a name/],
    [{ baseUrl: 'https://api.openai.com/v1' }, /variable OPENAI_API_KEY is not set/],
  ])('are refused before anything is served: %j', async (options, message) => {
    expect(await refused(options, { KEDI_A2A_SECRET: 'server' })).toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('send OpenAI’s key to OpenAI alone', async () => {
    const model = await startModelServer(() => ({ do: 'text', text: 'Hi.' }));
    onTestFinished(() => model.close());
    await run(await agentAt(`${model.url}/v1`, {}, { OPENAI_API_KEY: key }));
    expect(model.requests[0]?.headers.authorization).toBeUndefined();
  });
});
