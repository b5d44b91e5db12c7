import type { Check } from './check.js';
import { matches } from './hash.js';
import type { Principal } from './principals.js';

/** Recognises a bearer token or an API key. All hashes are compared, so that the time tells nothing of whose it is. */
export function createTokens(principals: readonly Principal[]): (token: string) => Promise<Check> {
  return async (token) => {
    let found: Check = { kind: 'unknown' };
    for (const { name, hash } of principals) {
      if (await matches(token, hash)) found = { kind: 'known', principal: name };
    }
    return found;
  };
}
