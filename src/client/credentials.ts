import { KediError } from '../domain/errors.js';

/** By what a client proves who it is; never printed, and sent to no other origin than the peer's own. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly header: string; readonly key: string };

/** The header that carries the credentials, if any. A secret that no header can hold: KediError SETTINGS_INVALID. */
export function authorization(credentials: Credentials): Readonly<Record<string, string>> {
  switch (credentials.kind) {
    case 'none':
      return {};
    case 'bearer':
      return { authorization: `Bearer ${headerValue(credentials.token)}` };
    case 'basic': {
      const pair = Buffer.from(`${credentials.user}:${credentials.password}`, 'utf8');
      return { authorization: `Basic ${pair.toString('base64')}` };
    }
    case 'api-key':
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(credentials.header)) {
        throw new KediError(
          'SETTINGS_INVALID',
          'The name of the header for the key is not one that HTTP allows.',
        );
      }
      return { [credentials.header.toLowerCase()]: headerValue(credentials.key) };
  }
}

const headerValue = (secret: string): string => {
  if (!/^[\x21-\x7e]+$/.test(secret)) {
    throw new KediError(
      'SETTINGS_INVALID',
      'The secret is empty, or holds a character that no header can carry.',
    );
  }
  return secret;
};
