import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import type { AgentDefinition, AgentResult, AgentSaying, ModuleSurroundings } from './define-agent.js';
import { settled, untilAborted } from './kit/abortable.js';
import { textOption } from './kit/options.js';
import { streamJson } from './kit/stream-json.js';
import { lineOf, outcomeOf } from './saying.js';

/** The operator's own file, in this process. */
export const module: AgentKind = {
  kind: 'module',
  summary: 'Runs a JavaScript module of yours, `export default defineAgent(…)`, within the server.',
  source: 'stream-json',
  options: {
    type: 'object',
    properties: {
      path: {
        type: 'string',
        minLength: 1,
        description: 'The file, relative to where the settings were written.',
      },
      options: { type: 'object', description: 'Handed to your agent as they are.' },
      structured: {
        enum: ['native', 'none'],
        description: 'Whether your agent answers structured requests: "native", the default, or "none".',
      },
    },
    required: ['path'],
    additionalProperties: false,
  },
  structured: (options) => (options.structured === 'none' ? 'none' : 'native'),
  async create(options, { env, directory }): Promise<Agent> {
    const definition = await load(resolve(directory, textOption(options, 'path') ?? ''));
    const surroundings: ModuleSurroundings = {
      options: isObject(options.options) ? options.options : {},
      env,
      directory,
    };
    const { reply, close } = definition;
    return {
      run: (turn) => run(turn, { definition, surroundings }),
      ...(reply === undefined
        ? {}
        : {
            reply: async (turn) => {
              const answer = await reply.call(definition, turn, surroundings);
              return typeof answer === 'string' ? [{ kind: 'text', text: answer }] : answer;
            },
          }),
      ...(close === undefined ? {} : { close: () => close.call(definition) }),
    };
  },
};

/** How long a canceled agent of yours may take to tidy up before it is left to itself. */
const graceMs = 2_000;

async function* run(turn: Turn, hosted: Hosted): AsyncGenerator<Line, Outcome, void> {
  const write = streamJson({ sessionId: turn.contextId });
  const running = started(turn, hosted);
  let spoke = false;
  try {
    while (true) {
      const { done, value } = await untilAborted(running.next(), turn.signal);
      if (!done) {
        const line = lineOf(value, write);
        spoke ||= isAnswer(line);
        yield line;
        continue;
      }
      // The text that was yielded is the answer, and what is returned after it is its last message.
      if (spoke && typeof value === 'string' && turn.output === undefined) {
        yield write.delta(value, { startsMessage: true });
        return { kind: 'done' };
      }
      return outcomeOf(value, { structured: turn.output !== undefined });
    }
  } catch (error) {
    turn.signal.throwIfAborted();
    throw error;
  } finally {
    await settled(running.return(undefined), graceMs);
  }
}

interface Hosted {
  readonly definition: AgentDefinition;
  readonly surroundings: ModuleSurroundings;
}

/** A generator, whichever of the two forms the author chose. */
async function* started(
  turn: Turn,
  { definition, surroundings }: Hosted,
): AsyncGenerator<AgentSaying, AgentResult, void> {
  const running = definition.run(turn, surroundings);
  return Symbol.asyncIterator in running ? yield* running : await running;
}

const isAnswer = ({ events = [] }: Line): boolean =>
  events.some((event) => event.type === 'delta' && event.parent === undefined);

async function load(path: string): Promise<AgentDefinition> {
  const loaded: unknown = await import(pathToFileURL(path).href).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = /\.[cm]?tsx?$/.test(path) ? ' Compile it to JavaScript first.' : '';
    throw new KediError('SETTINGS_INVALID', `The module ${path} cannot be loaded: ${reason}.${hint}`, {
      cause,
    });
  });
  if (isObject(loaded) && isDefinition(loaded.default)) return loaded.default;
  throw new KediError(
    'SETTINGS_INVALID',
    `The module ${path} has no agent: it must say "export default defineAgent({ run… })".`,
  );
}

const isDefinition = (value: unknown): value is AgentDefinition =>
  isObject(value) && typeof value.run === 'function';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
