import { Command, Option } from 'commander';
import { type Answer, askLive, type Question } from '../client/ask.js';
import { openPeer } from '../client/peer.js';
import { type Product, produceLive } from '../client/produce.js';
import { textOfParts } from '../client/task-view.js';
import { KediError } from '../domain/errors.js';
import type { Part } from '../domain/message.js';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../protocol/kedi-extension.js';
import { createJudge } from '../schema/index.js';
import { readDuration } from '../server/units.js';
import { addCredentialOptions, type CredentialFlags, readCredentials } from './credentials.js';
import { write } from './output.js';
import { readPrompt, readSchemaText } from './prompt.js';
import { interruption } from './signals.js';

interface Flags extends CredentialFlags {
  readonly schema?: string;
  readonly stream?: true;
  readonly context?: string;
  readonly task?: string;
  readonly timeout?: string;
}

/** The exit status when the peer has a question, in place of an answer. */
const QUESTION = 5;

/** `kedi-a2a call`: asks an agent, in words or for a typed answer. */
export const callCommand = (): Command =>
  addCredentialOptions(
    new Command('call')
      .description(
        'Ask an A2A agent: the answer, or the exact document, is written to stdout and all else to stderr. Ctrl-C cancels the task.',
      )
      .argument('<url>', 'the agent: its base URL, or that of its card')
      .argument('[prompt]', 'what to ask; - or nothing: stdin')
      .addOption(new Option('--schema <FILE_OR_JSON>', 'JSON Schema that the answer must fulfil'))
      .addOption(
        new Option('--stream', 'write the answer as it comes; for a typed one, its progress to stderr'),
      )
      .addOption(new Option('--context <ID>', 'go on with this conversation'))
      .addOption(new Option('--task <ID>', 'answer the question of this task'))
      .addOption(new Option('--timeout <TIME>', 'cancel the task after this time, such as 30s or 5m')),
  )
    .addHelpText('after', exitStatuses)
    .action(async (url: string, prompt: string | undefined, flags: Flags) => {
      process.exitCode = await call(url, prompt, flags);
    });

const exitStatuses = `
Exit status:
  0  done
  1  anything else: no such agent, wrong flags
  2  the request or its schema is refused
  3  the agent failed, declined, or its result is refused
  4  canceled, timed out, interrupted, or the agent is busy
  5  the agent has a question: answer it with --context and --task`;

async function call(url: string, argument: string | undefined, flags: Flags): Promise<number> {
  const credentials = readCredentials(flags, process.env);
  const stream = flags.stream === true;
  const { signal, release } = interruption({ timeoutMs: readTimeout(flags.timeout) });
  const judge = createJudge();
  try {
    const schema =
      flags.schema === undefined ? undefined : await judge.compile(await readSchemaText(flags.schema));
    const request = {
      prompt: await readPrompt(argument, signal),
      contextId: flags.context,
      taskId: flags.task,
    };
    const extensions = schema === undefined ? [] : [KEDI_STRUCTURED_OUTPUT_URI];
    const peer = await openPeer(url, { credentials, extensions, signal });
    return schema === undefined
      ? await printAnswer(askLive(peer, request, signal), { stream })
      : await printDocument(produceLive(peer, { ...request, schema }, signal), { stream });
  } catch (error) {
    if (error instanceof KediError || !signal.aborted) throw error;
    const timedOut = signal.reason instanceof Error && signal.reason.name === 'TimeoutError';
    throw new KediError(timedOut ? 'TIMED_OUT' : 'CANCELED', 'The call ended before anything was sent.', {
      cause: error,
    });
  } finally {
    release();
    await judge.close();
  }
}

async function printAnswer(
  asked: ReturnType<typeof askLive>,
  { stream }: { readonly stream: boolean },
): Promise<number> {
  let said = '';
  for (;;) {
    const { done, value } = await asked.next();
    if (done !== true) {
      said += value;
      if (stream) await write(process.stdout, value);
      continue;
    }
    if (value.kind === 'question') return await printQuestion(value);
    const { document } = value;
    if (document !== undefined) {
      await printTyped({ ...value, document }, { stream, said });
      await printPlace(value);
      return 0;
    }
    // A peer that says it all in its last status, or not in pieces, has streamed nothing.
    const rest = stream && said !== '' ? '' : value.text;
    const end = value.text === '' || value.text.endsWith('\n') ? '' : '\n';
    await write(process.stdout, rest + end);
    for (const part of value.parts) await write(process.stderr, describePart(part));
    await printPlace(value);
    return 0;
  }
}

async function printDocument(
  produced: ReturnType<typeof produceLive>,
  { stream }: { readonly stream: boolean },
): Promise<number> {
  for (;;) {
    const { done, value } = await produced.next();
    if (done !== true) {
      if (stream && value.kind === 'status') await write(process.stderr, `${value.status.state}\n`);
      continue;
    }
    if (value.kind === 'question') return await printQuestion(value);
    await printResult(value.document);
    await printPlace(value);
    return 0;
  }
}

/** A typed answer to a call in words: the document as for a typed call, and what stands beside it on stderr. */
async function printTyped(
  { document, parts }: { readonly document: string; readonly parts: readonly Part[] },
  { stream, said }: { readonly stream: boolean; readonly said: string },
): Promise<void> {
  const isResult = (part: Part): boolean =>
    (part.kind === 'data' && part.json === document) ||
    (part.kind === 'raw' && Buffer.from(part.bytes).toString().trim() === document);
  // A data part has come as text already, and a raw one has not.
  const streamed = stream && parts.some((part) => part.kind === 'data' && isResult(part));
  if (!streamed) await printResult(stream && said !== '' ? `\n\n${document}` : document);
  const beside = parts.filter((part) => !isResult(part));
  const words = stream ? '' : textOfParts(beside);
  await write(process.stderr, words === '' ? '' : `${words}\n`);
  for (const part of beside) await write(process.stderr, describePart(part));
}

async function printResult(document: string): Promise<void> {
  await write(process.stdout, document);
  // The document ends without a line ending of its own; a terminal wants one, a file must not get it.
  if (process.stdout.isTTY === true) await write(process.stderr, '\n');
}

async function printQuestion(question: Question): Promise<number> {
  const what = question.auth ? 'The agent needs a credential' : 'The agent asks';
  await write(process.stderr, `${what}: ${question.text}\n`);
  await printPlace(question);
  return QUESTION;
}

/** How to go on: the flags of the next call. */
const printPlace = ({ contextId, taskId, kind }: Answer | Product): Promise<void> => {
  const flags = [
    ...(contextId === undefined ? [] : [`--context ${contextId}`]),
    ...(kind === 'question' ? [`--task ${taskId}`] : []),
  ];
  return write(process.stderr, flags.length === 0 ? '' : `to go on: ${flags.join(' ')}\n`);
};

function describePart(part: Part): string {
  const name = [part.filename, part.mediaType].filter((word) => word !== undefined).join(', ');
  switch (part.kind) {
    case 'raw':
      return `a file of ${part.bytes.byteLength} bytes: ${name}\n`;
    case 'url':
      return `a file at ${part.url}${name === '' ? '' : `: ${name}`}\n`;
    default:
      return '';
  }
}

function readTimeout(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const milliseconds = readDuration(text);
  if (milliseconds !== undefined && milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds;
  throw new KediError('SETTINGS_INVALID', `--timeout: a time such as 30s or 5m is expected, not "${text}".`);
}
