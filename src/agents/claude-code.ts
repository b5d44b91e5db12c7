import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
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
import { outgoingSchema } from './kit/outgoing-schema.js';
import { type Program, readProgram } from './kit/program-options.js';
import { remind } from './kit/remind.js';
import { resumed } from './kit/resumed.js';
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

async function* run(turn: Turn, settings: Settings): AsyncGenerator<Line, Outcome, void> {
  const { program, flags, mcpConfig } = settings;
  const { signal, workspace } = turn;
  const schema = turn.output === undefined ? undefined : outgoingSchema(turn.output.text);
  const scratch = await openScratch(mcpConfig?.json === undefined ? {} : { 'mcp.json': mcpConfig.json });
  try {
    const mcpFile = mcpConfig?.file ?? scratch.paths['mcp.json'];
    const mcpFlags = mcpFile === undefined ? [] : ['--mcp-config', mcpFile];
    const ran = yield* resumed<Ran>({
      name: 'Claude Code',
      session: turn.session,
      isLost: ({ decoder }) => isUnknownSession(decoder.result()),
      async *run(session, notices) {
        const decoder = claudeDecoder();
        const given = runArguments({ prompt: remind(turn), schema: schema?.text, session });
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
      },
    });
    return outcomeOf(ran, schema);
  } finally {
    await scratch.close();
  }
}
