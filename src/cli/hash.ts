import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Argument, Command } from 'commander';
import { KediError } from '../domain/errors.js';
import { hashPassword, type SecretHash, sha256, shortestToken, writeHash } from '../server/auth/hash.js';
import { write } from './output.js';

/** `kedi-a2a hash`: a line for the file of `--secret-file`, so that the file need not hold the secret itself. */
export const hashCommand = (): Command =>
  new Command('hash')
    .description(
      'Print the line NAME:HASH for a file of secrets. The secret comes on stdin; without one, a token is made and shown once on stderr.',
    )
    .argument('<NAME>', 'the principal whose secret it is')
    .addArgument(
      new Argument('[KIND]', 'password: slow to guess; token: for at least 128 random bits').choices([
        'password',
        'token',
      ]),
    )
    .action(async (name: string, kind = 'token') => {
      if (!/^[^:#\s][^:\r\n]*$/.test(name)) {
        throw new KediError(
          'SETTINGS_INVALID',
          'A name has no colon and no line break, and does not begin with #.',
        );
      }
      // At a terminal nobody is kept waiting for a token that we can make.
      const asks = kind === 'password' || process.stdin.isTTY !== true;
      const given = asks ? (await text(process.stdin)).replace(/\r?\n$/, '') : '';
      await write(process.stdout, `${name}:${writeHash(await hashOf(given, kind))}\n`);
    });

async function hashOf(given: string, kind: string): Promise<SecretHash> {
  if (kind === 'password') {
    if (given !== '') return hashPassword(given);
    throw new KediError('SETTINGS_INVALID', 'A password is expected on stdin.');
  }
  if (given === '') {
    const token = randomBytes(32).toString('base64url');
    await write(process.stderr, `token: ${token}\n`);
    return sha256(token);
  }
  // A fast hash of something that can be guessed protects nothing.
  if (given.length >= shortestToken) return sha256(given);
  throw new KediError(
    'SETTINGS_INVALID',
    `A token of fewer than ${shortestToken} characters can be guessed from its hash: send a longer one, or none to have one made.`,
  );
}
