import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { adoptFamily, endFamily, type Family, markVariable, newMark } from './family.js';
import { type OutputLine, readOutput } from './output.js';
import { notStarted } from './unavailable.js';

/** Which program is started, and how. */
export interface ProcessOptions {
  /** A path, or a name to be looked up in the PATH of `env`. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program (`childEnvironment`). */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is then closed; undefined leaves it to `write` and `closeInput`. */
  readonly input: string | Uint8Array | undefined;
  /** stdout as it comes instead of line by line; stderr always comes in lines. */
  readonly pieces?: true;
  /** Ends the program, its children and `lines`. */
  readonly signal: AbortSignal;
  /** Milliseconds between TERM and KILL. */
  readonly graceMs?: number;
}

/** How a program ended: with an exit code, or killed by a signal. */
export type Ending =
  | { readonly exitCode: number; readonly signal?: undefined }
  | { readonly exitCode?: undefined; readonly signal: NodeJS.Signals };

/** A program that was started; whoever has it stops it. */
export interface AgentProcess {
  readonly pid: number;
  /**
   * What the program writes, on both channels, read only as fast as it is pulled; to be called once. Ends when the
   * program is over or has closed both; throws the signal's reason when that aborts.
   */
  lines(): AsyncGenerator<OutputLine, void, void>;
  /** Resolves when the program and all that it started are over; rejects with the signal's reason when that aborted. */
  ended(): Promise<Ending>;
  /** Resolves when the pipe has taken it, at once where the program no longer reads. */
  write(input: string | Uint8Array): Promise<void>;
  closeInput(): void;
  /** Ends the program with all that it started (TERM, grace, KILL), if need be; to be awaited in `finally`. */
  stop(): Promise<void>;
}

const usualGraceMs = 2_000;

/**
 * Starts a program in a process group of its own. Nothing of what it started is left once `stop` has resolved, or the
 * signal has aborted and the grace is over, whether or not anybody still pulls; what outlives the program is ended too.
 * A program that cannot be started: KediError AGENT_UNAVAILABLE.
 */
export async function startProcess(options: ProcessOptions): Promise<AgentProcess> {
  options.signal.throwIfAborted();
  const mark = newMark();
  const child = await spawned({ ...options, env: { ...options.env, [markVariable]: mark } });
  const family: Family = { leader: child.pid, mark };
  adoptFamily(family);
  const graceMs = options.graceMs ?? usualGraceMs;
  const output = readOutput(child, { pieces: options.pieces === true });

  let stopping: Promise<void> | undefined;
  const endOnce = (): Promise<void> => {
    stopping ??= endFamily(family, { graceMs });
    return stopping;
  };

  const over = new Promise<Ending>((resolve) => {
    child.once('exit', (exitCode, signal) => {
      // What outlives the program belongs to nobody: it is ended, and what it has written is still read.
      endOnce().then(() => {
        output.settle();
        resolve(signal === null ? { exitCode: exitCode ?? 0 } : { signal });
      });
    });
  });

  const stop = async (): Promise<void> => {
    output.discard();
    await endOnce();
    output.close();
    child.stdin.destroy();
    options.signal.removeEventListener('abort', stop);
  };
  options.signal.addEventListener('abort', stop);
  if (options.signal.aborted) stop();
  over.then(() => options.signal.removeEventListener('abort', stop));

  // A program need not read what it is given.
  child.stdin.on('error', () => {});
  if (options.input !== undefined) child.stdin.end(options.input);

  return {
    pid: child.pid,
    lines: () => output.lines(options.signal),
    async ended() {
      const ending = await over;
      options.signal.throwIfAborted();
      return ending;
    },
    write: (input) => new Promise((resolve) => child.stdin.write(input, () => resolve())),
    closeInput: () => child.stdin.end(),
    stop,
  };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

async function spawned(options: ProcessOptions): Promise<Child & { readonly pid: number }> {
  const { program, args, cwd, env } = options;
  let child: Child;
  try {
    child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    throw notStarted({ program, cwd, cause: error });
  }
  if (hasStarted(child)) {
    child.on('error', () => {});
    return child;
  }
  throw notStarted({ program, cwd, cause: await new Promise((resolve) => child.once('error', resolve)) });
}

const hasStarted = (child: Child): child is Child & { readonly pid: number } => child.pid !== undefined;

/** A program with a slash in it is a path from where the operator wrote it; a bare name is looked up in the PATH. */
export const resolveProgram = (program: string, directory: string): string =>
  program.includes('/') ? resolve(directory, program) : program;
