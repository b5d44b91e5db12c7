import type { AgentOptionsSchema, AgentSurroundings, StructuredWay } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { textOption } from '../kit/options.js';
import { readSecret } from '../kit/secret.js';

export const a2aOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    url: {
      type: 'string',
      minLength: 1,
      description: 'The agent: its server’s base URL, or the URL of its card.',
    },
    tokenEnv: {
      type: 'string',
      minLength: 1,
      description: 'Variable of the server’s environment that holds a bearer token for it.',
    },
    tokenFile: { type: 'string', minLength: 1, description: 'File that holds a bearer token for it.' },
    basicEnv: {
      type: 'string',
      minLength: 1,
      description: 'Variable of the server’s environment that holds USER:PASSWORD for it.',
    },
    basicFile: { type: 'string', minLength: 1, description: 'File that holds USER:PASSWORD for it.' },
    apiKeyEnv: {
      type: 'string',
      minLength: 1,
      description: 'Variable of the server’s environment that holds an API key for it.',
    },
    apiKeyFile: { type: 'string', minLength: 1, description: 'File that holds an API key for it.' },
    apiKeyHeader: {
      type: 'string',
      minLength: 1,
      description: 'Header that carries the API key; X-API-Key by default.',
    },
    structured: {
      enum: ['native', 'instruction'],
      description:
        'How it is asked for a typed answer: `native` by the extension of Kedi alone, `instruction` by words alone; by default by words where its card does not offer the extension, or the schema does not fit.',
    },
  },
  required: ['url'],
  additionalProperties: false,
};

/** By what the peer knows who asks it, as it is at this moment. */
export type PeerSecret =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'api-key'; readonly header: string; readonly key: string };

export interface A2aSettings {
  readonly url: string;
  readonly secret: () => PeerSecret;
  readonly structured: 'native' | 'instruction' | 'any';
}

/** Throws KediError SETTINGS_INVALID for a URL that is none, several credentials, or one that is not there. */
export function readA2aSettings(
  options: Readonly<Record<string, unknown>>,
  surroundings: AgentSurroundings,
): A2aSettings {
  const { structured } = options;
  const url = textOption(options, 'url') ?? '';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid(`The option "url" is not an http or https URL: "${url}".`);
  }
  return {
    url,
    secret: readPeerSecret(options, surroundings),
    structured: structured === 'native' || structured === 'instruction' ? structured : 'any',
  };
}

/** What the card says before the peer was ever asked; whether its own card offers typed answers shows only then. */
export const a2aStructured = ({ structured }: Readonly<Record<string, unknown>>): StructuredWay =>
  structured === 'native' ? 'native' : 'instruction';

function readPeerSecret(
  options: Readonly<Record<string, unknown>>,
  surroundings: AgentSurroundings,
): () => PeerSecret {
  const named = (name: string) =>
    readSecret(options, { variable: `${name}Env`, file: `${name}File`, surroundings });
  const token = named('token');
  const basic = named('basic');
  const key = named('apiKey');
  if ([token, basic, key].filter((each) => each !== undefined).length > 1) {
    throw invalid('Only one of a token, a password and an API key can be sent to the agent.');
  }
  if (token !== undefined) return () => ({ kind: 'bearer', token: token() });
  if (key !== undefined) {
    const header = textOption(options, 'apiKeyHeader') ?? 'X-API-Key';
    return () => ({ kind: 'api-key', header, key: key() });
  }
  if (basic === undefined) return () => ({ kind: 'none' });
  const pair = (): PeerSecret => {
    const [, user, password] = /^([^:]*):(.*)$/s.exec(basic()) ?? [];
    if (user === undefined || password === undefined) throw invalid('The secret must be USER:PASSWORD.');
    return { kind: 'basic', user, password };
  };
  pair();
  return pair;
}

const invalid = (sentence: string): KediError => new KediError('SETTINGS_INVALID', sentence);
