import type { AgentOptionsSchema, AgentSurroundings, StructuredWay } from '../../domain/agent.js';
import { isShape, type Shape } from '../kit/json-line.js';
import { numberOption, textOption } from '../kit/options.js';
import { givenKey, readSecret, type Secret } from '../kit/secret.js';

export const aiSdkOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    provider: {
      type: 'string',
      minLength: 1,
      description:
        'The provider’s package, installed in your project beside `ai`: `@ai-sdk/anthropic`; or a file of yours that exports the like.',
    },
    model: { type: 'string', minLength: 1, description: 'The model, by its id at that provider.' },
    factory: {
      type: 'string',
      minLength: 1,
      description:
        'The export that makes the provider; by default the only one whose name begins with `create`.',
    },
    method: {
      type: 'string',
      minLength: 1,
      description:
        'The method of the provider that makes the model (`chat`), instead of the provider itself.',
    },
    settings: {
      type: 'object',
      description: 'Settings of the provider: `{"baseURL": "http://127.0.0.1:8080/v1"}`.',
    },
    apiKeyEnv: {
      type: 'string',
      minLength: 1,
      description:
        'Variable of the server’s environment that holds the key, given to the provider as its setting `apiKey`; without it, the provider looks for the variable that it has a name for.',
    },
    apiKeyFile: { type: 'string', minLength: 1, description: 'File that holds the key.' },
    system: { type: 'string', description: 'Instructions that stand before every conversation.' },
    temperature: { type: 'number', minimum: 0, description: 'Sent as it is.' },
    maxTokens: { type: 'integer', minimum: 1, description: 'The most tokens of an answer.' },
    retries: {
      type: 'integer',
      minimum: 0,
      maximum: 10,
      description: 'How often the AI SDK tries a request again; 2 by default.',
    },
    providerOptions: {
      type: 'object',
      additionalProperties: { type: 'object' },
      description: 'Passed on as they are: `{"openai": {"reasoningEffort": "low"}}`.',
    },
    structured: {
      enum: ['native', 'instruction'],
      description:
        'How it is asked for a typed answer: `native` by the model’s response format alone, `instruction` by words alone; by default by words only where the model takes no schema, or where the schema has numbers that the AI SDK would change.',
    },
    closeObjects: {
      type: 'boolean',
      description:
        'Whether objects are closed, and all their properties required, in the copy of the schema that goes to the model, as most providers want; true by default. The schema that judges stays as it is.',
    },
  },
  required: ['provider', 'model'],
  additionalProperties: false,
};

export interface AiSdkSettings {
  readonly provider: string;
  readonly model: string;
  readonly factory: string | undefined;
  readonly method: string | undefined;
  readonly settings: Shape;
  readonly key: Secret | undefined;
  /** Arguments of `streamText` that the operator chose. */
  readonly call: Shape;
  readonly structured: 'native' | 'instruction' | 'any';
  readonly closed: boolean;
}

/** Throws KediError SETTINGS_INVALID where the key is not there. */
export function readAiSdkSettings(
  options: Readonly<Record<string, unknown>>,
  surroundings: AgentSurroundings,
): AiSdkSettings {
  const { structured, settings, providerOptions } = options;
  const system = textOption(options, 'system');
  const temperature = numberOption(options, 'temperature');
  const maxTokens = numberOption(options, 'maxTokens');
  return {
    provider: textOption(options, 'provider') ?? '',
    model: textOption(options, 'model') ?? '',
    factory: textOption(options, 'factory'),
    method: textOption(options, 'method'),
    settings: isShape(settings) ? settings : {},
    key:
      readSecret(options, { variable: 'apiKeyEnv', file: 'apiKeyFile', surroundings }) ?? givenKey(settings),
    call: {
      maxRetries: numberOption(options, 'retries') ?? 2,
      ...(system !== undefined && { system }),
      ...(temperature !== undefined && { temperature }),
      ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
      ...(isShape(providerOptions) && { providerOptions }),
    },
    structured: structured === 'native' || structured === 'instruction' ? structured : 'any',
    closed: options.closeObjects !== false,
  };
}

/** What the card says; whether the model takes a schema shows only when it is asked. */
export const aiSdkStructured = ({ structured }: Readonly<Record<string, unknown>>): StructuredWay =>
  structured === 'instruction' ? 'instruction' : 'native';
