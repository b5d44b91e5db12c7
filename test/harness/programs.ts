import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** An installed agent program, at the version that the tests were written for. */
export interface Program {
  readonly name: string;
  readonly version: string;
  readonly bin: string;
  /** The folder in which its packages are installed, for a library that is no program. */
  readonly directory: string;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = process.env.KEDI_HARNESS_CACHE ?? join(root, '.cache/harness');
const pinned: readonly { name: string; package: string; version: string; bin?: string }[] = JSON.parse(
  readFileSync(join(root, 'scripts/harnesses.json'), 'utf8'),
);

/** The program of that name, or why it is not there: a test skips with that reason. */
export function findProgram(name: string): Program | { readonly missing: string } {
  const found = pinned.find((each) => each.name === name);
  if (found === undefined) throw new Error(`scripts/harnesses.json has no ${name}.`);
  const { version, bin } = found;
  if (installedVersion(name) !== version) {
    return {
      missing: `${found.package} ${version} is not in ${cache}: run node scripts/install-harnesses.js`,
    };
  }
  const directory = join(cache, name);
  return { name, version, directory, bin: join(directory, 'node_modules/.bin', bin ?? name) };
}

function installedVersion(name: string): string | undefined {
  try {
    return readFileSync(join(cache, name, 'installed'), 'utf8');
  } catch {
    return undefined;
  }
}
