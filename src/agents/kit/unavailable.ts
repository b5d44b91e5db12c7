import { statSync } from 'node:fs';
import { KediError } from '../../domain/errors.js';

/** Why a program could not be started, as KediError AGENT_UNAVAILABLE with a sentence that names the program. */
export function notStarted(attempt: {
  readonly program: string;
  readonly cwd: string;
  readonly cause: unknown;
}): KediError {
  const { program, cwd, cause } = attempt;
  return new KediError('AGENT_UNAVAILABLE', `The program ${program} cannot be started: ${reason(attempt)}.`, {
    cause,
    info: { program, cwd },
  });
}

function reason({ program, cwd, cause }: { program: string; cwd: string; cause: unknown }): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  switch (code) {
    case 'ENOENT':
      // The system answers the same for a working directory that does not exist.
      if (!isDirectory(cwd)) return `its working directory ${cwd} does not exist`;
      return program.includes('/') ? 'there is no such file' : 'it is not found on the PATH';
    case 'ENOTDIR':
      return `its working directory ${cwd} is not a directory`;
    case 'EACCES':
      return 'it is not an executable file, or its directory may not be entered';
    case 'ENOEXEC':
      return 'it is not in a format that this system can run';
    case 'E2BIG':
      return 'its arguments and environment are longer than the system allows';
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return `the system has no more processes, memory or files to give (${code})`;
    default:
      return cause instanceof Error ? cause.message : String(cause);
  }
}

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
