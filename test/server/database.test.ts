import { afterAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { startPostgres } from '../store/postgres-server.js';
import { eventually, message, says, scripted, startA2aHost } from '../support/a2a-host.js';

const variable = 'A_DATABASE_OF_A_TEST';

const setVariable = (value: string): void => {
  process.env[variable] = value;
  onTestFinished(() => {
    delete process.env[variable];
  });
};

describe('--database-url-env', () => {
  it.each([undefined, '', 'file:store.db', 'secret'])(
    'is refused where its variable holds %s, which is not told',
    async (value) => {
      if (value !== undefined) setVariable(value);
      const started = startA2aHost({ flags: { databaseUrlEnv: variable } });
      await expect(started).rejects.toMatchObject({
        code: 'SETTINGS_INVALID',
        message: `--database-url-env: ${variable} must hold a URL that begins with postgres://.`,
      });
    },
  );

  it('tells that a database cannot be reached, and not its password', async () => {
    setVariable('postgres://kedi:a-password-of-a-test@127.0.0.1:9/kedi');
    const refused = await startA2aHost({ flags: { databaseUrlEnv: variable } }).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(refused).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(String(refused)).not.toContain('a-password');
  });
});

const postgres = await startPostgres();
if (typeof postgres === 'string') test.skip(`a server on PostgreSQL: ${postgres}`, () => {});
else {
  afterAll(() => postgres.stop());

  it('A server on PostgreSQL answers, and another one on the same database knows its tasks', async () => {
    setVariable(await postgres.database());
    const [one, other] = [
      await startA2aHost({ flags: { databaseUrlEnv: variable } }),
      await startA2aHost({ flags: { databaseUrlEnv: variable } }),
    ];
    const { task } = await one.result('SendMessage', { message: message('hello') });
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(await other.result('GetTask', { id: task.id })).toEqual(task);
    expect((await fetch(`${other.url}/readyz`)).status).toBe(200);
  });

  it('A task that asks its client goes on at whichever server is told the answer', async () => {
    setVariable(await postgres.database());
    const agentKind = scripted(async function* ({ prompt }) {
      if (prompt === 'begin') return { kind: 'question', text: 'Which?' };
      yield says(prompt);
      return { kind: 'done' };
    });
    const one = await startA2aHost({ agentKind, flags: { databaseUrlEnv: variable } });
    const other = await startA2aHost({ agentKind, flags: { databaseUrlEnv: variable } });
    const { task } = await one.result('SendMessage', { message: message('begin') });
    expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const answer = { message: { ...message('this one'), taskId: task.id } };
    const { task: ended } = await other.result('SendMessage', answer);
    expect(ended.artifacts[0].parts[0].text).toBe('this one');
    expect(await one.result('GetTask', { id: task.id })).toEqual(ended);
  });

  it('A task that is canceled at another server stops its agent, however long that says nothing', async () => {
    setVariable(await postgres.database());
    let stopped = false;
    const agentKind = scripted(async function* ({ signal }) {
      yield* [];
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      stopped = true;
      return { kind: 'done' };
    });
    const one = await startA2aHost({ agentKind, flags: { databaseUrlEnv: variable } });
    const other = await startA2aHost({ flags: { databaseUrlEnv: variable } });
    const sent = { message: message('hello'), configuration: { returnImmediately: true } };
    const { task } = await one.result('SendMessage', sent);
    const canceled = await other.result('CancelTask', { id: task.id });
    expect(canceled.status.state).toBe('TASK_STATE_CANCELED');
    await eventually(() => stopped);
    expect((await one.result('GetTask', { id: task.id })).status.state).toBe('TASK_STATE_CANCELED');
    expect(one.logged.filter((line) => line.includes('error'))).toEqual([]);
  });
}
