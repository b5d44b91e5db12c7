import { createServer, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allowOrigin, createGuard, type Guarding } from '../../src/server/guards.js';

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** A server behind the guard alone: 200 for what it lets pass. `fetch` would not send a Host of one's own. */
async function guarded(more: Partial<Guarding> = {}) {
  const guard = createGuard({ host: '127.0.0.1', publicUrl: undefined, allowedOrigins: [], ...more });
  const server = createServer((request, response) => {
    const refusal = guard(request);
    if (refusal !== undefined) response.writeHead(refusal.status).end(refusal.detail);
    else if (!allowOrigin(request, response)) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const ask = (headers: OutgoingHttpHeaders, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      httpRequest({ port, host: '127.0.0.1', method, headers, agent: false }, (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, headers: response.headers });
      })
        .on('error', reject)
        .end();
    });
  return { ask, port };
}

describe('a Host that is not ours (421)', () => {
  it.each(['localhost', 'localhost:8000', '127.0.0.1', '127.0.0.2:1', '[::1]', '[::1]:9', 'LOCALHOST'])(
    'is none of the names of this machine: %s',
    async (host) => {
      const { ask } = await guarded();
      expect((await ask({ host })).status).toBe(200);
    },
  );

  it.each([
    'evil.example',
    'evil.example:8000',
    '127.0.0.1.evil.example',
    '192.168.0.1',
    'localhost.evil',
    '[::2]:1',
  ])('is any other, as a page sends it that had its own name bound to this machine: %s', async (host) => {
    const { ask } = await guarded();
    expect((await ask({ host })).status).toBe(421);
  });

  it('is not the one of the public URL, on whatever port a proxy names', async () => {
    const { ask } = await guarded({ publicUrl: 'https://agents.example.org/team' });
    expect((await ask({ host: 'agents.example.org' })).status).toBe(200);
    expect((await ask({ host: 'Agents.Example.org:443' })).status).toBe(200);
    expect((await ask({ host: 'other.example.org' })).status).toBe(421);
  });

  it('is a loopback name too, where the server listens to other machines', async () => {
    const { ask } = await guarded({ host: '0.0.0.0', publicUrl: 'https://agents.example.org' });
    expect((await ask({ host: 'localhost' })).status).toBe(421);
  });
});

describe('an Origin that is neither ours nor allowed (403)', () => {
  it.each(['http://evil.example', 'null', 'https://localhost:1', 'http://localhost.evil.example'])(
    '%s',
    async (origin) => {
      const { ask } = await guarded();
      expect((await ask({ host: 'localhost:1', origin })).status).toBe(403);
    },
  );

  it('is not our own, as our page sends it', async () => {
    const { ask } = await guarded({ publicUrl: 'https://agents.example.org/team' });
    expect((await ask({ host: 'localhost:1', origin: 'http://localhost:1' })).status).toBe(200);
    expect((await ask({ host: 'localhost:1', origin: 'http://localhost:2' })).status).toBe(403);
    expect((await ask({ host: 'agents.example.org', origin: 'https://agents.example.org' })).status).toBe(
      200,
    );
    expect((await ask({ host: 'agents.example.org', origin: 'http://agents.example.org' })).status).toBe(403);
  });

  it('is not one that the operator allowed, whose pages may then read the answer', async () => {
    const { ask } = await guarded({ allowedOrigins: ['https://app.example.org'] });
    const origin = 'https://app.example.org';
    const answer = await ask({ host: 'localhost', origin });
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
    expect(answer.headers['access-control-expose-headers']).toContain('A2A-Extensions');
    expect(answer.headers.vary).toBe('Origin');
    const preflight = await ask(
      {
        host: 'localhost',
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'a2a-version,content-type',
      },
      'OPTIONS',
    );
    expect(preflight.status).toBe(204);
    expect(preflight.headers['access-control-allow-headers']).toBe('a2a-version,content-type');
    expect((await ask({ host: 'localhost', origin: 'https://other.example.org' }, 'OPTIONS')).status).toBe(
      403,
    );
  });
});

describe('a POST that is not JSON (415)', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/a2a+json',
    'application/a2a+json; profile=x',
  ])('is none of %s', async (type) => {
    const { ask } = await guarded();
    expect((await ask({ host: 'localhost', 'content-type': type }, 'POST')).status).toBe(200);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    'application/json; charset=utf-16',
    '',
  ])('is one of %s', async (type) => {
    const { ask } = await guarded();
    expect((await ask({ host: 'localhost', 'content-type': type }, 'POST')).status).toBe(415);
  });

  it('is one without a type, and one whose body is compressed', async () => {
    const { ask } = await guarded();
    expect((await ask({ host: 'localhost' }, 'POST')).status).toBe(415);
    const type = { 'content-type': 'application/json' };
    expect((await ask({ host: 'localhost', ...type, 'content-encoding': 'gzip' }, 'POST')).status).toBe(415);
    expect((await ask({ host: 'localhost', ...type, 'content-encoding': 'identity' }, 'POST')).status).toBe(
      200,
    );
  });
});
