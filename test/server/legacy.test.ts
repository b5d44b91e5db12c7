import { Role, TaskState } from '@a2a-js/sdk';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { afterAll, describe, expect, it } from 'vitest';
import { type Json, says, scripted, startA2aHost } from '../support/a2a-host.js';

const agentKind = scripted(async function* ({ prompt, output, signal }) {
  if (output !== undefined) return { kind: 'json', document: prompt };
  if (prompt === 'ask') return { kind: 'question', text: 'Which?' };
  yield says('One ');
  if (prompt === 'wait') {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    signal.throwIfAborted();
  }
  yield says('two.');
  return { kind: 'done' };
});
const flags = { bindings: 'json-rpc,json-rpc-0.3' };
const host = await startA2aHost({ until: afterAll, agentKind, flags });

/** One call as a client of 0.3 sends it, which names no version. */
const legacy = (method: string, params: object, id?: string) =>
  legacyText(method, JSON.stringify(params), id);

async function legacyText(
  method: string,
  params: string,
  id: string = '1',
): Promise<{ text: string; json: Json }> {
  const response = await fetch(`${host.url}/a2a`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`,
  });
  const text = await response.text();
  return { text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

const message = (text: string, more: object = {}) => ({
  kind: 'message',
  messageId: 'm',
  role: 'user',
  parts: [{ kind: 'text', text }],
  ...more,
});

describe('A client of A2A 0.3', () => {
  it('reads the card by its own keys, and one of 1.0 by its', async () => {
    const card: Json = await (await fetch(`${host.url}/.well-known/agent-card.json`)).json();
    expect(card).toMatchObject({
      protocolVersion: '0.3.0',
      url: `${host.url}/a2a`,
      preferredTransport: 'JSONRPC',
      capabilities: { streaming: true },
      skills: [{}, {}],
    });
    expect(card.supportedInterfaces).toContainEqual({
      url: `${host.url}/a2a`,
      protocolBinding: 'JSONRPC',
      protocolVersion: '0.3',
    });
  });

  it('of the SDK sends, streams, gets and cancels', async () => {
    const transport = new LegacyJsonRpcTransport({ endpoint: `${host.url}/a2a` });
    const request = (text: string) => ({
      tenant: '',
      message: {
        messageId: 'm',
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [
          {
            content: { $case: 'text' as const, value: text },
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
    });
    const sent = await transport.sendMessage(request('hello'));
    if (!('status' in sent)) throw new Error('a task was expected');
    expect(sent.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const kinds: unknown[] = [];
    for await (const { payload } of transport.sendMessageStream(request('hello'))) kinds.push(payload?.$case);
    expect([kinds[0], kinds.at(-1)]).toEqual(['task', 'statusUpdate']);
    expect((await transport.getTask({ tenant: '', id: sent.id })).id).toBe(sent.id);
    await expect(transport.getTask({ tenant: '', id: 'nowhere' })).rejects.toThrow(/no such task/);
  });

  it('gets its id back as it wrote it, and the answers of 0.3', async () => {
    const { text, json } = await legacy(
      'message/send',
      { message: message('hello') },
      '12345678901234567890',
    );
    expect(text).toContain('"id":12345678901234567890,');
    expect(json.result).toMatchObject({
      kind: 'task',
      status: { state: 'completed' },
      artifacts: [{ parts: [{ kind: 'text', text: 'One two.' }] }],
    });
  });

  it('gets a typed document byte for byte', async () => {
    const document = '{"id":9007199254740993,"price":78.0}';
    const uri = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';
    const { json } = await legacy('message/send', {
      message: message(document, { extensions: [uri] }),
      configuration: { acceptedOutputModes: ['application/json'] },
      metadata: {
        kediStructuredOutput: {
          version: 1,
          resultEncoding: 'json-utf8',
          schemaJson: '{"properties":{"id":{"const":9007199254740993}}}',
        },
      },
    });
    const [artifact] = json.result.artifacts;
    expect(artifact.name).toBe('kedi-structured-output');
    expect(Buffer.from(artifact.parts[0].file.bytes, 'base64').toString()).toBe(document);
  });

  it('is held to what it wrote where a number of its schema is none of a double, or a name stands twice', async () => {
    const uri = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';
    const ask = async (kedi: string, prompt = '1') => {
      const { json } = await legacyText(
        'message/send',
        `{"message":${JSON.stringify(message(prompt, { extensions: [uri] }))},"configuration":{"acceptedOutputModes":["application/json"]},"metadata":{"kediStructuredOutput":{"version":1,"resultEncoding":"json-utf8",${kedi}}}}`,
      );
      return json.result.status;
    };
    const lossy = await ask('"schema":{"const":9007199254740993}', '9007199254740992');
    expect(lossy).toMatchObject({
      state: 'failed',
      message: { metadata: { [uri]: { code: 'SCHEMA_LOSSY' } } },
    });
    expect(await ask('"schema":{"const":1.0}', '1')).toMatchObject({ state: 'completed' });
    const twice = await ask('"schemaJson":"{}","schemaJson":"{}"');
    expect(twice).toMatchObject({
      state: 'failed',
      message: { metadata: { [uri]: { code: 'REQUEST_MALFORMED' } } },
    });
  });

  it('gets its metadata and data back as it wrote them', async () => {
    const document = '{"10":78.0,"2":[9007199254740993,1E5]}';
    const params = `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"data","data":${document},"metadata":${document}}],"metadata":${document}}}`;
    for (const method of ['message/send', 'message/stream']) {
      const { text } = await legacyText(method, params);
      expect(text.split(`"data":${document}`)).toHaveLength(2);
      expect(text.split(`"metadata":${document}`)).toHaveLength(3);
    }
    const { json } = await legacyText('message/send', params);
    const got = await legacyText('tasks/get', JSON.stringify({ id: json.result.id }));
    expect(got.text.split(document)).toHaveLength(4);
    const { error } = (await legacyText('message/send', params.replace('"m"', '"m","messageId":"n"'))).json;
    expect(error.code).toBe(-32602);
  });

  it('wraps data that is no object as the SDK has it, and its agent has what is in it', async () => {
    const part = { kind: 'data', data: { value: [5] }, metadata: { a: 1, data_part_compat: true } };
    const { json } = await legacy('message/send', { message: message('', { parts: [part] }) });
    expect(json.result.history[0].parts).toEqual([part]);
    const { result } = await host.call('GetTask', { id: json.result.id });
    expect(result.history[0].parts).toEqual([{ data: [5], metadata: { a: 1 } }]);
  });

  it('names an extension in the header that 0.3 has for it, too', async () => {
    const params = {
      message: message('[1.0]'),
      configuration: { acceptedOutputModes: ['application/json'] },
      metadata: {
        kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: '{"type":"array"}' },
      },
    };
    const uri = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';
    const { result } = await host.call('message/send', params, {
      'a2a-version': '',
      'x-a2a-extensions': uri,
    });
    expect(result.status.state).toBe('completed');
    expect(Buffer.from(result.artifacts[0].parts[0].file.bytes, 'base64').toString()).toBe('[1.0]');
  });

  it('is told which event of a stream is its last, also where that is a question', async () => {
    const finals = async (prompt: string) => {
      const { text } = await legacy('message/stream', { message: message(prompt) });
      const events: Json[] = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
      return events.map(({ result }) => [result.kind, result.status?.state, result.final ?? false]);
    };
    for (const [prompt, state] of [
      ['hello', 'completed'],
      ['ask', 'input-required'],
    ] as const) {
      const told = await finals(prompt);
      expect(told.filter(([, , final]) => final)).toEqual([['status-update', state, true]]);
      expect(told.at(-1)).toEqual(['status-update', state, true]);
    }
  });

  it('is told what is wrong by the codes of 0.3', async () => {
    expect((await legacy('tasks/get', { id: 'nowhere' })).json.error.code).toBe(-32001);
    expect((await legacy('no/method', {})).json.error.code).toBe(-32601);
    expect((await legacy('message/send', {})).json.error.code).toBeLessThan(0);
  });

  it('is told to name a version where 0.3 is not served', async () => {
    const other = await startA2aHost({ agentKind });
    const { error } = await other.call('SendMessage', {}, { 'a2a-version': '' });
    expect(error).toMatchObject({ code: -32009, message: expect.stringContaining('A2A-Version') });
  });
});

describe('Credentials on a card for both versions', () => {
  it('are declared in the form of each', async () => {
    const guarded = await startA2aHost({
      agentKind,
      flags: { ...flags, auth: 'api-key', secretEnv: 'PATH', publicCard: 'yes' },
    });
    const card: Json = await (await fetch(`${guarded.url}/.well-known/agent-card.json`)).json();
    expect(card.securitySchemes.apiKey).toEqual({
      apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' },
      type: 'apiKey',
      in: 'header',
      name: 'X-API-Key',
    });
    expect(card.security).toEqual([{ apiKey: [] }]);
  });
});
