import type { Line, OutputEvent } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { type Ending, startProcess } from './process.js';
import type { Program } from './program-options.js';
import { openTail } from './tail.js';
import { untilSilent } from './until-silent.js';

/** One run of a program: what it is given, and how its lines are understood. */
export interface ProgramRun {
  readonly program: Program;
  readonly args: readonly string[];
  /** Its whole stdin. */
  readonly input: string;
  /** The context's own directory, where the program has no other. */
  readonly workspace: string;
  readonly signal: AbortSignal;
  /** What a line of its stdout means. */
  readonly decode: (line: Uint8Array) => readonly OutputEvent[] | undefined;
  /** Whether it has said all that it has to say. */
  readonly isDone: () => boolean;
  /** What there is to say beside its own lines; it goes with the first of them. */
  readonly notices: readonly OutputEvent[];
}

/** What there is to know of a run when it is over. */
export interface ProgramEnd {
  /** Undefined: it had said all it had to say, and was ended since it did not end. */
  readonly ending: Ending | undefined;
  /** Whether it said something in its own name. */
  readonly spoke: boolean;
  /** The last lines of its stderr. */
  readonly errors: string;
}

/** How long a program may do nothing once it is done; some wait a while for a host that they report to. */
const idleMs = 15_000;

/** Runs a program that writes one JSON object a line, and passes its lines on with what they mean. */
export async function* runProgram(run: ProgramRun): AsyncGenerator<Line, ProgramEnd, void> {
  const { program, args, input, workspace, signal, decode, isDone } = run;
  const { bin, env } = program;
  const child = await startProcess({ program: bin, args, cwd: program.cwd ?? workspace, env, input, signal });
  const errors = openTail();
  let unsaid = run.notices;
  let spoke = false;
  try {
    const lines = untilSilent(child.lines(), { isDone, silentMs: idleMs });
    while (true) {
      const step = await lines.next();
      if (step.done) {
        const ending = step.value ? await child.ended() : undefined;
        return { ending, spoke, errors: errors.text() };
      }
      const { channel, bytes, whole } = step.value;
      if (channel === 'stderr') {
        errors.push(bytes);
        yield { raw: bytes, channel, events: undefined };
        continue;
      }
      const events = whole ? decode(bytes) : undefined;
      spoke ||= events?.some((event) => event.type === 'delta' && event.parent === undefined) === true;
      yield { raw: bytes, channel, events: unsaid.length === 0 ? events : [...unsaid, ...(events ?? [])] };
      unsaid = [];
    }
  } finally {
    await child.stop();
  }
}

/** The failure of a program that ended before its time: `what` and how it ended, with its last words. */
export function endedEarly(
  what: string,
  { ending, errors, cause }: Pick<ProgramEnd, 'ending' | 'errors'> & { readonly cause?: unknown },
): KediError {
  const how =
    ending?.signal === undefined
      ? `ended with exit code ${ending?.exitCode}`
      : `was ended by ${ending.signal}`;
  const quiet = `${what} ${how}.`;
  const why = errors === '' ? '; it wrote nothing to stderr.' : `:\n${errors}`;
  return new KediError('AGENT_FAILED', `${what} ${how}${why}`, { quiet, cause });
}
