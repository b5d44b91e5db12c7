import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { KediError } from '../domain/errors.js';

/** The prompt: the argument, or all of stdin where there is none or it is `-`. */
export async function readPrompt(argument: string | undefined, signal: AbortSignal): Promise<string> {
  if (argument !== undefined && argument !== '-') return argument;
  if (process.stdin.isTTY === true && argument === undefined) {
    throw new KediError('SETTINGS_INVALID', 'Give a prompt as an argument, or on stdin.');
  }
  return decode(await buffer(addAbortSignal(signal, process.stdin)), 'The prompt on stdin');
}

/** The text of `--schema`: JSON itself where it looks like a schema, else the file of that name. */
export async function readSchemaText(fileOrJson: string): Promise<string> {
  if (/^\s*(\{|true\s*$|false\s*$)/.test(fileOrJson)) return fileOrJson;
  try {
    return decode(await readFile(fileOrJson), `The schema in ${fileOrJson}`);
  } catch (error) {
    if (error instanceof KediError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new KediError('SCHEMA_MALFORMED', `The schema ${fileOrJson} cannot be read: ${reason}.`, {
      cause: error,
    });
  }
}

function decode(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new KediError('REQUEST_MALFORMED', `${what} is not UTF-8.`, { cause: error });
  }
}
