import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openTerminals, type Terminals } from '../../src/agents/acp-client/terminals.js';
import { temporaryDirectory } from '../support/temporary.js';
import { isAlive } from './support/processes.js';

const opened: Terminals[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((terminals) => terminals.close()));
});

async function open() {
  const directory = await temporaryDirectory();
  const env = { PATH: process.env.PATH ?? '', TOKEN: 'of the agent' };
  const terminals = openTerminals({ directory, env, signal: new AbortController().signal });
  opened.push(terminals);
  const call = (method: string, params: object) => terminals.answer(`terminal/${method}`, { ...params });
  const run = async (script: string, rest: object = {}) => {
    const { terminalId } = (await call('create', { command: 'sh', args: ['-c', script], ...rest })) ?? {};
    return { terminalId };
  };
  return { directory, call, run };
}

describe('a program that an agent runs through its client', () => {
  it('runs in the working directory, with the agent’s environment and what it adds, and its output is read', async () => {
    const { directory, call, run } = await open();
    const at = await run('pwd; echo "$TOKEN $MORE"; echo oops >&2; exit 3', {
      env: [{ name: 'MORE', value: 'more' }],
    });
    expect(await call('wait_for_exit', at)).toEqual({ exitCode: 3, signal: null });
    const output = await call('output', at);
    expect(output).toMatchObject({ truncated: false, exitStatus: { exitCode: 3, signal: null } });
    expect(String(output?.output).split('\n').toSorted()).toEqual(
      ['', directory, 'of the agent more', 'oops'].toSorted(),
    );
  });

  it('keeps the end of what it writes, in whole characters', async () => {
    const { call, run } = await open();
    const at = await run('printf "ääääääääää"', { outputByteLimit: 5 });
    await call('wait_for_exit', at);
    expect(await call('output', at)).toMatchObject({ output: 'ää', truncated: true });
  });

  it('is ended when the agent kills it, or when its turn is over', async () => {
    const { call, run } = await open();
    const at = await run('echo $$; sleep 600');
    let pid = 0;
    while (pid === 0) {
      await delay(20);
      pid = Number((await call('output', at))?.output);
    }
    expect(isAlive(pid)).toBe(true);
    await call('kill', at);
    expect(isAlive(pid)).toBe(false);
    expect(await call('wait_for_exit', at)).toEqual({ exitCode: null, signal: 'SIGTERM' });
  });

  it('is not known any more once it is released', async () => {
    const { call, run } = await open();
    const at = await run('true');
    await call('release', at);
    await expect((async () => call('output', at))()).rejects.toMatchObject({ code: -32002 });
  });
});
