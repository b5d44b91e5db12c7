import type { AgentOptionsSchema, AgentSurroundings } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { isShape, type Shape } from '../kit/json-line.js';
import { numberOption, textOption } from '../kit/options.js';
import { givenKey, readSecret, type Secret } from '../kit/secret.js';

export const deepAgentsOptions: AgentOptionsSchema = {
  type: 'object',
  properties: {
    provider: {
      type: 'string',
      minLength: 1,
      description:
        'The package of the model, installed in your project beside `deepagents`: `@langchain/anthropic`.',
    },
    model: { type: 'string', minLength: 1, description: 'The model, by its name at that provider.' },
    class: {
      type: 'string',
      minLength: 1,
      description:
        'The export that is the model’s class (`ChatOpenAI`); by default the one whose name begins with `Chat`.',
    },
    settings: {
      type: 'object',
      description:
        'Further settings of that class: `{"configuration": {"baseURL": "http://127.0.0.1:8080/v1"}}`.',
    },
    apiKeyEnv: {
      type: 'string',
      minLength: 1,
      description:
        'Variable of the server’s environment that holds the key, given to the model as its setting `apiKey`; without it, the model looks for the variable that it has a name for.',
    },
    apiKeyFile: { type: 'string', minLength: 1, description: 'File that holds the key.' },
    agent: {
      type: 'string',
      minLength: 1,
      description:
        'Instead of a provider and a model: a file of yours whose default export is a deep agent, or a function that makes one for `{workspace}`, called for each request.',
    },
    system: {
      type: 'string',
      description: 'Instructions that are added to those of Deep Agents (`systemPrompt`).',
    },
    files: {
      enum: ['memory', 'workspace'],
      description:
        'Whether its file tools work on files that last as long as the request, the default, or on those of the context’s workspace.',
    },
    recursionLimit: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description:
        'The most steps that it takes for a request, a call of its model or of its tools being one each; 200 by default.',
    },
    structured: {
      enum: ['instruction', 'native'],
      description:
        'How it is asked for a typed answer: `instruction` by words, the default; with `native` it gives none, since the way of its own changes numbers.',
    },
  },
  additionalProperties: false,
};

export interface DeepAgentsSettings {
  /** A model of a provider, or a file of the operator's with the whole agent. */
  readonly source:
    | {
        readonly kind: 'model';
        readonly provider: string;
        readonly model: string;
        readonly class: string | undefined;
        readonly settings: Shape;
      }
    | { readonly kind: 'file'; readonly path: string };
  readonly key: Secret | undefined;
  readonly system: string | undefined;
  readonly files: 'memory' | 'workspace';
  readonly recursionLimit: number;
}

/** Throws KediError SETTINGS_INVALID where there is neither a model nor a file, or both, or the key is not there. */
export function readDeepAgentsSettings(
  options: Readonly<Record<string, unknown>>,
  surroundings: AgentSurroundings,
): DeepAgentsSettings {
  return {
    source: readSource(options),
    key:
      readSecret(options, { variable: 'apiKeyEnv', file: 'apiKeyFile', surroundings }) ??
      givenKey(options.settings),
    system: textOption(options, 'system'),
    files: options.files === 'workspace' ? 'workspace' : 'memory',
    recursionLimit: numberOption(options, 'recursionLimit') ?? 200,
  };
}

function readSource(options: Readonly<Record<string, unknown>>): DeepAgentsSettings['source'] {
  const path = textOption(options, 'agent');
  const provider = textOption(options, 'provider');
  const model = textOption(options, 'model');
  if (path !== undefined) {
    const ofModels = ['provider', 'model', 'class', 'settings', 'apiKeyEnv', 'apiKeyFile', 'system', 'files'];
    const other = ofModels.find((name) => options[name] !== undefined);
    if (other === undefined) return { kind: 'file', path };
    throw invalid(`The option "${other}" has no meaning beside "agent", whose file makes the whole agent.`);
  }
  if (provider === undefined || model === undefined) {
    throw invalid('The agent "deepagents" needs the options "provider" and "model", or "agent".');
  }
  const { settings } = options;
  return {
    kind: 'model',
    provider,
    model,
    class: textOption(options, 'class'),
    settings: isShape(settings) ? settings : {},
  };
}

const invalid = (sentence: string): KediError => new KediError('SETTINGS_INVALID', sentence);
