import { createHash, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** What is kept of a secret: enough to recognise it, and not to tell it. */
export type SecretHash =
  /** For tokens and keys of at least 128 random bits, which nobody can guess, and for secrets kept in memory alone. */
  | { readonly kind: 'sha256'; readonly digest: Buffer }
  /** For passwords: slow on purpose (RFC 7914). */
  | {
      readonly kind: 'scrypt';
      readonly cost: number;
      readonly blockSize: number;
      readonly parallelization: number;
      readonly salt: Buffer;
      readonly digest: Buffer;
    };

/** Fewer letters cannot hold 128 bits. */
export const shortestToken = 22;

type ScryptHash = Extract<SecretHash, { readonly kind: 'scrypt' }>;

export const sha256 = (secret: string): SecretHash => ({
  kind: 'sha256',
  digest: createHash('sha256').update(secret, 'utf8').digest(),
});

/** Hashes a password with a new salt: 64 MiB of memory, about a fifth of a second. */
export async function hashPassword(password: string): Promise<SecretHash> {
  const salt = randomBytes(16);
  const settings = { cost: 2 ** 16, blockSize: 8, parallelization: 1, salt };
  return { kind: 'scrypt', ...settings, digest: await derive(password, settings) };
}

/** Whether a secret is the one that was hashed, in a time that does not tell how much of it was right. */
export async function matches(secret: string, hash: SecretHash): Promise<boolean> {
  const digest =
    hash.kind === 'sha256'
      ? createHash('sha256').update(secret, 'utf8').digest()
      : await derive(secret, hash);
  return timingSafeEqual(digest, hash.digest);
}

/** The text of a hash, for one line of a file: `sha256:…` or `scrypt:65536:8:1:salt:digest`, in base64url. */
export function writeHash(hash: SecretHash): string {
  const digest = hash.digest.toString('base64url');
  if (hash.kind === 'sha256') return `sha256:${digest}`;
  const { cost, blockSize, parallelization, salt } = hash;
  return `scrypt:${cost}:${blockSize}:${parallelization}:${salt.toString('base64url')}:${digest}`;
}

const sha256Text = /^sha256:([\w-]{43})$/;
const scryptText = /^scrypt:(\d{1,8}):(\d{1,2}):(\d{1,2}):([\w-]{22,86}):([\w-]{43})$/;

/** Undefined: this is the text of no hash. */
export function readHash(text: string): SecretHash | undefined {
  const plain = sha256Text.exec(text)?.[1];
  if (plain !== undefined) return { kind: 'sha256', digest: Buffer.from(plain, 'base64url') };
  const [, cost, blockSize, parallelization, salt, digest] = scryptText.exec(text) ?? [];
  if (salt === undefined || digest === undefined) return undefined;
  const hash: ScryptHash = {
    kind: 'scrypt',
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, 'base64url'),
    digest: Buffer.from(digest, 'base64url'),
  };
  const isPower = hash.cost >= 2 ** 14 && Number.isInteger(Math.log2(hash.cost));
  return isPower && memoryOf(hash) <= 2 ** 28 ? hash : undefined;
}

const memoryOf = ({
  cost,
  blockSize,
  parallelization,
}: Omit<ScryptHash, 'kind' | 'salt' | 'digest'>): number => 128 * blockSize * (cost + parallelization);

function derive(secret: string, hash: Omit<ScryptHash, 'kind' | 'digest'>): Promise<Buffer> {
  const { cost, blockSize, parallelization, salt } = hash;
  const options = { cost, blockSize, parallelization, maxmem: 2 * memoryOf(hash) };
  return new Promise((resolve, reject) => {
    scrypt(secret.normalize('NFKC'), salt, 32, options, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}
