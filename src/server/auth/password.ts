import { createHmac, randomBytes } from 'node:crypto';
import type { Check } from './check.js';
import { matches, type SecretHash } from './hash.js';
import type { Principal } from './principals.js';

/** How many logins may wait for the one computation at a time, and how many that were right are remembered. */
const bounds = { waiting: 32, remembered: 1_024 } as const;

/**
 * Recognises `user:password` in base64 (RFC 7617). A password's hash is slow on purpose, so a right one is remembered
 * under a key of this process's own, and one is computed at a time: logins cannot be made a flood. A name that is not
 * known costs what a known one costs.
 */
export function createPasswords(
  principals: readonly Principal[],
  { compare = matches }: { readonly compare?: typeof matches } = {},
) {
  const byName = new Map(principals.map(({ name, hash }) => [name, hash]));
  const decoy = principals.find(({ hash }) => hash.kind === 'scrypt')?.hash;
  const key = randomBytes(32);
  const remembered = new Set<string>();
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function inTurn(compute: () => Promise<boolean>): Promise<boolean> {
    waiting += 1;
    const mine = last.then(compute);
    last = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      waiting -= 1;
    }
  }

  const isRight = async (password: string, hash: SecretHash | undefined): Promise<boolean> => {
    if (hash === undefined) {
      if (decoy !== undefined) await inTurn(() => compare(password, decoy));
      return false;
    }
    return hash.kind === 'sha256' ? compare(password, hash) : inTurn(() => compare(password, hash));
  };

  return async (claim: string, { limited }: { readonly limited: boolean }): Promise<Check> => {
    const mark = createHmac('sha256', key).update(claim).digest('base64');
    const text = Buffer.from(claim, 'base64').toString('utf8');
    const colon = text.indexOf(':');
    if (colon < 0) return { kind: 'unknown' };
    const name = text.slice(0, colon);
    if (remembered.has(mark)) return { kind: 'known', principal: name };
    if (limited) return { kind: 'unknown' };
    if (waiting >= bounds.waiting) {
      return { kind: 'unavailable', detail: 'Too many logins are being checked; try again shortly.' };
    }
    if (!(await isRight(text.slice(colon + 1), byName.get(name)))) return { kind: 'unknown' };
    if (remembered.size >= bounds.remembered) remembered.clear();
    remembered.add(mark);
    return { kind: 'known', principal: name };
  };
}
