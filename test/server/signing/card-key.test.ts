import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import { type CardKeyKind, makeCardKey, readCardKey } from '../../../src/server/signing/card-key.js';

const card = JSON.stringify({
  name: 'An agent',
  description: 'It answers.',
  version: '1',
  supportedInterfaces: [
    { url: 'https://a.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0', transport: 'SSE' },
  ],
  capabilities: { streaming: true, pushNotifications: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'a', name: 'A', description: 'a', tags: ['a'] }],
});

async function keyFile(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'card-key-')), 'key.pem');
  writeFileSync(file, text);
  return file;
}

describe.each<CardKeyKind>(['ed25519', 'es256'])('A card signed with a key of kind %s', (kind) => {
  async function signed() {
    const key = readCardKey(await keyFile(makeCardKey(kind)));
    const text = await key.sign(card, 'https://a.example/.well-known/jwks.json');
    const [jwk] = JSON.parse(key.jwks).keys;
    const verify = verifyAgentCardSignature(async (kid, jku) => {
      expect([kid, jku]).toEqual([jwk.kid, 'https://a.example/.well-known/jwks.json']);
      return jwk;
    });
    return { text, jwk, verify };
  }

  it('is verified by the client of the SDK, and has no key that A2A does not know', async () => {
    const { text, verify } = await signed();
    await verify(AgentCard.fromJSON(JSON.parse(text)));
    expect(text).not.toContain('SSE');
  });

  it('is not verified once a word of it has changed', async () => {
    const { text, verify } = await signed();
    const changed = AgentCard.fromJSON(JSON.parse(text.replace('It answers.', 'It lies.')));
    await expect(verify(changed)).rejects.toThrow();
  });

  it('is checked with a public key alone, named by its thumbprint', async () => {
    const { jwk } = await signed();
    expect(jwk).not.toHaveProperty('d');
    expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
  });
});

describe('A file for signing cards', () => {
  it.each([
    ['no key', 'hello'],
    [
      'a public key',
      '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA6bQqTkmCgGqYVMcSrSxz4ZbbMxPqFXvkzT8QTYmpJ4g=\n-----END PUBLIC KEY-----\n',
    ],
  ])('that holds %s is refused in a sentence', async (_, text) => {
    const file = await keyFile(text);
    expect(() => readCardKey(file)).toThrow(expect.objectContaining({ code: 'SETTINGS_INVALID' }));
  });

  it('that cannot be read is refused with the cause', async () => {
    const file = await keyFile('');
    expect(() => readCardKey(`${file}.pem`)).toThrow(/^The card's key cannot be read: ENOENT/);
    expect(() => readCardKey(dirname(file))).toThrow(/^The card's key cannot be read: EISDIR/);
  });
});
