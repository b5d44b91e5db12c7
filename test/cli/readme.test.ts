import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { references, withReferences } from '../../src/cli/reference.js';
import { temporaryDirectory } from '../support/temporary.js';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');

describe('README', () => {
  it('has every generated table, and none is stale (npm run readme writes them)', () => {
    for (const name of Object.keys(references)) expect(readme).toContain(`<!-- ${name} -->\n`);
    expect(withReferences(readme)).toBe(readme);
  });

  it('has a program for those who embed the server that runs as it stands', async () => {
    const program = [...readme.matchAll(/```js\n([\s\S]*?)```/g)].flatMap(([, code = '']) =>
      code.includes('startServer') ? code : [],
    );
    expect(program).toHaveLength(1);
    // Within the project, so that the package's own name leads to what was built.
    const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
    await mkdir(cache, { recursive: true });
    const file = join(cache, `readme-${process.pid}.mjs`);
    onTestFinished(() => rm(file, { force: true }));
    await writeFile(file, program.join(''));
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: await temporaryDirectory(),
    });
    expect(JSON.parse(stdout)).toHaveProperty('name');
  });

  it('names the commands that package.json has', async () => {
    const { scripts } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
    const named = [...readme.matchAll(/npm\s+(?:run\s+)?([a-z:]+)/g)].map(([, script]) => script ?? '');
    const known = new Set([...Object.keys(scripts), 'ci', 'install', 'i']);
    expect(named.filter((script) => !known.has(script))).toEqual([]);
  });
});
