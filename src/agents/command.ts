import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { openDeadline } from './kit/deadline.js';
import { listOption, numberOption } from './kit/options.js';
import { plainText } from './kit/plain-text.js';
import { startProcess } from './kit/process.js';
import { type Program, programOptions, readProgram } from './kit/program-options.js';
import { endedEarly } from './kit/run-program.js';
import { openScratch } from './kit/scratch.js';
import { openTail } from './kit/tail.js';

/** Any program: the prompt on its stdin, the answer on its stdout. */
export const command: AgentKind = {
  kind: 'command',
  summary:
    'Runs a program of yours for each request: the prompt on its stdin, the answer (or the JSON document) on its stdout.',
  source: 'text',
  options: {
    type: 'object',
    properties: {
      command: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        description: 'The program and its arguments; no shell reads them.',
      },
      cwd: programOptions.cwd,
      env: programOptions.env,
      passEnv: programOptions.passEnv,
      timeoutMs: {
        type: 'integer',
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Milliseconds after which the program is ended and the request has failed.',
      },
    },
    required: ['command'],
    additionalProperties: false,
  },
  structured: () => 'native',
  create: (options, surroundings): Agent => {
    const [bin = '', ...args] = listOption(options, 'command');
    const settings: Settings = {
      ...readProgram(options, { surroundings, bin, names: [] }),
      args,
      timeoutMs: numberOption(options, 'timeoutMs'),
    };
    return { run: (turn) => run(turn, settings) };
  },
};

interface Settings extends Omit<Program, 'extraArgs'> {
  readonly args: readonly string[];
  readonly timeoutMs: number | undefined;
}

/** No document larger than this is gathered, whatever the server's own bound on results is. */
const largestDocument = 32 * 1024 * 1024;

async function* run(turn: Turn, settings: Settings): AsyncGenerator<Line, Outcome, void> {
  const { bin, args, cwd = turn.workspace, timeoutMs } = settings;
  const scratch = await openScratch(scratchFiles(turn));
  const message = `The program ${bin} did not end within ${timeoutMs} ms.`;
  const deadline = openDeadline(turn.signal, { afterMs: timeoutMs, message });
  try {
    const child = await startProcess({
      program: bin,
      args,
      cwd,
      env: { ...settings.env, ...variables(turn, scratch.paths) },
      input: turn.prompt,
      pieces: true,
      signal: deadline.signal,
    });
    const errors = openTail();
    const answer = turn.output === undefined ? undefined : gatherDocument(bin);
    const text = plainText();
    try {
      for await (const { channel, bytes } of child.lines()) {
        if (channel === 'stderr') {
          errors.push(bytes);
          yield { raw: bytes, channel, events: undefined };
          continue;
        }
        answer?.push(bytes);
        yield { raw: bytes, channel, events: text.push(bytes) };
      }
      const ending = await child.ended();
      if (ending.exitCode !== 0) throw endedEarly(`The program ${bin}`, { ending, errors: errors.text() });
      const document = answer?.text() ?? '';
      // A program that wrote nothing has given no document, rather than a malformed one.
      return document.trim() === '' ? { kind: 'done' } : { kind: 'json', document };
    } finally {
      await child.stop();
    }
  } finally {
    deadline.close();
    await scratch.close();
  }
}

/** What the program is told in files, since an environment variable may not hold it. */
const scratchFiles = ({ output, refused }: Turn): Readonly<Record<string, string>> => ({
  ...(output === undefined ? {} : { 'schema.json': output.text }),
  ...(refused === undefined ? {} : { 'refused.json': refused.document, 'refused.txt': refused.reason }),
});

function variables(turn: Turn, paths: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const files = {
    KEDI_SCHEMA_FILE: paths['schema.json'],
    KEDI_REFUSED_FILE: paths['refused.json'],
    KEDI_REFUSED_REASON_FILE: paths['refused.txt'],
  };
  return {
    KEDI_TASK_ID: turn.taskId,
    KEDI_CONTEXT_ID: turn.contextId,
    KEDI_MESSAGE_ID: turn.messageId,
    KEDI_WORKSPACE: turn.workspace,
    ...Object.fromEntries(
      Object.entries(files).flatMap(([name, path]) => (path === undefined ? [] : [[name, path]])),
    ),
  };
}

/** The whole of stdout as one document, byte for byte; too much of it: KediError RESULT_TOO_LARGE, and no more is kept. */
function gatherDocument(program: string) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    push(bytes: Uint8Array): void {
      length += bytes.length;
      if (length > largestDocument) {
        throw new KediError(
          'RESULT_TOO_LARGE',
          `The program ${program} wrote more than ${largestDocument} bytes where one JSON document was expected.`,
        );
      }
      pieces.push(bytes);
    },
    text(): string {
      try {
        return utf8.decode(Buffer.concat(pieces));
      } catch (cause) {
        throw new KediError('RESULT_MALFORMED', `What the program ${program} wrote is not valid UTF-8.`, {
          cause,
        });
      }
    },
  };
}

/** A byte-order mark is kept, to be refused like any other byte that is not JSON. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
