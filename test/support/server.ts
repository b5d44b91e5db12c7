import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { temporaryDirectory, type Until } from './temporary.js';

/** The built command; `npm test` builds it, and `npm run build` does. */
export const command = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A server as its users run it: a process of its own, on a free port of loopback. */
export interface ServerProcess {
  /** `http://127.0.0.1:PORT`, without a trailing slash. */
  readonly url: string;
  readonly dataDir: string;
  readonly pid: number;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Sends the signal and resolves with the exit code, or the signal's name where that ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/**
 * Starts `kedi-a2a serve --port 0` and resolves when it listens; it ends with the test, at the latest. Pass the
 * `dataDir` of a server before it to start again where that one left off, and `until: afterAll` for one that a file
 * shares (`const server = await startServer({ until: afterAll })`). A server that ends before it listens: an Error
 * with what it wrote.
 */
export async function startServer({
  agent = 'demo',
  options = {},
  flags = [],
  env = {},
  dataDir,
  until = onTestFinished,
}: {
  readonly agent?: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly dataDir?: string;
  readonly until?: Until;
} = {}): Promise<ServerProcess> {
  const directory = dataDir ?? (await temporaryDirectory(until));
  const child = runCommand(
    ['serve', '--port', '0', '--data-dir', directory, '--agent', agent, ...agentOptions(options), ...flags],
    env,
  );
  until(async () => {
    await child.stop('SIGKILL');
  });
  const url = await child.said(/^listening on (http:\/\/\S+)$/m);
  return {
    url,
    dataDir: directory,
    pid: child.pid,
    stdout: child.stdout,
    stderr: child.stderr,
    stop: child.stop,
  };
}

/** Ends the command when this process is gone, however it went: a test run that is killed leaves no server behind. */
const endWithParent =
  'data:text/javascript,process.on("disconnect",()=>process.kill(process.pid,"SIGKILL"));process.channel.unref()';

/** A run of the built command that the test talks to while it goes on. */
export interface CommandRun {
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** The first group of `pattern` once stdout or stderr has it; an Error when the command ends without. */
  said(pattern: RegExp): Promise<string>;
  /** Resolves when the command has ended and all it wrote was read. */
  ended(): Promise<number | NodeJS.Signals>;
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals>;
}

/** Starts the built command; nothing of this process's own `KEDI_A2A_…` variables reaches it. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd, stdin: input }: { readonly cwd?: string; readonly stdin?: string | Uint8Array } = {},
): CommandRun {
  if (!existsSync(command)) throw new Error('dist/ is missing: run npm run build first');
  const child = spawn(process.execPath, ['--import', endWithParent, command, ...args], {
    env: { ...inheritedEnvironment(), ...env },
    cwd,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
  });
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('a pipe is missing');
  // It may end without having read its input.
  stdin.on('error', () => {});
  stdin.end(input);
  const written = { stdout: '', stderr: '' };
  stdout.setEncoding('utf8').on('data', (text: string) => {
    written.stdout += text;
  });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    written.stderr += text;
  });
  const ending = ended(child);
  return {
    pid: child.pid ?? 0,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    said: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(written.stdout) ?? pattern.exec(written.stderr);
          if (found !== null) resolve(found[1] ?? found[0]);
        };
        stdout.on('data', look);
        stderr.on('data', look);
        look();
        ending.then((status) =>
          reject(
            new Error(
              `ended with ${status} before it said ${pattern}:\n${written.stdout}\n${written.stderr}`,
            ),
          ),
        );
      }),
    ended: () => ending,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ending;
    },
  };
}

async function ended(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const [code, signal]: unknown[] = await once(child, 'close');
  if (typeof code === 'number') return code;
  return child.signalCode ?? (typeof signal === 'string' ? 'SIGKILL' : 1);
}

const agentOptions = (options: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(options).length === 0 ? [] : ['--agent-options', JSON.stringify(options)];

const inheritedEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('KEDI_A2A_')));
