import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { codexArguments, codexOptions, codexVariables } from './codex/arguments.js';
import { codexDecoder } from './codex/decode.js';
import { isUnknownSession, outcomeOf, type Ran } from './codex/outcome.js';
import { outgoingSchema } from './kit/outgoing-schema.js';
import { type Program, readProgram } from './kit/program-options.js';
import { remind } from './kit/remind.js';
import { resumed } from './kit/resumed.js';
import { runProgram } from './kit/run-program.js';
import { openScratch } from './kit/scratch.js';

/** The `codex` program, one run of it a request. */
export const codex: AgentKind = {
  kind: 'codex',
  summary: 'OpenAI’s Codex, by the `codex` program: text and typed answers, a session per context.',
  source: 'codex-jsonl',
  options: codexOptions,
  structured: () => 'native',
  create: (options, surroundings): Agent => {
    const program = readProgram(options, { surroundings, bin: 'codex', names: codexVariables });
    return { run: (turn) => run(turn, { program, options }) };
  },
};

interface Settings {
  readonly program: Program;
  readonly options: Readonly<Record<string, unknown>>;
}

async function* run(turn: Turn, { program, options }: Settings): AsyncGenerator<Line, Outcome, void> {
  const { signal, workspace } = turn;
  const closed = options.closeObjects !== false;
  const schema = turn.output === undefined ? undefined : outgoingSchema(turn.output.text, { closed });
  const scratch = await openScratch(schema === undefined ? {} : { 'schema.json': schema.text });
  try {
    const schemaFile = scratch.paths['schema.json'];
    const ran = yield* resumed<Ran>({
      name: 'Codex',
      session: turn.session,
      isLost: isUnknownSession,
      async *run(session, notices) {
        const decoder = codexDecoder();
        const end = yield* runProgram({
          program,
          args: codexArguments(options, { schemaFile, session, extraArgs: program.extraArgs }),
          input: remind(turn),
          workspace,
          signal,
          decode: decoder.decode,
          isDone: () => decoder.turn() !== undefined,
          notices,
        });
        return { ...end, decoder };
      },
    });
    return outcomeOf(ran, schema);
  } finally {
    await scratch.close();
  }
}
