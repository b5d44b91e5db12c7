// What the scripts that need Python share: environments under .cache/ and a server of our own.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Ends the script with a line that CI shows; a part that cannot run here has not failed. */
export function skip(reason) {
  console.log(`SKIPPED: ${reason}`);
  process.exit(0);
}

/**
 * The Python of the environment `.cache/NAME` with these requirements in it; made once and kept as long as they stay the
 * same. Undefined, after pip has said why, where they cannot be had.
 */
export function environment(name, requirements, { minor = 10 } = {}) {
  const found = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'].find((candidate) => {
    const { status } = spawnSync(candidate, ['-c', `import sys; sys.exit(sys.version_info < (3, ${minor}))`]);
    return status === 0;
  });
  if (found === undefined) skip(`Python 3.${minor} or later is not installed`);
  const directory = join(root, '.cache', name);
  const python = join(directory, 'bin/python');
  const stamp = join(directory, 'requirements.txt');
  const wanted = `${requirements.join('\n')}\n`;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && works(python)) return python;
  mkdirSync(join(root, '.cache'), { recursive: true });
  const made = spawnSync(found, ['-m', 'venv', '--clear', directory], { stdio: 'inherit' });
  if (made.status !== 0) skip('Python cannot make a virtual environment (its venv module is missing)');
  const pip = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '--retries',
    '1',
    '--timeout',
    '20',
  ];
  const { status } = spawnSync(python, [...pip, ...requirements], { stdio: 'inherit', timeout: 300_000 });
  if (status !== 0) return undefined;
  writeFileSync(stamp, wanted);
  return python;
}

const works = (python) => spawnSync(python, ['-c', '']).status === 0;

/** Starts the conformance agent on a free port with further flags of `serve`; `stop` ends it. */
export async function serveConformance(flags = [], env = {}) {
  const child = spawn(
    process.execPath,
    [join(root, 'scripts/serve-conformance.js'), '--port', '0', '--log-level', 'warn', ...flags],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } },
  );
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      const match = /^listening on (http:\/\/\S+)$/m.exec(said);
      if (match !== null) resolve(match[1]);
    });
    ended.then((code) => reject(new Error(`The server ended with ${code} before it listened.`)));
  });
  return {
    url,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Runs a program to its end, its output shown; its exit code. */
export function run(program, args, { env = {}, cwd = root } = {}) {
  const child = spawn(program, args, { stdio: 'inherit', cwd, env: { ...process.env, ...env } });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}
