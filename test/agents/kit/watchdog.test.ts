import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixture, stillAlive } from '../support/processes.js';

const built = fileURLToPath(new URL('../../../dist/agents/kit/process.js', import.meta.url));

/** Starts two agents as a server would, and prints what they print: their process ids. */
const server = `
  const { startProcess } = await import(process.argv[1]);
  const signal = new AbortController().signal;
  for (const program of process.argv.slice(2)) {
    const child = await startProcess({ program, args: [], cwd: '/', env: { PATH: process.env.PATH }, input: '', signal });
    for await (const { bytes } of child.lines()) { console.log(String(bytes)); break; }
  }
  console.log('ready');
  setInterval(() => {}, 1000);
`;

async function startServer(): Promise<{
  end(signal: NodeJS.Signals): Promise<void>;
  pids: readonly number[];
}> {
  if (!existsSync(built)) throw new Error('dist/ is missing: run npm run build first');
  const programs = [fixture('stubborn.sh'), fixture('wander.sh')];
  const child = spawn(process.execPath, ['--input-type=module', '-e', server, built, ...programs], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let written = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    written += text;
    if (written.includes('ready')) break;
  }
  return {
    async end(signal) {
      const exit = once(child, 'exit');
      child.kill(signal);
      await exit;
    },
    pids: (written.match(/\d+/g) ?? []).map(Number),
  };
}

const survivors = async (pids: readonly number[]): Promise<readonly number[]> => {
  for (let tries = 0; tries < 40 && stillAlive(pids).length > 0; tries += 1) await delay(50);
  return stillAlive(pids);
};

describe('a server that is killed outright', () => {
  it('leaves no agent behind, though they ignore TERM and one has made a session of its own', async () => {
    const { end, pids } = await startServer();
    expect(stillAlive(pids)).toHaveLength(3);
    await end('SIGKILL');
    expect(await survivors(pids)).toEqual([]);
  });

  it('and one that is ended by a signal it does not handle leaves none either', async () => {
    const { end, pids } = await startServer();
    await end('SIGTERM');
    expect(await survivors(pids)).toEqual([]);
  });
});
