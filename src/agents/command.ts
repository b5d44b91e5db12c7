import { resolve } from 'node:path';
import type { Agent, AgentKind, Line, Outcome, Turn } from '../domain/agent.js';
import { KediError } from '../domain/errors.js';
import { openDeadline } from './kit/deadline.js';
import { childEnvironment } from './kit/environment.js';
import { listOption, mapOption, numberOption, textOption } from './kit/options.js';
import { plainText } from './kit/plain-text.js';
import { type Ending, resolveProgram, startProcess } from './kit/process.js';
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
      cwd: {
        type: 'string',
        minLength: 1,
        description: "A working directory shared by all requests, instead of each context's own workspace.",
      },
      env: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Further environment variables of the program.',
      },
      passEnv: {
        type: 'array',
        items: { type: 'string', minLength: 1 },
        description: "Names of variables of the server's environment that the program gets too.",
      },
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
  create: (options, { env, directory }): Agent => {
    const [program = '', ...args] = listOption(options, 'command');
    const cwd = textOption(options, 'cwd');
    const settings: Settings = {
      program: resolveProgram(program, directory),
      args,
      cwd: cwd === undefined ? undefined : resolve(directory, cwd),
      env: childEnvironment(env, {
        names: listOption(options, 'passEnv'),
        extra: mapOption(options, 'env'),
      }),
      timeoutMs: numberOption(options, 'timeoutMs'),
    };
    return { run: (turn) => run(turn, settings) };
  },
};

interface Settings {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number | undefined;
}

/** No document larger than this is gathered, whatever the server's own bound on results is. */
const largestDocument = 32 * 1024 * 1024;

async function* run(turn: Turn, settings: Settings): AsyncGenerator<Line, Outcome, void> {
  const { program, args, timeoutMs } = settings;
  const message = `The program ${program} did not end within ${timeoutMs} ms.`;
  const deadline = openDeadline(turn.signal, { afterMs: timeoutMs, message });
  const scratch = await openScratch(scratchFiles(turn));
  try {
    const child = await startProcess({
      program,
      args,
      cwd: settings.cwd ?? turn.workspace,
      env: { ...settings.env, ...variables(turn, scratch.paths) },
      input: turn.prompt,
      pieces: true,
      signal: deadline.signal,
    });
    const errors = openTail();
    const answer = turn.output === undefined ? undefined : gatherDocument(program);
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
      checkEnding(program, { ending: await child.ended(), errors: errors.text() });
      return answer === undefined ? { kind: 'done' } : { kind: 'json', document: answer.text() };
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

function checkEnding(
  program: string,
  { ending, errors }: { readonly ending: Ending; readonly errors: string },
): void {
  if (ending.exitCode === 0) return;
  const how =
    ending.signal === undefined ? `ended with exit code ${ending.exitCode}` : `was ended by ${ending.signal}`;
  const why = errors === '' ? '; it wrote nothing to stderr.' : `:\n${errors}`;
  throw new KediError('AGENT_FAILED', `The program ${program} ${how}${why}`);
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
