import { readFile, realpath, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { RequestError } from '@agentclientprotocol/sdk';
import { type Shape, textAt } from '../kit/json-line.js';

/** Whether an agent may read and write files through its client. */
export type FileAccess = 'off' | 'read' | 'write';

/**
 * The file methods of ACP v1 for an agent that works in `directory`, and no further: a path that leads out of it, by
 * `..` or by a link, is refused. `undefined` where it is no such method or it is not allowed.
 */
export function answerFiles({
  directory,
  access,
}: {
  readonly directory: string;
  readonly access: FileAccess;
}): (method: string, params: Shape) => Promise<Shape> | undefined {
  return (method, params) => {
    if (method === 'fs/read_text_file' && access !== 'off') return read(directory, params);
    if (method === 'fs/write_text_file' && access === 'write') return write(directory, params);
    return undefined;
  };
}

/** The most that is read of a file; agents page through what is longer. */
const largestFile = 8 * 1024 * 1024;

async function read(directory: string, params: Shape): Promise<Shape> {
  const path = await inside(directory, await realpath(asked(params)).catch(notFound(params)));
  const content = (await readFile(path)).subarray(0, largestFile).toString('utf8');
  const { line, limit } = params;
  if (typeof line !== 'number' && typeof limit !== 'number') return { content };
  const first = typeof line === 'number' ? Math.max(0, line - 1) : 0;
  const last = typeof limit === 'number' ? first + limit : undefined;
  return { content: content.split('\n').slice(first, last).join('\n') };
}

async function write(directory: string, params: Shape): Promise<Shape> {
  const path = asked(params);
  // The file need not exist; its directory must, and where a link in its place leads is looked at too.
  const parent = await realpath(dirname(path)).catch(notFound(params));
  const place = join(parent, path.slice(dirname(path).length));
  const target = await realpath(place).catch(() => place);
  await writeFile(await inside(directory, target), textAt(params, 'content') ?? '');
  return {};
}

function asked(params: Shape): string {
  const path = textAt(params, 'path') ?? '';
  if (isAbsolute(path)) return resolve(path);
  throw RequestError.invalidParams(undefined, 'the path must be absolute');
}

const notFound = (params: Shape) => (): never => {
  throw RequestError.resourceNotFound(textAt(params, 'path'));
};

async function inside(directory: string, path: string): Promise<string> {
  const away = relative(await realpath(directory), path);
  if (away !== '..' && !away.startsWith(`..${sep}`) && !isAbsolute(away)) return path;
  throw RequestError.invalidParams(undefined, 'the path is outside of the working directory');
}
