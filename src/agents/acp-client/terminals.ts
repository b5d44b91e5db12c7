import { randomUUID } from 'node:crypto';
import { RequestError } from '@agentclientprotocol/sdk';
import { type Shape, shapesAt, textAt } from '../kit/json-line.js';
import { type AgentProcess, type Ending, startProcess } from '../kit/process.js';

/** Programs that an agent runs through its client (ACP v1). */
export interface Terminals {
  /** `undefined` where it is no terminal method. */
  answer(method: string, params: Shape): Promise<Shape> | undefined;
  /** Ends all that still run. */
  close(): Promise<void>;
}

interface Terminal {
  readonly child: AgentProcess;
  readonly ended: Promise<Ending>;
  readonly limit: number;
  output: Buffer;
  truncated: boolean;
  exit: Shape | undefined;
}

/** What is kept of a program's output where the agent names no limit, in bytes. */
const usualLimit = 1024 * 1024;

export function openTerminals({
  directory,
  env,
  signal,
}: {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}): Terminals {
  const terminals = new Map<string, Terminal>();

  const create = async (params: Shape): Promise<Shape> => {
    const given = shapesAt(params, 'env').map(([{ name, value }]) => [String(name), String(value)]);
    const { args } = params;
    const child = await startProcess({
      program: textAt(params, 'command') ?? '',
      args: Array.isArray(args) ? args.map(String) : [],
      cwd: textAt(params, 'cwd') ?? directory,
      env: { ...env, ...Object.fromEntries(given) },
      input: '',
      pieces: true,
      signal,
    });
    const limit = typeof params.outputByteLimit === 'number' ? params.outputByteLimit : usualLimit;
    const terminalId = randomUUID();
    const terminal: Terminal = {
      child,
      ended: child.ended(),
      limit,
      output: Buffer.alloc(0),
      truncated: false,
      exit: undefined,
    };
    terminals.set(terminalId, terminal);
    terminal.ended.then(
      ({ exitCode = null, signal: by = null }) => {
        terminal.exit = { exitCode, signal: by };
      },
      () => {},
    );
    gather(terminal).catch(() => {});
    return { terminalId };
  };

  const find = (params: Shape): Terminal => {
    const terminal = terminals.get(textAt(params, 'terminalId') ?? '');
    if (terminal !== undefined) return terminal;
    throw RequestError.resourceNotFound(textAt(params, 'terminalId'));
  };

  const answers: Readonly<Record<string, (params: Shape) => Promise<Shape>>> = {
    'terminal/create': create,
    'terminal/output': async (params) => {
      const { output, truncated, exit } = find(params);
      return {
        output: output.toString('utf8'),
        truncated,
        ...(exit === undefined ? {} : { exitStatus: exit }),
      };
    },
    'terminal/wait_for_exit': async (params) => {
      const { exitCode = null, signal: by = null } = await find(params).ended;
      return { exitCode, signal: by };
    },
    'terminal/kill': async (params) => {
      await find(params).child.stop();
      return {};
    },
    'terminal/release': async (params) => {
      await find(params).child.stop();
      terminals.delete(textAt(params, 'terminalId') ?? '');
      return {};
    },
  };

  return {
    answer: (method, params) => answers[method]?.(params),
    close: async () => {
      await Promise.all([...terminals.values()].map(({ child }) => child.stop()));
    },
  };
}

/** Keeps the end of what a program writes, on both channels, never half a character at its beginning. */
async function gather(terminal: Terminal): Promise<void> {
  for await (const { bytes, channel } of terminal.child.lines()) {
    const piece = channel === 'stderr' ? [bytes, Buffer.from('\n')] : [bytes];
    terminal.output = Buffer.concat([terminal.output, ...piece]);
    if (terminal.output.length <= terminal.limit) continue;
    let start = terminal.output.length - terminal.limit;
    while (start < terminal.output.length && ((terminal.output[start] ?? 0) & 0xc0) === 0x80) start += 1;
    terminal.output = terminal.output.subarray(start);
    terminal.truncated = true;
  }
}
