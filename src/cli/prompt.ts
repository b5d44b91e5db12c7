import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { KediError } from '../domain/errors.js';
import { reasonOf } from '../domain/reason.js';

/**
 * The prompt: the argument, or all of stdin where there is none or it is `-`. A terminal without `-`, or nothing but
 * white space on stdin: KediError SETTINGS_INVALID.
 */
export async function readPrompt(argument: string | undefined, signal: AbortSignal): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument;
  if (process.stdin.isTTY === true && argument === undefined) throw noPrompt();
  const prompt = decode(await buffer(addAbortSignal(signal, process.stdin)), 'The prompt on stdin');
  if (prompt.trim() === '') throw noPrompt();
  return prompt;
}

const noPrompt = (): KediError =>
  new KediError('SETTINGS_INVALID', 'Give a prompt as an argument, or on stdin.');

/** The text of `--schema`: JSON itself where it looks like a schema, else the file of that name. */
export async function readSchemaText(fileOrJson: string): Promise<string> {
  if (/^\s*(\{|true\s*$|false\s*$)/.test(fileOrJson)) return fileOrJson;
  try {
    return decode(await readFile(fileOrJson), `The schema in ${fileOrJson}`);
  } catch (error) {
    if (error instanceof KediError) throw error;
    throw new KediError('SETTINGS_INVALID', unreadable(fileOrJson, error), { cause: error });
  }
}

function unreadable(file: string, error: unknown): string {
  const takes = 'It takes the name of a file, or the JSON itself; stdin is for the prompt.';
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'ENOENT':
    case 'ENAMETOOLONG':
      return `--schema: there is no file "${file}". ${takes}`;
    case 'EISDIR':
      return `--schema: "${file}" is a directory. ${takes}`;
    default:
      return `--schema: the file cannot be read: ${reasonOf(error)}.`;
  }
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new KediError('REQUEST_MALFORMED', `${what} is not UTF-8.`, { cause: error });
  }
}
