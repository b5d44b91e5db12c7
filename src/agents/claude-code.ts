import type { Agent, AgentKind, Line, Outcome, OutputEvent, Turn } from '../domain/agent.js';
import {
  claudeOptions,
  claudeVariables,
  fixedFlags,
  type McpConfig,
  readMcpConfig,
  runArguments,
} from './claude-code/arguments.js';
import { claudeDecoder } from './claude-code/decode.js';
import { isUnknownSession, outcomeOf, type Ran } from './claude-code/outcome.js';
import { type OutgoingSchema, outgoingSchema } from './kit/outgoing-schema.js';
import { startProcess } from './kit/process.js';
import { type Program, readProgram } from './kit/program-options.js';
import { remind } from './kit/remind.js';
import { openScratch } from './kit/scratch.js';
import { openTail } from './kit/tail.js';
import { untilSilent } from './kit/until-silent.js';

/** The `claude` program, one run of it a request. */
export const claudeCode: AgentKind = {
  kind: 'claude-code',
  summary: 'Anthropic’s Claude Code, by the `claude` program: text and typed answers, a session per context.',
  source: 'stream-json',
  options: claudeOptions,
  structured: () => 'native',
  create: (options, surroundings): Agent => {
    const settings: Settings = {
      program: readProgram(options, { surroundings, bin: 'claude', names: claudeVariables }),
      flags: fixedFlags(options),
      mcpConfig: readMcpConfig(options, surroundings.directory),
    };
    return { run: (turn) => run(turn, settings) };
  },
};

interface Settings {
  readonly program: Program;
  readonly flags: readonly string[];
  readonly mcpConfig: McpConfig | undefined;
}

/** A session that Claude Code no longer knows is begun anew, once. */
async function* run(turn: Turn, settings: Settings): AsyncGenerator<Line, Outcome, void> {
  const schema = turn.output === undefined ? undefined : outgoingSchema(turn.output.text);
  const ran = yield* runOnce(turn, { settings, schema, session: turn.session, notices: [] });
  if (turn.session === undefined || !isUnknownSession(ran.decoder.result())) return outcomeOf(ran, schema);
  const text = `Claude Code no longer knows the conversation ${turn.session}; a new one is begun.`;
  const notices: readonly OutputEvent[] = [{ type: 'status', status: 'session_lost', text }];
  return outcomeOf(yield* runOnce(turn, { settings, schema, session: undefined, notices }), schema);
}

/** How long it may do nothing after its result before it is ended. */
const idleMs = 15_000;

async function* runOnce(
  turn: Turn,
  {
    settings,
    schema,
    session,
    notices,
  }: {
    readonly settings: Settings;
    readonly schema: OutgoingSchema | undefined;
    readonly session: string | undefined;
    /** Said with the first line. */
    readonly notices: readonly OutputEvent[];
  },
): AsyncGenerator<Line, Ran, void> {
  const { program, flags, mcpConfig } = settings;
  const given = runArguments({ prompt: remind(turn), schema: schema?.text, session });
  const scratch = await openScratch(mcpConfig?.json === undefined ? {} : { 'mcp.json': mcpConfig.json });
  try {
    const mcpFile = mcpConfig?.file ?? scratch.paths['mcp.json'];
    const child = await startProcess({
      program: program.bin,
      args: [
        ...given.flags,
        ...flags,
        ...(mcpFile === undefined ? [] : ['--mcp-config', mcpFile]),
        ...program.extraArgs,
      ],
      cwd: program.cwd ?? turn.workspace,
      env: program.env,
      input: given.input,
      signal: turn.signal,
    });
    const decoder = claudeDecoder();
    const errors = openTail();
    let unsaid = notices;
    let spoke = false;
    try {
      const lines = untilSilent(child.lines(), {
        isDone: () => decoder.result() !== undefined && !decoder.busy(),
        silentMs: idleMs,
      });
      while (true) {
        const step = await lines.next();
        if (step.done) {
          const ending = step.value ? await child.ended() : undefined;
          return { decoder, spoke, ending, errors: errors.text() };
        }
        const { channel, bytes, whole } = step.value;
        if (channel === 'stderr') {
          errors.push(bytes);
          yield { raw: bytes, channel, events: undefined };
          continue;
        }
        const events = whole ? decoder.decode(bytes) : undefined;
        spoke ||= events?.some((event) => event.type === 'delta' && event.parent === undefined) === true;
        yield { raw: bytes, channel, events: unsaid.length === 0 ? events : [...unsaid, ...(events ?? [])] };
        unsaid = [];
      }
    } finally {
      await child.stop();
    }
  } finally {
    await scratch.close();
  }
}
