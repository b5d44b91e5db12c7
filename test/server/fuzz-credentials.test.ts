import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { startA2aHost } from '../support/a2a-host.js';
import { temporaryDirectory } from '../support/temporary.js';
import { parsed, send } from '../support/well-formed.js';

const agent = new Agent({ keepAlive: true, maxSockets: 20 });
afterAll(() => agent.destroy());

describe('Credentials that are almost some', () => {
  it.each(['basic', 'bearer', 'api-key', 'jwt'] as const)(
    'let nobody in and upset nobody: %s',
    async (auth) => {
      const directory = await temporaryDirectory();
      const [keys, variable] = [join(directory, 'keys.json'), 'FUZZ_SECRET'];
      await writeFile(
        keys,
        '{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"k","x":"63Yvq2VHe3RWgM_dPKyGLmNNEwPb6sZJLg7233F-Kzc"}]}',
      );
      process.env[variable] = 'a-user:a-secret-of-some-length-0123456789';
      const guarded = await startA2aHost({
        directory,
        flags: {
          auth,
          secretEnv: variable,
          jwtIssuer: 'https://issuer.example',
          jwtKeys: keys,
          jwtAudience: 'a',
        },
      }).finally(() => delete process.env[variable]);
      const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claim = fc.oneof(
        fc.string({ maxLength: 60 }).map((text) => text.replace(/[^\x20-\x7e\x80-\xff]/g, '')),
        fc.base64String({ maxLength: 60 }),
        fc.constantFrom(
          '',
          ':',
          'a-user:',
          'Og==',
          'AAAA',
          '..',
          '...',
          'a.b.c',
          'x'.repeat(8_000),
          '\xff\xfe',
          'null',
        ),
        fc
          .tuple(
            fc.constantFrom('none', 'HS256', 'EdDSA', 'RS256', ''),
            fc.constantFrom('k', 'other', '', '../k'),
            fc.jsonValue(),
          )
          .map(
            ([alg, kid, claims]) =>
              `${part({ alg, kid })}.${part({ iss: 'https://issuer.example', claims })}.AAAA`,
          ),
      );
      const scheme = fc.constantFrom('Basic ', 'Bearer ', 'bearer  ', 'Digest ', '', 'Basic\t');
      let answered = 0;
      const property = fc.asyncProperty(
        fc.array(fc.tuple(scheme, claim), { minLength: 20, maxLength: 20 }),
        async (some) => {
          const answers = await Promise.all(
            some.map(([word, value]) => {
              const headers: Record<string, string> =
                auth === 'api-key' ? { 'x-api-key': value } : { authorization: word + value };
              return send(
                { verb: 'GET', path: '/api/v1/sessions', headers, body: undefined, id: undefined },
                { url: guarded.url, agent },
              );
            }),
          );
          for (const answer of answers) {
            if (answer === undefined) continue;
            answered += 1;
            expect([401, 403, 429, 503]).toContain(answer.status);
            expect(parsed(answer.text)?.status).toBe(answer.status);
          }
        },
      );
      await fc.assert(property, { numRuns: 15, endOnFailure: true });
      expect(answered).toBeGreaterThan(250);
      expect(guarded.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
      expect((await fetch(`${guarded.url}/healthz`)).status).toBe(200);
    },
  );
});
