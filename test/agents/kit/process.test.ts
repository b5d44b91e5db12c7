import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutputLine } from '../../../src/agents/kit/output.js';
import { type AgentProcess, type ProcessOptions, startProcess } from '../../../src/agents/kit/process.js';
import { fixture, isAlive, stillAlive } from '../support/processes.js';

const start = async (
  name: string,
  options: Partial<ProcessOptions> & { readonly args?: readonly string[] } = {},
): Promise<AgentProcess> => {
  const child = await startProcess({
    program: name.includes('/') ? name : fixture(name),
    args: [],
    cwd: '/',
    env: { PATH: process.env.PATH ?? '' },
    input: '',
    signal: new AbortController().signal,
    ...options,
  });
  onTestFinished(child.stop);
  return child;
};

const all = async (child: AgentProcess): Promise<OutputLine[]> => {
  const lines: OutputLine[] = [];
  for await (const line of child.lines()) lines.push(line);
  return lines;
};

const texts = (lines: readonly OutputLine[]): string[] =>
  lines.map(({ channel, bytes }) => `${channel}: ${Buffer.from(bytes)}`);

const nothing: OutputLine = { channel: 'stderr', bytes: Buffer.from('nothing'), whole: false };

const firstLine = async (child: AgentProcess): Promise<string> => {
  for await (const { bytes } of child.lines()) return Buffer.from(bytes).toString();
  throw new Error('it wrote nothing');
};

describe('a program as lines', () => {
  it('gets its input and then the end of it, and both channels are read', async () => {
    const child = await start('parrot.sh', { input: 'one\ntwo' });
    expect(texts(await all(child))).toEqual(['stdout: one', 'stdout: two']);
    expect(await child.ended()).toEqual({ exitCode: 0 });

    const failing = await start('fail.sh', { args: ['3'] });
    const written = texts(await all(failing));
    expect(written).toContain('stdout: half an answer');
    expect(written.filter((line) => line.startsWith('stderr: complaint'))).toHaveLength(12);
    expect(await failing.ended()).toEqual({ exitCode: 3 });
  });

  it('that is asked for its pieces is given them as they come', async () => {
    const child = await start('tokens.sh', { pieces: true });
    const pieces = texts(await all(child));
    expect(pieces.length).toBeGreaterThanOrEqual(4);
    expect(pieces.map((piece) => piece.slice('stdout: '.length)).join('')).toBe('to be or not\n');
  });

  it('may write a line of any length on either channel, and nothing waits for its end', async () => {
    const long = (length: number) => `head -c ${length} /dev/zero | tr '\\0' x`;
    const script = `${long(40_000_000)} >&2; ${long(5_000_000)}; echo; echo last`;
    const child = await start('/bin/sh', { args: ['-c', script] });
    const lines = await all(child);
    const length = (wanted: OutputLine['channel']) =>
      lines.reduce((sum, { channel, bytes }) => sum + (channel === wanted ? bytes.length : 0), 0);
    expect(length('stderr')).toBe(40_000_000);
    expect(length('stdout')).toBe(5_000_004);
    expect(texts(lines)).toContain('stdout: last');
    expect(await child.ended()).toEqual({ exitCode: 0 });
  });

  it('that does not read its input is no failure, whatever the size of the input', async () => {
    const child = await start('say.sh', { args: ['done'], input: 'x'.repeat(2_000_000) });
    expect(texts(await all(child))).toEqual(['stdout: done']);
    expect(await child.ended()).toEqual({ exitCode: 0 });
  });

  it('is spoken with for as long as one likes', async () => {
    const child = await start('parrot.sh', { input: undefined });
    const lines = child.lines();
    await child.write('first\n');
    expect(texts([(await lines.next()).value ?? nothing])).toEqual(['stdout: first']);
    await child.write('second\n');
    expect(texts([(await lines.next()).value ?? nothing])).toEqual(['stdout: second']);
    child.closeInput();
    expect((await lines.next()).done).toBe(true);
    expect(await child.ended()).toEqual({ exitCode: 0 });
    await child.write('into the void\n');
  });

  it('ends by a signal of somebody else, and says which', async () => {
    const child = await start('hang.sh');
    await delay(200);
    process.kill(child.pid, 'SIGKILL');
    expect(texts(await all(child))).toEqual(['stdout: half a li']);
    expect(await child.ended()).toEqual({ signal: 'SIGKILL' });
  });

  it('that closes stdout and goes on is waited for', async () => {
    const child = await start('close-stdout.sh', { args: ['7'] });
    expect(texts(await all(child))).toEqual(['stdout: before', 'stderr: after']);
    expect(await child.ended()).toEqual({ exitCode: 7 });
  });

  it('writes no faster than it is read', async () => {
    const child = await start('flood.sh', { args: ['40'], pieces: true });
    const lines = child.lines();
    await lines.next();
    const before = process.memoryUsage().arrayBuffers;
    await delay(500);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8_000_000);
    expect(isAlive(child.pid)).toBe(true);
    let length = 0;
    for await (const { bytes } of lines) length += bytes.length;
    expect(length).toBeGreaterThan(39_000_000);
    expect(await child.ended()).toEqual({ exitCode: 0 });
  });
});

describe('a program that ends before it is read', () => {
  it('has all of its output read, however slowly', async () => {
    const bytes = 1_150_000;
    const child = await start('head', {
      program: 'head',
      args: ['-c', `${bytes}`, '/dev/zero'],
      pieces: true,
    });
    await delay(400);
    expect(isAlive(child.pid)).toBe(false);
    const lines = child.lines();
    let length = (await lines.next()).value?.bytes.length ?? 0;
    await delay(600);
    for await (const line of lines) length += line.bytes.length;
    expect(length).toBe(bytes);
  });

  it('has its output read by a server that was busy meanwhile, and a stranger that holds the pipe is not waited for', async () => {
    const child = await start('leave-child.sh', {
      program: 'sh',
      args: ['-c', 'env -i setsid sleep 3 & sleep 0.1; echo late'],
    });
    const until = performance.now() + 700;
    while (performance.now() < until);
    expect(texts(await all(child))).toEqual(['stdout: late']);
  });
});

describe('a program that cannot be started', () => {
  const refused = (name: string, options: Partial<ProcessOptions> = {}) =>
    expect(start(name, options)).rejects;

  it('because there is none of that name', async () => {
    await refused('/no/such/program').toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The program /no/such/program cannot be started: there is no such file.',
    });
    await refused('no-such', { program: 'no-such-program' }).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The program no-such-program cannot be started: it is not found on the PATH.',
    });
  });

  it('because its directory is none, or it is no program, or its arguments are too long', async () => {
    await refused('parrot.sh', { cwd: '/no/such/directory' }).toMatchObject({
      message: expect.stringContaining('its working directory /no/such/directory does not exist'),
    });
    await refused('/etc/passwd').toMatchObject({
      message: expect.stringContaining('not an executable file'),
    });
    await refused('say.sh', { args: ['x'.repeat(3_000_000)] }).toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringContaining('longer than the system allows'),
    });
    await refused('say.sh', { args: ['nul\0'] }).toMatchObject({ code: 'AGENT_UNAVAILABLE' });
  });

  it('because it was canceled before', async () => {
    const reason = new Error('canceled');
    await refused('parrot.sh', { signal: AbortSignal.abort(reason) }).toBe(reason);
  });
});

describe('no process is left', () => {
  it('of one that ignores TERM, nor of its children, once it is stopped', async () => {
    const child = await start('stubborn.sh', { graceMs: 100 });
    const pids = (await firstLine(child)).split(' ').map(Number);
    expect(pids.filter(isAlive)).toHaveLength(2);
    await child.stop();
    expect(stillAlive(pids)).toEqual([]);
  });

  it('when it is canceled while nobody pulls', async () => {
    const controller = new AbortController();
    const child = await start('stubborn.sh', { graceMs: 100, signal: controller.signal });
    const pids = (await firstLine(child)).split(' ').map(Number);
    controller.abort(new Error('canceled'));
    await delay(400);
    expect(stillAlive(pids)).toEqual([]);
    await expect(child.ended()).rejects.toThrow('canceled');
  });

  it('when it is canceled in the middle of a line, which is then not given as a whole one', async () => {
    const controller = new AbortController();
    const child = await start('hang.sh', { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('canceled')), 100);
    const lines: OutputLine[] = [];
    await expect(
      (async () => {
        for await (const line of child.lines()) lines.push(line);
      })(),
    ).rejects.toThrow('canceled');
    expect(lines).toEqual([]);
    await child.stop();
    expect(stillAlive([child.pid])).toEqual([]);
  });

  it('of the children that outlive a program that has ended, though they hold its stdout', async () => {
    const child = await start('leave-child.sh');
    const pids = texts(await all(child)).map((line) => Number(line.split(' ')[1]));
    expect(await child.ended()).toEqual({ exitCode: 0 });
    expect(pids).toHaveLength(1);
    expect(stillAlive(pids)).toEqual([]);
  });

  it.runIf(process.platform === 'linux').each([
    ['of those that made a session of their own', 'leave-daemon.sh'],
    ['of those that made a session of their own and ignore TERM', 'leave-stubborn-daemon.sh'],
  ])('%s', async (_, name) => {
    const child = await start(name, { graceMs: 100 });
    const pids = texts(await all(child)).map((line) => Number(line.split(' ')[1]));
    expect(await child.ended()).toEqual({ exitCode: 0 });
    expect(pids).toHaveLength(1);
    expect(stillAlive(pids)).toEqual([]);
  });
});
