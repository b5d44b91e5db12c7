import { describe, expect, it } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import {
  eventually,
  type Json,
  line,
  message,
  says,
  scripted,
  startA2aHost,
  typed,
} from '../support/a2a-host.js';

/** What each word makes the agent do, and what becomes of the task: the rows of the failures table. */
const rows = [
  ['unavailable', 'AGENT_UNAVAILABLE', 'TASK_STATE_FAILED'],
  ['fail', 'AGENT_FAILED', 'TASK_STATE_FAILED'],
  ['empty', 'AGENT_EMPTY', 'TASK_STATE_FAILED'],
  ['flood', 'OUTPUT_TOO_LARGE', 'TASK_STATE_FAILED'],
  ['unsupported', 'UNSUPPORTED', 'TASK_STATE_FAILED'],
  ['decline', 'REJECTED', 'TASK_STATE_REJECTED'],
  ['hang', 'TIMED_OUT', 'TASK_STATE_FAILED'],
] as const;

const typedRows = [
  ['nothing', 'RESULT_MISSING'],
  ['{', 'RESULT_MALFORMED'],
  ['"x"', 'RESULT_INVALID'],
  [`[${'1,'.repeat(40_000)}1]`, 'RESULT_TOO_LARGE'],
] as const;

const agentKind = scripted(async function* ({ prompt, signal, output }) {
  switch (prompt) {
    case 'unavailable':
      throw new KediError('AGENT_UNAVAILABLE', 'The model cannot be reached.');
    case 'fail':
      throw new KediError('AGENT_FAILED', 'It did not work out.');
    case 'unsupported':
      throw new KediError('UNSUPPORTED', 'That is not offered.');
    case 'empty':
    case 'nothing':
      yield line({ type: 'status', status: 'idle', text: 'Nothing to say.' });
      return { kind: 'done' };
    case 'flood':
      for (;;) yield says('x'.repeat(10_000));
    case 'decline':
      return { kind: 'rejected', reason: 'I would rather not.' };
    case 'hang':
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      signal.throwIfAborted();
      return { kind: 'done' };
    default:
      if (output !== undefined) return { kind: 'json', document: prompt };
      yield says(prompt);
      return { kind: 'done' };
  }
});

describe('Failures', () => {
  it.each(rows)('%s: the task ends with %s in its metadata, in %s', async (word, code, state) => {
    const host = await startA2aHost({ agentKind, flags: { maxLog: '64KiB', taskTimeout: '1s' } });
    const { task } = await host.result('SendMessage', { message: message(word) });
    expect(task.status.state).toBe(state);
    expect(task.status.message.metadata).toEqual({ 'urn:kedi-a2a-server:failure:v1': { code } });
    expect(task.status.message.parts[0].text).toMatch(/^[A-Z].*\.$/);
  });

  it('of typed results carry their codes, and no artifact', async () => {
    const host = await startA2aHost({ agentKind, flags: { maxResult: '64KiB' } });
    for (const [prompt, code] of typedRows) {
      const params = typed(
        { type: 'array', items: { type: 'integer' } },
        { more: { parts: [{ text: prompt }] } },
      );
      const { task } = await host.result('SendMessage', params);
      const [failure] = Object.values<Json>(task.status.message.metadata);
      expect([task.status.state, failure.code]).toEqual(['TASK_STATE_FAILED', code]);
      expect(task).not.toHaveProperty('artifacts');
    }
  });

  it('CANCELED: the task is CANCELED', async () => {
    const host = await startA2aHost({ agentKind });
    const { task } = await host.result('SendMessage', {
      message: message('hang'),
      configuration: { returnImmediately: true },
    });
    const canceled = await host.result('CancelTask', { id: task.id });
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    expect(canceled.status.message.metadata['urn:kedi-a2a-server:failure:v1'].code).toBe('CANCELED');
  });

  it('BUSY: no task is made; -32603, ErrorInfo reason BUSY, HTTP 503, Retry-After', async () => {
    const host = await startA2aHost({ agentKind, flags: { concurrency: '1', pending: '1' } });
    const hanging = { message: message('hang'), configuration: { returnImmediately: true } };
    await host.result('SendMessage', hanging);
    await eventually(
      async () => (await host.result('ListTasks', { status: 'TASK_STATE_WORKING' })).totalSize === 1,
    );
    await host.result('SendMessage', hanging);
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 9, method, params: hanging });
      const { status, headers, text } = await host.post(body);
      expect(status).toBe(503);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.parse(text)).toMatchObject({ id: 9, error: { code: -32603, data: [{ reason: 'BUSY' }] } });
    }
    expect((await host.result('ListTasks')).totalSize).toBe(2);
  });

  it('a prompt over the limit fails its task, under our own URI', async () => {
    const host = await startA2aHost({ agentKind, flags: { maxPrompt: '1KiB' } });
    const { task } = await host.result('SendMessage', { message: message('x'.repeat(1_025)) });
    expect(task.status.message.metadata).toEqual({
      'urn:kedi-a2a-server:failure:v1': { code: 'REQUEST_MALFORMED' },
    });
    const longest = await host.result('SendMessage', { message: message('x'.repeat(1_024)) });
    expect(longest.task.status.state).toBe('TASK_STATE_COMPLETED');
  });
});
