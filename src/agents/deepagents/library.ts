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
import type { DeepAgentsSettings } from './options.js';

/** An agent of the library, a compiled graph of LangGraph. */
export interface DeepAgent {
  /** Whether it keeps its conversations by itself, by the id of a thread. */
  readonly remembers: boolean;
  /** What `stream` gives: an async iterable, or a promise of one. */
  stream(messages: readonly ChatMessage[], config: Readonly<Record<string, unknown>>): unknown;
}

/** Makes the agent for one request. */
export type MakeAgent = (request: { readonly workspace: () => string }) => Promise<DeepAgent>;

/**
 * Loads what the settings name from the operator's project. What is not there or not as documented: KediError
 * SETTINGS_INVALID.
 */
export async function loadDeepAgents(settings: DeepAgentsSettings, directory: string): Promise<MakeAgent> {
  const { source } = settings;
  if (source.kind === 'file') return fromFile(source.path, directory);
  const library = await loadFromProject('deepagents', directory);
  const createDeepAgent = exportedFunction(library, 'createDeepAgent');
  if (createDeepAgent === undefined) {
    throw invalid(`The package deepagents ${library.version} has no createDeepAgent.`);
  }
  const Model = findClass(await loadFromProject(source.provider, directory), source);
  const Backend = library.exports.FilesystemBackend;
  if (settings.files === 'workspace' && !isFunction(Backend)) {
    throw invalid(`The package deepagents ${library.version} has no FilesystemBackend.`);
  }
  const makeModel = (): unknown => {
    const apiKey = settings.key?.();
    const given = { ...source.settings, model: source.model, ...(apiKey !== undefined && { apiKey }) };
    return construct(Model, given);
  };
  tryModel(makeModel, source.provider);
  return async ({ workspace }) =>
    asAgent(
      createDeepAgent({
        model: makeModel(),
        ...(settings.system !== undefined && { systemPrompt: settings.system }),
        ...(settings.files === 'workspace' &&
          isFunction(Backend) && {
            backend: construct(Backend, { rootDir: workspace(), virtualMode: true }),
          }),
      }),
    );
}

async function fromFile(path: string, directory: string): Promise<MakeAgent> {
  const { exports } = await loadFromProject(path.startsWith('.') ? path : `./${path}`, directory);
  const made = exports.default;
  if (isFunction(memberOf(made, 'stream'))) return async () => asAgent(made);
  if (!isFunction(made)) {
    throw invalid(`The default export of ${path} is neither a deep agent nor a function that makes one.`);
  }
  return async ({ workspace }) => asAgent(await made({ workspace: workspace() }));
}

function asAgent(made: unknown): DeepAgent {
  const stream = memberOf(made, 'stream');
  if (!isFunction(stream))
    throw new KediError('AGENT_FAILED', 'What was made is not a deep agent: it has no stream.');
  const graph = memberOf(made, 'graph');
  return {
    remembers: [made, graph].some((each) => isObject(memberOf(each, 'checkpointer'))),
    stream: (messages, config) => stream.call(made, { messages }, config),
  };
}

type Class = (...given: readonly unknown[]) => unknown;

const construct = (made: Class, settings: unknown): unknown => Reflect.construct(made, [settings]);

/** The class that is named, or the one whose name begins those of all others. */
function findClass(
  { exports }: ProjectPackage,
  { provider, class: named }: { readonly provider: string; readonly class: string | undefined },
): Class {
  const classes = Object.keys(exports).filter((name) => /^Chat[A-Z]/.test(name) && isFunction(exports[name]));
  const name = named ?? classes.find((each) => classes.every((other) => other.startsWith(each)));
  const found = name === undefined ? undefined : exports[name];
  if (isFunction(found)) return found;
  throw invalid(
    named === undefined
      ? `${provider} has not one chat model but ${classes.join(', ') || 'none'}; choose an export by the option "class".`
      : `${provider} exports no class "${named}"; it has ${classes.join(', ') || 'no chat model'}.`,
  );
}

/** Wrong settings are to be seen at the start. */
function tryModel(makeModel: () => unknown, provider: string): void {
  try {
    makeModel();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw invalid(`${provider} cannot make the model: ${reason}.`, cause);
  }
}

const isObject = (value: unknown): boolean => isShape(value) && Object.keys(value).length > 0;

const invalid = (sentence: string, cause?: unknown): KediError =>
  new KediError('SETTINGS_INVALID', sentence, { cause });
