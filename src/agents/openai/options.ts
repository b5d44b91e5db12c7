import type { AgentOptionsSchema, AgentSurroundings } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { isShape } from '../kit/json-line.js';
import { flagOption, mapOption, numberOption, textOption } from '../kit/options.js';
import { readSecret, type Secret } from '../kit/secret.js';

export const openaiOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    model: { type: 'string', minLength: 1, description: 'The model, by its name at that endpoint.' },
    baseUrl: {
      type: 'string',
      minLength: 1,
      description:
        'The endpoint, to which `/chat/completions` is added: `http://127.0.0.1:11434/v1`; OpenAI’s own by default.',
    },
    apiKeyEnv: {
      type: 'string',
      minLength: 1,
      description:
        'Variable of the server’s environment that holds the key; OPENAI_API_KEY by default for OpenAI’s own endpoint, none for any other.',
    },
    apiKeyFile: { type: 'string', minLength: 1, description: 'File that holds the key.' },
    apiKeyHeader: {
      type: 'string',
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      description: 'Header that carries the bare key, instead of `Authorization: Bearer`.',
    },
    headers: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Further headers of each request.',
    },
    system: { type: 'string', description: 'Instructions that stand before every conversation.' },
    temperature: { type: 'number', minimum: 0, description: 'Sent as it is.' },
    maxTokens: { type: 'integer', minimum: 1, description: 'The most tokens of an answer.' },
    body: {
      type: 'object',
      description:
        'Further members of the request’s body; null leaves one out that would be sent (`{"stream_options": null}`).',
    },
    structured: {
      enum: ['native', 'instruction'],
      description:
        'How it is asked for a typed answer: `native` by `response_format`, the default, or `instruction` by words, for endpoints that do not know it.',
    },
    strict: {
      type: 'boolean',
      description:
        'OpenAI’s strict mode: the copy of the schema that goes out has its objects closed and all their properties required; the schema that judges stays as it is. False by default.',
    },
    retries: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      description: 'How often a request is tried again after 429, 5xx or a lost connection; 2 by default.',
    },
  },
  required: ['model'],
  additionalProperties: false,
};

export interface OpenaiSettings {
  readonly url: string;
  readonly model: string;
  readonly key: Secret | undefined;
  /** Undefined: the key goes as a bearer token. */
  readonly keyHeader: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly system: string | undefined;
  /** Members of the body that the operator chose, by their names; null leaves one out. */
  readonly members: Readonly<Record<string, unknown>>;
  readonly native: boolean;
  readonly strict: boolean;
  readonly retries: number;
}

const openai = 'https://api.openai.com/v1';

/** Throws KediError SETTINGS_INVALID for an endpoint that is no URL, a header that HTTP does not allow, a missing key. */
export function readOpenaiSettings(
  options: Readonly<Record<string, unknown>>,
  surroundings: AgentSurroundings,
): OpenaiSettings {
  const url = endpoint(textOption(options, 'baseUrl') ?? openai);
  const own = url.hostname === new URL(openai).hostname;
  const named = options.apiKeyEnv !== undefined || options.apiKeyFile !== undefined;
  const usual = own && !named ? { apiKeyEnv: 'OPENAI_API_KEY' } : {};
  const temperature = numberOption(options, 'temperature');
  const maxTokens = numberOption(options, 'maxTokens');
  return {
    url: url.href,
    model: textOption(options, 'model') ?? '',
    key: readSecret({ ...options, ...usual }, { variable: 'apiKeyEnv', file: 'apiKeyFile', surroundings }),
    keyHeader: textOption(options, 'apiKeyHeader'),
    headers: headersOf(mapOption(options, 'headers')),
    system: textOption(options, 'system'),
    members: {
      ...(temperature !== undefined && { temperature }),
      // OpenAI's newer models refuse the name that all others know.
      ...(maxTokens !== undefined && { [own ? 'max_completion_tokens' : 'max_tokens']: maxTokens }),
      ...(isShape(options.body) ? options.body : {}),
    },
    native: options.structured !== 'instruction',
    strict: flagOption(options, 'strict'),
    retries: numberOption(options, 'retries') ?? 2,
  };
}

function endpoint(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw invalid(`The option "baseUrl" is not an http or https URL: "${baseUrl}".`);
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid('Credentials do not belong into the option "baseUrl"; name them by "apiKeyEnv".');
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

function headersOf(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return Object.fromEntries(new Headers(headers));
  } catch (cause) {
    throw new KediError(
      'SETTINGS_INVALID',
      'The option "headers" holds a name or a value that HTTP does not allow.',
      { cause },
    );
  }
}

const invalid = (sentence: string): KediError => new KediError('SETTINGS_INVALID', sentence);
