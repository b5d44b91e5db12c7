import type { Agent, AgentKind, Line, Outcome, OutputEvent, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { codexArguments, codexOptions, codexVariables } from './codex/arguments.js';
import { type CodexDecoder, codexDecoder } from './codex/decode.js';
import { type OutgoingSchema, outgoingSchema } from './kit/outgoing-schema.js';
import { type Program, readProgram } from './kit/program-options.js';
import { remind } from './kit/remind.js';
import { lastWords, type ProgramEnd, runProgram } from './kit/run-program.js';
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

/** A session that Codex no longer has is begun anew, once. */
async function* run(turn: Turn, settings: Settings): AsyncGenerator<Line, Outcome, void> {
  const closed = settings.options.closeObjects !== false;
  const schema = turn.output === undefined ? undefined : outgoingSchema(turn.output.text, { closed });
  const ran = yield* runOnce(turn, { settings, schema, session: turn.session, notices: [] });
  if (turn.session === undefined || !isUnknownSession(ran)) return outcomeOf(ran, schema);
  const text = `Codex no longer knows the conversation ${turn.session}; a new one is begun.`;
  const notices: readonly OutputEvent[] = [{ type: 'status', status: 'session_lost', text }];
  return outcomeOf(yield* runOnce(turn, { settings, schema, session: undefined, notices }), schema);
}

type Ran = ProgramEnd & { readonly decoder: CodexDecoder };

async function* runOnce(
  turn: Turn,
  {
    settings: { program, options },
    schema,
    session,
    notices,
  }: {
    readonly settings: Settings;
    readonly schema: OutgoingSchema | undefined;
    readonly session: string | undefined;
    readonly notices: readonly OutputEvent[];
  },
): AsyncGenerator<Line, Ran, void> {
  const { signal, workspace } = turn;
  const decoder = codexDecoder();
  const scratch = await openScratch(schema === undefined ? {} : { 'schema.json': schema.text });
  try {
    const schemaFile = scratch.paths['schema.json'];
    const { extraArgs } = program;
    const end = yield* runProgram({
      program,
      args: codexArguments(options, { schemaFile, session, extraArgs }),
      input: remind(turn),
      workspace,
      signal,
      decode: decoder.decode,
      isDone: () => decoder.turn() !== undefined,
      notices,
    });
    return { ...end, decoder };
  } finally {
    await scratch.close();
  }
}

/** Codex says so on stderr alone, before its first line. */
const isUnknownSession = ({ decoder, errors }: Ran): boolean =>
  decoder.turn() === undefined && /no rollout found for thread id/.test(errors);

/** Its exit code says nothing: `turn.failed` comes with 0 too, and so does prose where a document was asked for. */
function outcomeOf(ran: Ran, schema: OutgoingSchema | undefined): Outcome {
  const turn = ran.decoder.turn();
  if (turn === undefined) {
    throw new KediError('AGENT_FAILED', `Codex did not bring its turn to an end and ${lastWords(ran)}`);
  }
  if (!turn.ok) {
    const code = /unexpected status 40[13]/.test(turn.message) ? 'AGENT_UNAVAILABLE' : 'AGENT_FAILED';
    throw new KediError(code, `Codex failed: ${turn.message}`);
  }
  if (schema === undefined) return { kind: 'done' };
  const document = ran.decoder.lastMessage();
  if (document === undefined) throw new KediError('RESULT_MISSING', 'Codex ended without a word.');
  return { kind: 'json', document: schema.unwrap(document) };
}
