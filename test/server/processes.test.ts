import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerOf, eventually, type Json, message, typed } from '../support/a2a-host.js';
import { type ServerProcess, startServer } from '../support/server.js';
import { temporaryDirectory } from '../support/temporary.js';

// Real processes: the command as users run it, and agents that are programs with children of their own.

async function call({ url }: { readonly url: string }, method: string, params: unknown = {}): Promise<Json> {
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  if (response.headers.get('content-type') !== 'text/event-stream') return JSON.parse(text);
  return text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => JSON.parse(event.slice(6)).result);
}

/** Says that it begins, starts a child, and both write where they live to a file named by the prompt. */
const script = `read name; echo begun; sleep 300 & echo $$ $! > "$0/$name"; wait`;

async function start(dataDir?: string) {
  const notes = await temporaryDirectory();
  const server = await startServer({
    agent: 'command',
    options: { command: ['sh', '-c', script, notes] },
    flags: ['--grace', '500ms'],
    ...(dataDir !== undefined && { dataDir }),
  });
  const pidsOf = (name: string): Promise<readonly number[]> =>
    eventually(async () => {
      const text = await readFile(join(notes, name), 'utf8').catch(() => '');
      return text.endsWith('\n') ? text.split(/\s+/).filter(Boolean).map(Number) : undefined;
    });
  return { server, pidsOf };
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The task that runs in a context. */
const idOf = (server: ServerProcess, contextId: string): Promise<string> =>
  eventually(async () => {
    const { result } = await call(server, 'ListTasks', { contextId, status: 'TASK_STATE_WORKING' });
    return result.tasks[0]?.id;
  });

describe('cancel', () => {
  it.each(['SendMessage', 'SendStreamingMessage'])('stops the whole process group of %s', async (method) => {
    const { server, pidsOf } = await start();
    const answered = call(server, method, { message: message('who', { contextId: 'c' }) });
    const pids = await pidsOf('who');
    expect(pids).toHaveLength(2);
    const { result } = await call(server, 'CancelTask', { id: await idOf(server, 'c') });
    expect(result.status.state).toBe('TASK_STATE_CANCELED');
    await eventually(() => !pids.some(lives));
    const answer = await answered;
    const last = method === 'SendMessage' ? answer.result.task : answer.at(-1).statusUpdate;
    expect(last.status.state).toBe('TASK_STATE_CANCELED');
  });
});

describe('a client that disconnects', () => {
  it('leaves the program running', async () => {
    const { server, pidsOf } = await start();
    const controller = new AbortController();
    const request = fetch(`${server.url}/a2a`, {
      method: 'POST',
      signal: controller.signal,
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: { message: message('gone') },
      }),
    });
    const pids = await pidsOf('gone');
    controller.abort();
    await expect(request).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(pids.every(lives)).toBe(true);
    const { result } = await call(server, 'ListTasks');
    expect(result.tasks[0].status.state).toBe('TASK_STATE_WORKING');
    await server.stop();
    await eventually(() => !pids.some(lives));
  });
});

describe('kill -9 of the server', () => {
  it('loses nothing that a client has seen: what ran is FAILED with INTERRUPTED, what was done reads as before', async () => {
    const first = await startServer({
      agent: 'command',
      options: { command: ['sh', '-c', 'cat; sleep "$0"', '0'] },
    });
    const params = typed({ type: 'object' }, { more: { parts: [{ text: '{"n": 9007199254740993}' }] } });
    const { result: done } = await call(first, 'SendMessage', params);
    await first.stop();

    const { server, pidsOf } = await start(first.dataDir);
    await call(server, 'SendMessage', {
      message: message('cut', { contextId: 'cut' }),
      configuration: { returnImmediately: true },
    });
    const pids = await pidsOf('cut');
    const id = await idOf(server, 'cut');
    // What a client has seen is in the log.
    await eventually(async () => answerOf((await call(server, 'GetTask', { id })).result).includes('begun'));
    expect(await server.stop('SIGKILL')).toBe('SIGKILL');
    await eventually(() => !pids.some(lives));

    const { server: second } = await start(first.dataDir);
    const { result: cut } = await call(second, 'GetTask', { id });
    expect(cut.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(cut.status.message.metadata)).toContain('INTERRUPTED');
    expect(answerOf(cut)).toContain('begun');
    expect((await call(second, 'GetTask', { id: done.task.id })).result).toEqual(done.task);
    expect((await call(second, 'CancelTask', { id })).error.code).toBe(-32002);
  });
});

describe('SIGTERM', () => {
  it('leaves nothing running', async () => {
    const { server, pidsOf } = await start();
    const answered = call(server, 'SendStreamingMessage', { message: message('last') });
    const pids = await pidsOf('last');
    const stopped = server.stop('SIGTERM');
    const events = await answered;
    expect(events.at(-1).statusUpdate.status.state).toMatch(/^TASK_STATE_(CANCELED|FAILED)$/);
    expect(await stopped).toBe(0);
    await eventually(() => !pids.some(lives));
  });
});

describe('two contexts', () => {
  it('run in parallel, and one runs in order', async () => {
    const { server, pidsOf } = await start();
    const begin = (name: string, contextId: string) =>
      call(server, 'SendMessage', {
        message: message(name, { contextId }),
        configuration: { returnImmediately: true },
      });
    await begin('a1', 'a');
    await begin('a2', 'a');
    await begin('b1', 'b');
    const [first] = await Promise.all([pidsOf('a1'), pidsOf('b1')]);
    const { result } = await call(server, 'ListTasks', { contextId: 'a', status: 'TASK_STATE_SUBMITTED' });
    expect(result.totalSize).toBe(1);
    await call(server, 'CancelTask', { id: await idOf(server, 'a') });
    await pidsOf('a2');
    await eventually(() => !first.some(lives));
  });
});
