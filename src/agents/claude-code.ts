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
import { type Program, readProgram } from './kit/program-options.js';
import { remind } from './kit/remind.js';
import { runProgram } from './kit/run-program.js';
import { openScratch } from './kit/scratch.js';

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

async function* runOnce(
  turn: Turn,
  {
    settings: { program, flags, mcpConfig },
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
  const given = runArguments({ prompt: remind(turn), schema: schema?.text, session });
  const decoder = claudeDecoder();
  const scratch = await openScratch(mcpConfig?.json === undefined ? {} : { 'mcp.json': mcpConfig.json });
  try {
    const mcpFile = mcpConfig?.file ?? scratch.paths['mcp.json'];
    const mcpFlags = mcpFile === undefined ? [] : ['--mcp-config', mcpFile];
    const end = yield* runProgram({
      program,
      args: [...given.flags, ...flags, ...mcpFlags, ...program.extraArgs],
      input: given.input,
      workspace,
      signal,
      decode: decoder.decode,
      isDone: () => decoder.result() !== undefined && !decoder.busy(),
      notices,
    });
    return { ...end, decoder };
  } finally {
    await scratch.close();
  }
}
