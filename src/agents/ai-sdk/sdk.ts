import { KediError } from '../../domain/errors.js';
import type { ChatMessage } from '../kit/chat-messages.js';
import { isShape } from '../kit/json-line.js';
import {
  exportedFunction,
  isFunction,
  loadFromProject,
  memberOf,
  type ProjectPackage,
} from '../kit/project-package.js';
import type { AiSdkSettings } from './options.js';

/** The AI SDK with one model of one provider. */
export interface AiSdk {
  /** The parts of `streamText`'s full stream; `schema` is the response format's, as a value. */
  stream(call: {
    readonly messages: readonly ChatMessage[];
    readonly schema: unknown;
    readonly signal: AbortSignal;
  }): unknown;
}

/** Loads both packages from the operator's project. What is not there or not as documented: KediError SETTINGS_INVALID. */
export async function loadAiSdk(settings: AiSdkSettings, directory: string): Promise<AiSdk> {
  const ai = await loadFromProject('ai', directory);
  const provider = await loadFromProject(settings.provider, directory);
  const streamText = exportedFunction(ai, 'streamText');
  const output = isShape(ai.exports.Output) ? ai.exports.Output.text : undefined;
  if (streamText === undefined || !isFunction(output)) {
    throw invalid(`The package ai ${ai.version} is not an AI SDK that is known here; version 5 or later is.`);
  }
  // It would print them on stdout, which is not ours to write on; they are told as a status instead.
  Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });
  const factory = findFactory(provider, settings);
  tryModel(factory, settings);
  const outputKey = /^[0-5]\./.test(ai.version ?? '') ? 'experimental_output' : 'output';

  return {
    stream({ messages, schema, signal }) {
      const textOutput = output();
      const result = streamText({
        ...settings.call,
        model: makeModel(factory, settings),
        messages,
        abortSignal: signal,
        // Errors are parts of the stream; without this they are printed as well.
        onError: () => {},
        ...(schema !== undefined && {
          // The SDK's own output for text, so that it neither parses nor holds back what the model writes.
          [outputKey]: { ...(isShape(textOutput) && textOutput), responseFormat: { type: 'json', schema } },
        }),
      });
      return memberOf(result, 'fullStream');
    },
  };
}

type Factory = (...given: readonly unknown[]) => unknown;

function findFactory(provider: ProjectPackage, { factory, provider: name }: AiSdkSettings): Factory {
  const makers = Object.keys(provider.exports).filter((each) => /^create[A-Z]/.test(each));
  const chosen = factory ?? (makers.length === 1 ? makers[0] : undefined);
  const found = chosen === undefined ? undefined : exportedFunction(provider, chosen);
  if (found !== undefined) return found;
  throw invalid(
    factory === undefined
      ? `${name} has not one factory of providers but ${makers.join(', ') || 'none'}; choose an export by the option "factory".`
      : `${name} exports no function "${factory}"; it has ${makers.join(', ') || 'no factory of providers'}.`,
  );
}

/** Wrong settings are to be seen at the start. */
function tryModel(factory: Factory, settings: AiSdkSettings): void {
  try {
    makeModel(factory, settings);
  } catch (cause) {
    if (cause instanceof KediError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalid(`${settings.provider} cannot make the model: ${reason}.`, cause);
  }
}

function makeModel(factory: Factory, { provider, model, method, settings, key }: AiSdkSettings): unknown {
  const apiKey = key?.();
  const made = factory({ ...settings, ...(apiKey !== undefined && { apiKey }) });
  const maker = method === undefined ? made : memberOf(made, method);
  if (isFunction(maker)) return maker.call(made, model);
  throw invalid(
    method === undefined
      ? `${provider} makes no models by itself; choose a method of it by the option "method".`
      : `The provider of ${provider} has no method "${method}".`,
  );
}

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
