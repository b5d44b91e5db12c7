import { choice, readPath, readScopes, readUrl, readWord, type Setting, toggle } from '../setting.js';

/** Who may come in. Secrets themselves are no settings: they are named here, and never written on a command line. */
export const accessSettings = {
  auth: choice({
    group: 'Access',
    words: ['none', 'basic', 'bearer', 'api-key', 'jwt'],
    fallback: 'none',
    help: 'How clients prove who they are; needed off loopback.',
  }),
  secretEnv: {
    group: 'Access',
    value: 'NAME',
    fallback: undefined,
    help: 'The environment variable that holds the secret, in place of KEDI_A2A_SECRET.',
    read: readWord,
  },
  secretFile: {
    group: 'Access',
    value: 'FILE',
    fallback: undefined,
    help: 'The file that holds the secret: a token, a key, `user:password`, or lines of `kedi-a2a hash`.',
    read: readPath,
  },
  apiKeyHeader: {
    group: 'Access',
    value: 'HEADER',
    fallback: 'X-API-Key',
    help: 'The header in which `--auth api-key` looks for the key.',
    read: readWord,
  },
  jwtIssuer: {
    group: 'Access',
    value: 'URL',
    fallback: undefined,
    help: 'Whose tokens `--auth jwt` takes; without --jwt-keys its OpenID configuration tells where its keys are.',
    read: readUrl,
  },
  jwtKeys: {
    group: 'Access',
    value: 'URL|FILE',
    fallback: undefined,
    help: "The issuer's key set (JWKS).",
    read: (text: string, directory: string): string =>
      /^https?:\/\//i.test(text) ? readUrl(text) : readPath(text, directory),
  },
  jwtAudience: {
    group: 'Access',
    value: 'NAME',
    fallback: undefined,
    help: 'For whom a token must be meant; by default the public URL.',
    read: readWord,
  },
  jwtScopes: {
    group: 'Access',
    value: 'SCOPES',
    fallback: '',
    shape: 'list',
    help: 'Scopes that a token must have, all of them.',
    read: readScopes,
  },
  publicCard: toggle({
    group: 'Access',
    help: 'Show the agent card to everyone, though all else wants credentials.',
  }),
  extendedCard: {
    group: 'Access',
    value: 'FILE',
    fallback: undefined,
    help: 'The hand-written half of the extended card, for clients with credentials (GetExtendedAgentCard).',
    read: readPath,
  },
  cardKey: {
    group: 'Access',
    value: 'FILE',
    fallback: undefined,
    help: 'A private key (`kedi-a2a keygen`) that signs the card; needs --public-url.',
    read: readPath,
  },
} as const satisfies Record<string, Setting>;
