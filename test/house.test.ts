import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryDirectory } from './support/temporary.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');

const sources = async () =>
  (await readdir(join(root, 'src'), { recursive: true }))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join('src', path));

/** What the lint says about a copy of the sources into which these files were planted. */
async function lintWith(files: Readonly<Record<string, string>>): Promise<string> {
  const copy = await temporaryDirectory();
  for (const name of ['src', 'biome.json', '.gitignore', 'package.json']) {
    await cp(join(root, name), join(copy, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(copy, path)), { recursive: true });
    await writeFile(join(copy, path), text);
  }
  const args = [biome, 'lint', '--colors=off', '--reporter=github', ...Object.keys(files)];
  return await promisify(execFile)(process.execPath, args, { cwd: copy }).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: { readonly stdout: string; readonly stderr: string }) => error.stdout + error.stderr,
  );
}

const planted = (target: string) => `import * as planted from '${target}';\n\nexport const use = planted;\n`;

const lint = async (rows: readonly (readonly [string, string])[]) => {
  const found = await lintWith(Object.fromEntries(rows.map(([path, target]) => [path, planted(target)])));
  return (rule: string, path: string) =>
    found.split('\n').some((line) => line.includes(rule) && line.includes(path));
};

describe('Imports', () => {
  const up = [
    ['src/domain/planted.ts', '../schema/document.js'],
    ['src/domain/planted-package.ts', 'uuid'],
    ['src/domain/planted-builtin.ts', 'node:fs'],
    ['src/schema/planted.ts', '../protocol/sse.js'],
    ['src/schema/keywords/planted.ts', '../../server/settings.js'],
    ['src/protocol/planted.ts', '../client/ask.js'],
    ['src/client/planted.ts', '../agents/index.js'],
    ['src/agents/planted.ts', '../client/ask.js'],
    ['src/agents/kit/planted.ts', '../../engine/index.js'],
    ['src/agents/a2a.ts', '../store/index.js'],
    ['src/engine/planted.ts', '../store/index.js'],
    ['src/store/planted.ts', '../engine/index.js'],
    ['src/chat/planted.ts', '../store/index.js'],
    ['src/server/planted.ts', '../cli/output.js'],
    ['src/server/planted-roof.ts', '../index.js'],
    ['src/acp/planted.ts', '../cli/output.js'],
  ] as const;
  const down = [
    ['src/server/planted.ts', '../engine/bounds.js'],
    ['src/agents/a2a.ts', '../client/ask.js'],
    ['src/protocol/planted.ts', '../schema/document.js'],
    ['src/cli/planted.ts', '../server/settings.js'],
  ] as const;
  const circle = [
    ['src/server/planted-one.ts', './planted-two.js'],
    ['src/server/planted-two.ts', './planted-one.js'],
  ] as const;

  it('never go up', async () => {
    const caught = await lint(up);
    expect(up.filter(([path]) => !caught('noRestrictedImports', path))).toEqual([]);
  });

  it('may go down', async () => {
    const caught = await lint(down);
    expect(down.filter(([path]) => caught('noRestrictedImports', path))).toEqual([]);
  });

  it('never go in a circle', async () => {
    const caught = await lint(circle);
    expect(circle.filter(([path]) => !caught('noImportCycles', path))).toEqual([]);
  });
});

describe('Files', () => {
  it('have at most 250 lines, or say in the first one why not', async () => {
    const long: string[] = [];
    for (const path of await sources()) {
      const lines = (await readFile(join(root, path), 'utf8')).split('\n');
      if (lines.length > 250 && lines[0]?.startsWith('// ') !== true) long.push(`${path}: ${lines.length}`);
    }
    expect(long).toEqual([]);
  });

  it('have names that say something', async () => {
    const vague = (await sources()).filter(
      (path) =>
        /^(utils?|helpers?|common|misc|types)$/.test(basename(path, '.ts')) ||
        dirname(relative('src', path))
          .split('/')
          .some((folder) => /^(utils?|helpers?|common|misc|types)$/.test(folder)),
    );
    expect(vague).toEqual([]);
  });
});
