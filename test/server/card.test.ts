import { writeFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { Role } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client';
import { afterAll, describe, expect, it } from 'vitest';
import { fetchCard } from '../../src/client/card.js';
import { checkCard } from '../../src/client/check-card.js';
import { type Json, says, scripted, startA2aHost } from '../support/a2a-host.js';
import { temporaryDirectory } from '../support/temporary.js';

const host = await startA2aHost({ until: afterAll });
const path = '/.well-known/agent-card.json';

async function cardOf({ url }: { readonly url: string }): Promise<Json> {
  return (await fetch(url + path)).json();
}

/** With a Host of one's own, which `fetch` does not send. */
const get = (headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    httpRequest(host.url + path, { headers, agent: false }, async (response) => {
      resolve({ status: response.statusCode, body: (await response.setEncoding('utf8').toArray()).join('') });
    })
      .on('error', reject)
      .end();
  });

describe('the card', () => {
  it('has what a person wrote and what the server knows', async () => {
    const card = await cardOf(host);
    expect(card).toMatchObject({
      name: 'Kedi A2A agent',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
      defaultInputModes: ['text/plain', 'application/json'],
      defaultOutputModes: ['text/plain', 'application/json'],
      supportedInterfaces: [
        { url: `${host.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: `${host.url}/a2a/v1`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        {},
      ],
    });
    expect(card.skills.length).toBeGreaterThan(0);
  });

  it('has the Kedi extension with the parameters of its spec, and says honestly what the demo agent does', async () => {
    const { extensions } = (await cardOf(host)).capabilities;
    const kedi = extensions.find(({ uri }: Json) => uri.includes('kedi-lang'));
    expect(kedi).toEqual({
      uri: 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/',
      description: expect.stringContaining('sample data'),
      params: {
        version: 1,
        mode: 'request-schema',
        schemaDialect: 'https://json-schema.org/draft/2020-12/schema',
        maxSchemaBytes: 32768,
        resultArtifactName: 'kedi-structured-output',
        schemaEncodings: ['json-utf8', 'protobuf-value'],
        resultEncodings: ['json-utf8', 'protobuf-value'],
      },
    });
  });

  it('does not offer typed answers where the agent gives none, and tells further input modes', async () => {
    const run = async function* () {
      yield says('text');
      return { kind: 'done' } as const;
    };
    const other = await startA2aHost({
      agentKind: scripted(run, { structured: () => 'none', inputModes: ['image/png'] }),
    });
    const card = await cardOf(other);
    expect(JSON.stringify(card)).not.toContain('structured-output/v1');
    expect(card.defaultInputModes).toEqual(['text/plain', 'application/json', 'image/png']);
  });

  it('has nothing wrong with it by our own check', async () => {
    const card = await fetchCard(host.url, {
      credentials: { kind: 'none' },
      signal: AbortSignal.timeout(5_000),
    });
    expect(checkCard(card)).toEqual([]);
  });

  it("is understood by the SDK's client, extra keys and all, which then has an answer", async () => {
    const card = await new DefaultAgentCardResolver().resolve(host.url);
    expect(card.capabilities?.extensions).toHaveLength(2);
    const client = await new ClientFactory().createFromUrl(host.url);
    const answer = await client.sendMessage({
      tenant: '',
      message: {
        messageId: 'm',
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: [
          { content: { $case: 'text', value: 'hello' }, metadata: undefined, filename: '', mediaType: '' },
        ],
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
      },
      configuration: undefined,
      metadata: undefined,
    });
    expect('artifacts' in answer && answer.artifacts[0]?.parts[0]?.content?.$case).toBe('text');
  });
});

describe('Routes', () => {
  it('on loopback have host and port as the request named them (Vary: Host)', async () => {
    const { port } = new URL(host.url);
    const named = JSON.parse((await get({ host: `localhost:${port}` })).body);
    expect(named.supportedInterfaces.map(({ url }: Json) => new URL(url).origin)).toEqual([
      `http://localhost:${port}`,
      `http://localhost:${port}`,
      `http://localhost:${port}`,
    ]);
    expect((await fetch(host.url + path)).headers.get('vary')).toContain('Host');
    expect((await get({ host: `evil.example:${port}` })).status).toBe(421);
  });

  it('are on the public URL where that is set', async () => {
    const behind = await startA2aHost({ flags: { publicUrl: 'https://agents.example.org/team/' } });
    const { supportedInterfaces } = await cardOf(behind);
    expect(supportedInterfaces[0].url).toBe('https://agents.example.org/team/a2a');
    expect((await fetch(behind.url + path)).headers.get('vary')).toBeNull();
  });

  it('have the entry of agent-output/v1, its extra keys left out by --strict-card', async () => {
    const uri = 'https://agentic-sandbox.aiwg.io/extensions/agent-output/v1';
    const known = {
      url: `${host.url}/api/v1/agent-output/chat?command_id={command_id}`,
      protocolBinding: uri,
      protocolVersion: '1.0',
    };
    expect((await cardOf(host)).supportedInterfaces.at(-1)).toEqual({
      ...known,
      transport: 'SSE',
      extension: uri,
    });
    const strict = await startA2aHost({ flags: { strictCard: 'yes' } });
    expect(Object.keys((await cardOf(strict)).supportedInterfaces.at(-1))).toEqual(Object.keys(known));
  });
});

describe('caching of the card', () => {
  it('is by entity tag and by time, both answered with 304', async () => {
    const first = await fetch(host.url + path);
    const tag = first.headers.get('etag') ?? '';
    const modified = first.headers.get('last-modified') ?? '';
    expect(first.headers.get('cache-control')).toMatch(/max-age=\d+/);
    expect(tag).toMatch(/^".+"$/);
    const status = async (headers: Record<string, string>) =>
      (await fetch(host.url + path, { headers: { 'cache-control': 'no-cache', ...headers } })).status;
    expect(await status({ 'if-none-match': tag })).toBe(304);
    expect(await status({ 'if-none-match': `"x", W/${tag}` })).toBe(304);
    expect(await status({ 'if-none-match': '*' })).toBe(304);
    expect(await status({ 'if-none-match': '"x"' })).toBe(200);
    expect(await status({ 'if-modified-since': modified })).toBe(304);
    expect(await status({ 'if-modified-since': new Date(0).toUTCString() })).toBe(200);
    expect(await status({ 'if-modified-since': 'yesterday' })).toBe(200);
    expect(await status({ 'if-none-match': '"x"', 'if-modified-since': modified })).toBe(200);
  });

  it('has a head without a body', async () => {
    const head = await fetch(host.url + path, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(500);
    expect(await head.text()).toBe('');
  });
});

describe('the hand-written half', () => {
  const start = async (card: string) => {
    const directory = await temporaryDirectory();
    const file = join(directory, 'card.json');
    await writeFile(file, card);
    return startA2aHost({ directory, flags: { card: file } });
  };
  const skill = { id: 'a', name: 'A', description: 'Does a.', tags: ['a'] };

  it("is the operator's where a file is named", async () => {
    const provider = { organization: 'Example', url: 'https://example.org' };
    const card = { name: 'Mine', description: 'It is mine.', version: '7.0', provider, skills: [skill] };
    expect(await cardOf(await start(JSON.stringify(card)))).toMatchObject(card);
  });

  it.each([
    ['{', /is not JSON/],
    ['{}', /must have required property 'name'/],
    [JSON.stringify({ name: '', description: 'x', skills: [skill] }), /"name" must NOT have fewer/],
    [JSON.stringify({ name: 'x', description: 'x', skills: [] }), /"skills" must NOT have fewer/],
    [
      JSON.stringify({ name: 'x', description: 'x', skills: [{ ...skill, tags: 'a' }] }),
      /"skills\/0\/tags" must be array/,
    ],
    [
      JSON.stringify({ name: 'x', description: 'x', skills: [skill], url: 'x' }),
      /additional properties \(url\)/,
    ],
  ])('that is wrong stops the start with a sentence: %s', async (card, sentence) => {
    await expect(start(card)).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringMatching(sentence),
    });
  });
});
