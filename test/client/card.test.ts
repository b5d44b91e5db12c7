import { describe, expect, it } from 'vitest';
import { fetchCard, readCard } from '../../src/client/card.js';
import { checkCard } from '../../src/client/check-card.js';
import { openPeer } from '../../src/client/peer.js';
import { KEDI_STRUCTURED_OUTPUT_URI, kediExtension } from '../../src/protocol/kedi-extension.js';
import { answerJson, peerCard, startPeer } from '../support/peer.js';

const signal = AbortSignal.timeout(10_000);
const none = { kind: 'none' } as const;
const base = 'https://agents.example';

const findings = (over: Readonly<Record<string, unknown>>) =>
  checkCard(readCard(JSON.stringify(peerCard(base, over)), `${base}/.well-known/agent-card.json`)).map(
    ({ level, pointer, sentence }) => `${level} ${pointer} ${sentence}`,
  );

describe('Fetching a card', () => {
  it('finds it below the URL, at the root of the server, or at a URL of its own', async () => {
    const peer = await startPeer({
      answer: (response, { path }) =>
        path === '/team/.well-known/agent-card.json' || path === '/cards/mine.json'
          ? answerJson(response, peerCard('x', { name: path }))
          : answerJson(response, 'nothing', 404),
    });
    const nameAt = async (path: string) =>
      (await fetchCard(`${peer.url}${path}`, { credentials: none, signal })).name;
    expect(await nameAt('')).toBe('Scripted');
    expect(await nameAt('/team/')).toBe('/team/.well-known/agent-card.json');
    expect(await nameAt('/rpc')).toBe('Scripted');
    expect(await nameAt('/cards/mine.json')).toBe('/cards/mine.json');
  });

  it.each([
    [
      'the server is not there',
      'http://127.0.0.1:9',
      'PEER_UNREACHABLE',
      /cannot be reached: .*ECONNREFUSED|bad port/,
    ],
    ['the URL is none', 'localhost', 'SETTINGS_INVALID', /not an http or https URL/],
    ['the URL holds a password', 'http://u:p@127.0.0.1:9', 'SETTINGS_INVALID', /Credentials do not belong/],
  ])('says so when %s', async (_, url, code, message) => {
    await expect(fetchCard(url, { credentials: none, signal })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('follows no redirect, which could carry credentials elsewhere', async () => {
    const peer = await startPeer({
      answer: (response) => {
        response.writeHead(302, { location: 'https://elsewhere.example/card.json' });
        response.end();
      },
    });
    await expect(
      fetchCard(`${peer.url}/moved.json`, { credentials: { kind: 'bearer', token: 't' }, signal }),
    ).rejects.toMatchObject({
      code: 'PEER_UNSUITABLE',
      message: expect.stringMatching(/redirects to https:\/\/elsewhere.example\/card.json/),
    });
  });

  it.each([
    ['is not JSON', '<html>', 200, /not JSON/],
    ['is no object', '[]', 200, /not a JSON object/],
    ['is not there', '{}', 404, /HTTP 404/],
  ])('says so when the card %s', async (_, body, status, message) => {
    const peer = await startPeer({ answer: (response) => answerJson(response, body, status) });
    await expect(fetchCard(`${peer.url}/x.json`, { credentials: none, signal })).rejects.toMatchObject({
      code: 'PEER_UNSUITABLE',
      message: expect.stringMatching(message),
    });
  });
});

describe('A card that is kept back', () => {
  const problem = '{"status":0,"detail":"Only for members."}';
  const rpcError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Not you."}}';
  const bearer = { kind: 'bearer', token: 't' } as const;

  it.each([
    [401, problem, none, 'Only for members. No credentials were sent.'],
    [403, problem, bearer, 'Only for members. The credentials sent were refused.'],
    [401, rpcError, bearer, 'Not you. The credentials sent were refused.'],
    [403, '<html>', none, /^http:.*\/x.json answered with HTTP 403. No credentials were sent.$/],
  ])(
    'says why, and whether credentials were sent (HTTP %i, %s)',
    async (status, body, credentials, message) => {
      const peer = await startPeer({ answer: (response) => answerJson(response, body, status) });
      await expect(fetchCard(`${peer.url}/x.json`, { credentials, signal })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
        message: typeof message === 'string' ? message : expect.stringMatching(message),
      });
    },
  );

  it.each([
    ['in 7 seconds', '7', 7, 'Slowly. Try again in 7 s (Retry-After: 7).'],
    ['when it does not say', '', undefined, 'Slowly.'],
  ])('asks to come back %s where there are too many requests', async (_, after, seconds, message) => {
    const peer = await startPeer({
      answer: (response) => {
        if (after !== '') response.setHeader('retry-after', after);
        answerJson(response, '{"detail":"Slowly."}', 429);
      },
    });
    await expect(fetchCard(`${peer.url}/x.json`, { credentials: none, signal })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      retryAfterSeconds: seconds,
      message,
    });
  });
});

describe('Choosing how to reach a peer', () => {
  const elsewhere = {
    supportedInterfaces: [
      { url: 'https://elsewhere.example/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
  };

  it('never sends credentials to another origin than the card came from', async () => {
    const peer = await startPeer({ card: (url) => peerCard(url, elsewhere), answer: () => {} });
    await expect(
      openPeer(peer.url, { credentials: { kind: 'bearer', token: 't' }, signal }),
    ).rejects.toMatchObject({ code: 'PEER_UNSUITABLE', message: expect.stringMatching(/another origin/) });
    await expect(openPeer(peer.url, { signal })).resolves.toMatchObject({ card: { name: 'Scripted' } });
  });

  it('refuses a peer that speaks only what this client does not', async () => {
    const card = (url: string) =>
      peerCard(url, { supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] });
    const peer = await startPeer({ card, answer: () => {} });
    await expect(openPeer(peer.url, { signal })).rejects.toMatchObject({
      code: 'PEER_UNSUITABLE',
      message: expect.stringMatching(/neither JSON-RPC nor HTTP\+JSON of A2A 1.x, but JSONRPC 0.3/),
    });
  });

  it('refuses a peer that demands an extension it was not asked to use', async () => {
    const extensions = [{ uri: 'urn:needed', required: true }];
    const peer = await startPeer({
      card: (url) => peerCard(url, { capabilities: { extensions } }),
      answer: () => {},
    });
    await expect(openPeer(peer.url, { signal })).rejects.toMatchObject({
      message: expect.stringMatching(/demands the extension urn:needed/),
    });
    await expect(openPeer(peer.url, { extensions: ['urn:needed'], signal })).resolves.toBeDefined();
  });
});

describe('Checking a card', () => {
  it('finds nothing wrong with one that is right', () => {
    expect(findings({})).toEqual([]);
  });

  it.each([
    ['no name', { name: undefined }, 'error /name The required field name is missing.'],
    ['an empty name', { name: '' }, 'error /name The required field name is empty.'],
    ['skills of a wrong kind', { skills: {} }, 'error /skills skills must be an array, and is an object.'],
    [
      'no interface',
      { supportedInterfaces: [] },
      'error /supportedInterfaces There is no interface, so nobody can reach this agent.',
    ],
    [
      'an interface elsewhere',
      {
        supportedInterfaces: [
          { url: 'https://b.example/a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        ],
      },
      "warning /supportedInterfaces/0/url It is of the origin https://b.example, and not of the card's own https://agents.example; a careful client refuses it.",
    ],
    [
      'an interface without a version',
      { supportedInterfaces: [{ url: `${base}/a`, protocolBinding: 'JSONRPC' }] },
      'error /supportedInterfaces/0/protocolVersion The required field protocolVersion is missing.',
    ],
    [
      'an interface whose URL is none',
      { supportedInterfaces: [{ url: '/a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] },
      'error /supportedInterfaces/0/url "/a" is not an http or https URL.',
    ],
    [
      'a provider without its URL',
      { provider: { organization: 'X' } },
      'error /provider/url The required field url is missing.',
    ],
    [
      'an extension twice',
      { capabilities: { extensions: [kediExtension(), kediExtension()] } },
      `error /capabilities/extensions/1/uri The extension ${KEDI_STRUCTURED_OUTPUT_URI} is declared twice.`,
    ],
    [
      'a requirement that no scheme meets',
      { securityRequirements: [{ schemes: { token: { list: [] } } }] },
      'error /securityRequirements/0 The scheme "token" is required and not declared.',
    ],
    [
      'a scheme of no kind',
      { securitySchemes: { 'a/b': { type: 'http' } } },
      'error /securitySchemes/a~1b It holds none of the five kinds of scheme, or more than one.',
    ],
  ])('finds %s', (_, over, finding) => {
    expect(findings(over)).toEqual([finding]);
  });

  it.each([
    ['version', { version: 2 }],
    ['mode', { mode: 'other' }],
    ['maxSchemaBytes', { maxSchemaBytes: '32768' }],
    ['resultArtifactName', { resultArtifactName: 'result' }],
    ['schemaDialect', { schemaDialect: 'https://json-schema.org/draft/2019-09/schema' }],
  ])('finds a wrong %s of structured output', (name, over) => {
    const extension = kediExtension();
    const extensions = [{ ...extension, params: { ...extension.params, ...over } }];
    expect(findings({ capabilities: { extensions } })).toEqual([
      expect.stringMatching(new RegExp(`^error /capabilities/extensions/0/params/${name} `)),
    ]);
  });

  it('warns of a peer that takes no schema, and of one that rounds numbers', () => {
    const extension = kediExtension();
    const extensions = [
      { ...extension, params: { ...extension.params, mode: 'fixed', resultEncodings: [] } },
    ];
    expect(findings({ capabilities: { extensions } })).toEqual([
      expect.stringMatching(/^warning .*mode is "fixed"/),
      expect.stringMatching(/^warning .*lacks "json-utf8"/),
    ]);
  });
});
