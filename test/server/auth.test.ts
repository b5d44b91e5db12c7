import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { hashPassword, matches, readHash, sha256, writeHash } from '../../src/server/auth/hash.js';
import { type AuthSettings, createAuthentication } from '../../src/server/auth/index.js';
import { createPasswords } from '../../src/server/auth/password.js';
import { readPrincipals } from '../../src/server/auth/principals.js';

const address = '127.0.0.1';
const token = 'k3y-of-many-random-letters-0123456789';

async function statusOf(settings: AuthSettings, headers: Record<string, string>) {
  const identity = await (await createAuthentication(settings)).identify({ headers, address });
  return identity.ok ? identity.principal : identity.status;
}

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

describe('A bearer token', () => {
  const settings: AuthSettings = { scheme: 'bearer', secret: `${token}\n` };

  it('lets its bearer in, however the scheme is spelt', async () => {
    expect(await statusOf(settings, { authorization: `Bearer ${token}` })).toBe('owner');
    expect(await statusOf(settings, { authorization: `bEARER  ${token}` })).toBe('owner');
  });

  it.each([
    ['no header', {}],
    ['another token', { authorization: 'Bearer wrong' }],
    ['another scheme', { authorization: `Basic ${token}` }],
    ['two tokens', { authorization: `Bearer ${token} ${token}` }],
    ['the beginning of the token', { authorization: `Bearer ${token.slice(0, -1)}` }],
  ])('keeps out %s', async (_, headers) => {
    expect(await statusOf(settings, headers)).toBe(401);
  });

  it('tells its owners apart where the secret is a file of hashes', async () => {
    const secret = `# tokens\n\nalice:${writeHash(sha256('token of alice'.padEnd(24, 'x')))}\nbob:${writeHash(sha256('b'.repeat(24)))}\n`;
    expect(await statusOf({ scheme: 'bearer', secret }, { authorization: `Bearer ${'b'.repeat(24)}` })).toBe(
      'bob',
    );
  });

  it('is named on the card in proper ProtoJSON', async () => {
    const { security } = await createAuthentication(settings);
    expect(security).toEqual({
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    });
  });
});

describe('An API key', () => {
  const settings: AuthSettings = { scheme: 'api-key', secret: token, header: 'X-Research-Key' };

  it('is read from its header alone', async () => {
    expect(await statusOf(settings, { 'x-research-key': token })).toBe('owner');
    expect(await statusOf(settings, { 'x-api-key': token })).toBe(401);
    expect(await statusOf(settings, { authorization: `Bearer ${token}` })).toBe(401);
  });

  it('has its header on the card', async () => {
    const { security } = await createAuthentication(settings);
    expect(security.securitySchemes).toEqual({
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-Research-Key' } },
    });
  });
});

describe('A password', () => {
  it('may have colons, and letters of any alphabet', async () => {
    const settings: AuthSettings = { scheme: 'basic', secret: 'anna:pä:ß:word' };
    expect(await statusOf(settings, basic('anna:pä:ß:word'))).toBe('anna');
    expect(await statusOf(settings, basic('anna:pä'))).toBe(401);
    expect(await statusOf(settings, basic('otto:pä:ß:word'))).toBe(401);
    expect(await statusOf(settings, basic('anna'))).toBe(401);
  });

  it('is kept as scrypt, costs once, and costs a stranger the same', async () => {
    const hash = writeHash(await hashPassword('correct horse'));
    expect(hash).not.toContain('correct');
    const secret = `anna:${hash}\nbert:${writeHash(await hashPassword('other'))}`;
    const compared: string[] = [];
    const check = createPasswords(readPrincipals(secret, 'basic'), {
      compare: (password, kept) => {
        compared.push(kept.kind);
        return matches(password, kept);
      },
    });
    const login = async (text: string) => {
      compared.length = 0;
      const { kind } = await check(Buffer.from(text).toString('base64'), { limited: false });
      return [kind, ...compared];
    };
    expect(await login('anna:correct horse')).toEqual(['known', 'scrypt']);
    expect(await login('anna:correct horse')).toEqual(['known']);
    expect(await login('anna:wrong')).toEqual(['unknown', 'scrypt']);
    expect(await login('nobody:wrong')).toEqual(['unknown', 'scrypt']);
  });

  it('is computed one at a time, and a flood of them is turned away', async () => {
    const secret = `anna:${writeHash(await hashPassword('correct horse'))}`;
    let running = 0;
    let most = 0;
    const check = createPasswords(readPrincipals(secret, 'basic'), {
      compare: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise(setImmediate);
        running -= 1;
        return false;
      },
    });
    const login = (_: unknown, index: number) =>
      check(Buffer.from(`anna:${index}`).toString('base64'), { limited: false });
    const kinds = (await Promise.all(Array.from({ length: 40 }, login))).map(({ kind }) => kind);
    expect(most).toBe(1);
    expect(kinds.filter((kind) => kind === 'unavailable')).toHaveLength(8);
  });
});

describe('Many wrong credentials', () => {
  it('are refused from their address for a minute, while right ones and other addresses pass', async () => {
    let time = 0;
    const settings: AuthSettings = { scheme: 'bearer', secret: token };
    const authentication = await createAuthentication(settings, { now: () => time });
    const send = async (claim: string, from = address) => {
      const identity = await authentication.identify({
        headers: { authorization: `Bearer ${claim}` },
        address: from,
      });
      return identity.ok ? 200 : identity;
    };
    const many = await Promise.all(Array.from({ length: 30 }, () => send('wrong')));
    expect(many.filter((one) => one !== 200 && one.status === 429)).toHaveLength(20);
    expect(await send('wrong')).toMatchObject({ status: 429, headers: { 'Retry-After': '60' } });
    expect(await send(token)).toBe(200);
    const before = performance.now();
    expect(await send('wrong', '127.0.0.2')).toMatchObject({ status: 401 });
    // Each is answered late, so that guessing takes its time.
    expect(performance.now() - before).toBeGreaterThan(150);
    time = 60_000;
    expect(await send('wrong')).toMatchObject({ status: 401 });
  });
});

describe('What an operator gets wrong', () => {
  it.each([
    ['an empty secret', { scheme: 'bearer', secret: ' \n# nothing\n' }, 'The secret is empty.'],
    ['a password without its user', { scheme: 'basic', secret: 'word' }, 'user:password'],
    ['a line among hashes', { scheme: 'bearer', secret: `a:${writeHash(sha256('x'))}\nb:plain` }, 'Line 2'],
    [
      'a name twice',
      { scheme: 'bearer', secret: `a:${writeHash(sha256('x'))}\na:${writeHash(sha256('y'))}` },
      'second time',
    ],
    [
      'a hash that was cut',
      { scheme: 'bearer', secret: `ci:${writeHash(sha256('x'))}`.slice(0, -1) },
      'not whole',
    ],
    ['several plain lines', { scheme: 'bearer', secret: 'one\ntwo' }, 'none of them is name:hash'],
  ] satisfies [string, AuthSettings, string][])('%s is refused in a sentence', async (_, settings, words) => {
    await expect(createAuthentication(settings)).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining(words),
    });
  });

  it('a hash whose cost would hang the server is no hash', () => {
    const salt = 'A'.repeat(22);
    expect(readHash(`scrypt:65536:8:1:${salt}:${'B'.repeat(43)}`)).toBeDefined();
    expect(readHash(`scrypt:8388608:64:1:${salt}:${'B'.repeat(43)}`)).toBeUndefined();
    expect(readHash(`scrypt:1000:8:1:${salt}:${'B'.repeat(43)}`)).toBeUndefined();
  });
});

describe('A JSON Web Token', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function issuer() {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const key = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' };
    let url = '';
    const server = createServer((request, response) => {
      response.setHeader('Content-Type', 'application/json');
      const isKeys = request.url === '/keys';
      response.end(JSON.stringify(isKeys ? { keys: [key] } : { issuer: url, jwks_uri: `${url}/keys` }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sign = (claims: Record<string, unknown>, sender = privateKey) =>
      new SignJWT({ sub: 'anna', iss: url, aud: 'agents', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setExpirationTime(typeof claims.exp === 'number' ? claims.exp : '5m')
        .sign(sender);
    const settings: AuthSettings = {
      scheme: 'jwt',
      keys: { kind: 'discovery', issuer: url },
      audience: 'agents',
      scopes: ['ask'],
    };
    return { url, sign, settings, close: () => server.close() };
  }

  it('lets in who has the scope, and names issuer and subject as the principal', async () => {
    const { url, sign, settings } = await issuer();
    const bearer = async (claims: Record<string, unknown>) => ({
      authorization: `Bearer ${await sign(claims)}`,
    });
    expect(await statusOf(settings, await bearer({ scope: 'read ask' }))).toBe(`${url} anna`);
    expect(await statusOf(settings, await bearer({ scp: ['ask'] }))).toBe(`${url} anna`);
    expect(await statusOf(settings, await bearer({ scope: 'asking' }))).toBe(403);
    expect(await statusOf(settings, await bearer({ scope: 'ask', aud: 'others' }))).toBe(401);
    expect(await statusOf(settings, await bearer({ scope: 'ask', iss: 'https://evil.example' }))).toBe(401);
    expect(await statusOf(settings, await bearer({ scope: 'ask', exp: 1 }))).toBe(401);
    expect(await statusOf(settings, { authorization: 'Bearer a.b.c' })).toBe(401);
  });

  it('keeps out a token that somebody else signed, or nobody', async () => {
    const { url, sign, settings } = await issuer();
    const { privateKey } = await generateKeyPair('ES256');
    const forged = await sign({ scope: 'ask' }, privateKey);
    expect(await statusOf(settings, { authorization: `Bearer ${forged}` })).toBe(401);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const none = `${part({ alg: 'none' })}.${part({ sub: 'anna', iss: url, aud: 'agents', scope: 'ask', exp: 9e9 })}.`;
    expect(await statusOf(settings, { authorization: `Bearer ${none}` })).toBe(401);
  });

  it('is not called wrong when its issuer does not answer', async () => {
    const { sign, settings, close } = await issuer();
    const authentication = await createAuthentication(settings);
    const authorization = `Bearer ${await sign({ scope: 'ask' })}`;
    close();
    expect(await authentication.identify({ headers: { authorization }, address })).toMatchObject({
      status: 503,
    });
  });

  it('is asked for on the card with the address of its issuer', async () => {
    const { url, settings } = await issuer();
    const { security } = await createAuthentication(settings);
    expect(security).toEqual({
      securitySchemes: {
        openIdConnect: {
          openIdConnectSecurityScheme: { openIdConnectUrl: `${url}/.well-known/openid-configuration` },
        },
      },
      securityRequirements: [{ schemes: { openIdConnect: { list: ['ask'] } } }],
    });
  });

  it('has its keys from https or from this machine', async () => {
    const keys = { kind: 'url', url: 'http://keys.example/jwks', issuer: 'x' } as const;
    await expect(
      createAuthentication({ scheme: 'jwt', keys, audience: 'agents', scopes: [] }),
    ).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
  });
});
