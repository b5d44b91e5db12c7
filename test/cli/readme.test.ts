import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { references, withReferences } from '../../src/cli/reference.js';
import { runCommand } from '../support/server.js';
import { temporaryDirectory } from '../support/temporary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = await readFile(`${root}README.md`, 'utf8');

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
    // Run in the project, so that the package's own name leads to what was built, with its data elsewhere.
    const code = program.join('').replace('process.cwd()', JSON.stringify(await temporaryDirectory()));
    const args = ['--input-type=module', '--eval', code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
    expect(JSON.parse(stdout)).toHaveProperty('name');
  });

  it('has every command', async () => {
    const help = runCommand(['--help']);
    expect(await help.ended()).toBe(0);
    const [, list = ''] = help.stdout().split('Commands:\n');
    const names = [...list.matchAll(/^ {2}(\w+)/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'help');
    expect(names).toContain('serve');
    expect(names.filter((name) => !readme.includes(`| \`kedi-a2a ${name}`))).toEqual([]);
  });

  it('names the scripts that package.json has', async () => {
    const { scripts } = JSON.parse(await readFile(`${root}package.json`, 'utf8'));
    const named = [...readme.matchAll(/npm\s+(?:run\s+)?([a-z:]+)/g)].map(([, script]) => script ?? '');
    const known = new Set([...Object.keys(scripts), 'ci', 'install', 'i']);
    expect(named.filter((script) => !known.has(script))).toEqual([]);
  });
});
