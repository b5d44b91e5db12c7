import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runCommand } from '../support/server.js';
import { temporaryDirectory } from '../support/temporary.js';

let home: string;
let path: string;

beforeEach(async () => {
  home = await temporaryDirectory();
  path = join(home, 'bin');
  await mkdir(path);
  await symlink('/bin/sh', join(path, 'sh'));
});

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(path, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(path, name), 0o755);
}

async function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const nothing = { ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '', CODEX_HOME: join(home, '.codex') };
  const run = runCommand(['doctor', ...args], { HOME: home, PATH: path, ...nothing, ...env });
  const status = await run.ended();
  return { status, stdout: run.stdout(), stderr: run.stderr() };
}

describe('kedi-a2a doctor', () => {
  it('says where a program is not, and how to get it', async () => {
    const { status, stdout } = await doctor(['codex']);
    expect(status).toBe(1);
    expect(stdout).toBe(
      'codex: not here. The program codex cannot be started: it is not found on the PATH.\n  get it:  npm install --global @openai/codex\n',
    );
  });

  it('says the version of a program, its login, and how it is served', async () => {
    await program('claude', 'echo "2.1.332 (Claude Code)"');
    const { status, stdout } = await doctor(['claude-code'], { ANTHROPIC_API_KEY: 'secret' });
    expect(status).toBe(0);
    expect(stdout).toBe(
      'claude-code: 2.1.332 (Claude Code)\n  login:   ANTHROPIC_API_KEY\n  serve:   kedi-a2a serve --agent claude-code\n',
    );
  });

  it('finds a login in its file, and says where it looked for one that it did not find', async () => {
    await program('codex', 'echo "codex-cli 0.200.0"');
    const { stdout } = await doctor(['codex']);
    expect(stdout).toMatch(
      /^codex: codex-cli 0\.200\.0 \(tested with 0\.171\.0\)\n {2}login: {3}none seen in CODEX_API_KEY, /,
    );
    const file = join(home, '.codex/auth.json');
    await mkdir(dirname(file));
    await writeFile(file, '{}');
    expect((await doctor(['codex'])).stdout).toContain(`  login:   ${file}\n`);
  });

  it('says what is wrong with a program that does not tell its version', async () => {
    await program('gemini', 'echo oh >&2; exit 4');
    const { status, stdout } = await doctor(['gemini']);
    expect(status).toBe(1);
    expect(stdout).toContain('gemini: not here. gemini --version ended with 4 and said nothing\n');
  });

  it('looks for all that are known, and takes none of them for a failure', async () => {
    await program('opencode', 'echo 1.18.33');
    const { status, stdout } = await doctor([]);
    expect(status).toBe(0);
    expect(stdout).toContain(`serve:   kedi-a2a serve --agent acp --agent-options '{"preset":"opencode"}'\n`);
    expect(stdout.match(/^\S+: /gm)).toHaveLength(11);
  });

  it('takes the one program from where it is told to be', async () => {
    await program('other', 'echo 9.9');
    expect((await doctor(['codex', '--bin', join(path, 'other')])).stdout).toMatch(/^codex: 9\.9 /);
    expect(await doctor(['--bin', join(path, 'other')])).toMatchObject({ status: 1, stdout: '' });
  });

  it('knows no program that it does not know', async () => {
    const { status, stderr } = await doctor(['clod']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^kedi-a2a: No program "clod" is known; there are claude-code, codex, opencode, /);
  });
});
