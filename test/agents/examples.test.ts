import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runCommand, startServer } from '../support/server.js';

const example = (name: string): string => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));

const call = async (url: string, ...args: readonly string[]) => {
  const run = runCommand(['call', url, ...args]);
  return { exit: await run.ended(), stdout: run.stdout(), stderr: run.stderr() };
};

describe('the example of a module', () => {
  it('counts words, as a text and as a typed answer, and declines what it cannot know', async () => {
    const { url } = await startServer({ agent: 'module', options: { path: example('word-count.js') } });
    expect(await call(url, 'One two three.')).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('You wrote 3 words of 14 characters. The longest is “three”.'),
    });
    const schema = '{"type":"object","properties":{"words":{"type":"integer"}},"required":["words"]}';
    const typed = await call(url, '--schema', schema, 'One two three.');
    expect(typed).toMatchObject({ exit: 0 });
    expect(typed.stdout.trim()).toBe('{"words":3,"characters":14,"longest":"three"}');
    expect(await call(url, '--schema', '{"type":"string"}', 'One two three.')).toMatchObject({ exit: 3 });
  });

  it('is right in its types', async () => {
    const compiler = join(
      dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
      'bin/tsc',
    );
    const checked = promisify(execFile)(process.execPath, [
      ...[compiler, '--ignoreConfig', '--noEmit', '--strict', '--allowJs', '--checkJs', '--skipLibCheck'],
      ...['--module', 'nodenext', '--target', 'es2022', '--types', 'node', example('word-count.js')],
    ]);
    expect((await checked).stdout).toBe('');
  });
});

describe('the example of a program', () => {
  it('counts lines, as a text and as a typed answer', async () => {
    const { url } = await startServer({ agent: 'command', options: { command: [example('line-count.sh')] } });
    expect(await call(url, 'one\ntwo\n')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^You wrote 2 lines\.\n?$/),
    });
    const typed = await call(url, '--schema', '{"required":["lines"]}', 'one\ntwo\nthree');
    expect(typed.stdout.trim()).toBe('{"lines": 3}');
  });
});
