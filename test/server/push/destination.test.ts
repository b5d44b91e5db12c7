import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createDestinations } from '../../../src/server/push/destination.js';
import { postNotification } from '../../../src/server/push/post.js';

const resolveTo =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const outcome = (check: Promise<void>): Promise<string> =>
  check.then(
    () => 'allowed',
    (error) => error.code,
  );

describe('A webhook', () => {
  it.each([
    ['the metadata address of a cloud', 'http://169.254.169.254/latest/meta-data'],
    ['the same over https', 'https://169.254.169.254/'],
    ['loopback', 'https://127.0.0.1/'],
    ['loopback by another number', 'https://127.8.8.8/'],
    ['loopback in decimal', 'https://2130706433/'],
    ['loopback in octal', 'https://0177.0.0.1/'],
    ['loopback in hexadecimal', 'https://0x7f.1/'],
    ['loopback of IPv6', 'https://[::1]/'],
    ['IPv4 mapped into IPv6', 'https://[::ffff:127.0.0.1]/'],
    ['a mapped private address', 'https://[::ffff:10.0.0.1]/'],
    ['an address behind NAT64', 'https://[64:ff9b::7f00:1]/'],
    ['an address behind 6to4', 'https://[2002:7f00:1::]/'],
    ['nothing in particular', 'https://0.0.0.0/'],
    ['nothing of IPv6', 'https://[::]/'],
    ['ten dot', 'https://10.1.2.3/'],
    ['172.16', 'https://172.31.255.255/'],
    ['192.168', 'https://192.168.0.1/'],
    ['carrier-grade NAT', 'https://100.64.0.1/'],
    ['multicast', 'https://224.0.0.1/'],
    ['broadcast', 'https://255.255.255.255/'],
    ['link-local of IPv6', 'https://[fe80::1]/'],
    ['unique local of IPv6', 'https://[fd00::1]/'],
    ['documentation', 'https://192.0.2.1/'],
  ])('to %s is refused', async (_, url) => {
    expect(await outcome(createDestinations({ allow: [] }).check(url))).toBe('INVALID_PARAMS');
  });

  it.each([
    ['a file', 'file:///etc/passwd'],
    ['credentials in the URL', 'https://user:word@203.0.114.1/'],
    ['no URL', 'example.com/hook'],
    ['plain http to the world', 'http://203.0.114.1/'],
  ])('with %s is refused', async (_, url) => {
    expect(await outcome(createDestinations({ allow: [] }).check(url))).toBe('INVALID_PARAMS');
  });

  it('whose name leads inward is refused, also where only one of its addresses does', async () => {
    const check = (...addresses: string[]) =>
      outcome(
        createDestinations({ allow: [], resolve: resolveTo(...addresses) }).check('https://hook.example/'),
      );
    expect(await check('127.0.0.1')).toBe('INVALID_PARAMS');
    expect(await check('203.0.114.1', '10.0.0.1')).toBe('INVALID_PARAMS');
    expect(await check('203.0.114.1', '::ffff:10.0.0.1')).toBe('INVALID_PARAMS');
    expect(await check('203.0.114.1', '2606:4700::1%eth0')).toBe('INVALID_PARAMS');
    expect(await check('203.0.114.1', '2606:4700::1')).toBe('allowed');
  });

  it('is allowed inward by network, by address or by name, where the operator says so', async () => {
    const inward = (allow: string[], url: string) =>
      outcome(createDestinations({ allow, resolve: resolveTo('10.0.0.7') }).check(url));
    expect(await inward(['10.0.0.0/8'], 'http://10.9.9.9:8080/')).toBe('allowed');
    expect(await inward(['10.0.0.0/8'], 'http://hooks.internal/')).toBe('allowed');
    expect(await inward(['hooks.internal'], 'http://hooks.internal/')).toBe('allowed');
    expect(await inward(['::1'], 'http://[::1]/')).toBe('allowed');
    expect(await inward(['10.0.0.0/16'], 'http://10.9.9.9/')).toBe('INVALID_PARAMS');
    expect(await inward(['hooks.internal'], 'http://others.internal/')).toBe('INVALID_PARAMS');
  });

  it('whose name the operator has allowed need not resolve before there is something to deliver', async () => {
    const nowhere = async (): Promise<never> => {
      throw new Error('ENOTFOUND');
    };
    const check = (url: string) =>
      outcome(createDestinations({ allow: ['hooks.internal'], resolve: nowhere }).check(url));
    expect(await check('http://hooks.internal/')).toBe('allowed');
    expect(await check('https://others.internal/')).toBe('INVALID_PARAMS');
  });
});

describe('The connection to a webhook', () => {
  const servers: { close(): void }[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  async function receiver(answer: { status: number; headers?: Record<string, string> }) {
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(`${request.method} ${request.headers['content-type']} ${request.headers.authorization}`);
      response.writeHead(answer.status, answer.headers).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
    return { port: (server.address() as AddressInfo).port, received };
  }

  const post = (url: string, destinations: ReturnType<typeof createDestinations>) =>
    postNotification(
      { url, headers: { Authorization: 'Bearer x' }, body: '{}' },
      { destinations, signal: new AbortController().signal },
    );

  it('is made to the address that was checked, even when the name has changed since', async () => {
    const { port, received } = await receiver({ status: 200 });
    const answers = ['203.0.114.1', '127.0.0.1'];
    const destinations = createDestinations({
      allow: [],
      resolve: async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }],
    });
    await destinations.check(`https://hook.example:${port}/`);
    expect(await post(`http://hook.example:${port}/`, destinations)).toMatchObject({ kind: 'refused' });
    expect(received).toEqual([]);
  });

  it('is not made to an address written out that is not public', async () => {
    const { port, received } = await receiver({ status: 200 });
    const destinations = createDestinations({ allow: [] });
    expect(await post(`http://127.0.0.1:${port}/`, destinations)).toMatchObject({ kind: 'refused' });
    expect(received).toEqual([]);
  });

  it('carries the authorization and says what it brings', async () => {
    const { port, received } = await receiver({ status: 204 });
    const destinations = createDestinations({ allow: ['127.0.0.0/8'] });
    expect(await post(`http://127.0.0.1:${port}/`, destinations)).toEqual({ kind: 'delivered' });
    expect(received).toEqual(['POST application/a2a+json Bearer x']);
  });

  it('follows no redirect', async () => {
    const inner = await receiver({ status: 200 });
    const outer = await receiver({ status: 307, headers: { Location: `http://127.0.0.1:${inner.port}/` } });
    const destinations = createDestinations({ allow: ['127.0.0.1'] });
    expect(await post(`http://127.0.0.1:${outer.port}/`, destinations)).toEqual({
      kind: 'refused',
      reason: 'status 307',
    });
    expect(inner.received).toEqual([]);
  });

  it('that nobody answers is tried again later, and one that is gone is not', async () => {
    const destinations = createDestinations({ allow: ['127.0.0.1'] });
    const { port } = await receiver({ status: 410 });
    expect(await post(`http://127.0.0.1:${port}/`, destinations)).toMatchObject({ kind: 'gone' });
    expect(await post('http://127.0.0.1:1/', destinations)).toMatchObject({ kind: 'refused' });
  });
});
