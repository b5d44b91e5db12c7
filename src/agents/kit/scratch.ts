import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Files that last as long as a run. */
export interface Scratch {
  /** Where each of the files is, by its name. */
  readonly paths: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Files for one run of a program (a schema), in a directory of their own that nobody else may read, outside of the
 * workspace; none is made where there are none. To be closed in `finally`.
 */
export async function openScratch(files: Readonly<Record<string, string>>): Promise<Scratch> {
  const contents = Object.entries(files);
  if (contents.length === 0) return { paths: {}, close: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), 'kedi-a2a-'));
  const close = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const paths: Record<string, string> = {};
    for (const [name, text] of contents) {
      const path = join(directory, name);
      await writeFile(path, text, { mode: 0o600 });
      paths[name] = path;
    }
    return { paths, close };
  } catch (error) {
    await close();
    throw error;
  }
}
