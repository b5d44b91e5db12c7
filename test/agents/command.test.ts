import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../src/agents/command.js';
import type { Turn } from '../../src/domain/agent.js';
import type { OutputSchema } from '../../src/domain/schema.js';
import { readDocument } from '../../src/schema/document.js';
import { temporaryDirectory } from '../support/temporary.js';
import { fixture, stillAlive } from './support/processes.js';
import { answerOf, bytesOf, eventsOf, finish, newTurn, type Ran } from './support/turn.js';

const env = { PATH: process.env.PATH, LANG: 'C', OPENAI_API_KEY: 'sk-1', KEDI_A2A_SECRET: 'ours' };

const run = async (
  program: readonly string[],
  turn: Partial<Turn> = {},
  options: Readonly<Record<string, unknown>> = {},
): Promise<Ran> => {
  const [name = '', ...args] = program;
  const agent = await command.create(
    { command: [name.endsWith('.sh') ? fixture(name) : name, ...args], ...options },
    { env, directory: '/', warn: () => {} },
  );
  return finish(agent.run(await newTurn(turn)));
};

const schemaText = '{ "type": "object", "maximum": 9007199254740993 }';

const output = (): OutputSchema => {
  const read = readDocument(schemaText);
  if (!read.ok) throw new Error(read.reason);
  return { text: read.json, check: () => Promise.reject(new Error('the agent does not judge')) };
};

const seen = async (workspace: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await readFile(join(workspace, 'environment-seen'), 'utf8'))
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

describe('a program as an agent', () => {
  it('streams what it writes as it writes it, and every byte is in the raw lines', async () => {
    const arrivals: number[] = [];
    const agent = await command.create(
      { command: [fixture('tokens.sh')] },
      { env, directory: '/', warn: () => {} },
    );
    const ran = await finish(agent.run(await newTurn()), () => {
      arrivals.push(performance.now());
    });
    expect(answerOf(ran)).toBe('to be or not');
    expect(bytesOf(ran.lines, 'stdout').toString()).toBe('to be or not\n');
    expect((arrivals[2] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(200);
  });

  it('is known by its stdout alone; its stderr is in the log, line by line', async () => {
    const ran = await run(['close-stdout.sh']);
    expect(answerOf(ran)).toBe('before');
    expect(ran.lines.filter(({ channel }) => channel === 'stderr')).toEqual([
      { raw: Buffer.from('after'), channel: 'stderr', events: undefined },
    ]);
  });

  it('that says nothing has said nothing', async () => {
    const ran = await run(['true']);
    expect(ran).toEqual({ lines: [], outcome: { kind: 'done' } });
    expect((await run(['say.sh', '\\n'], { output: output() })).outcome).toEqual({ kind: 'done' });
  });

  it('has the schema exactly as its client sent it in a file, and the file goes with the run', async () => {
    const workspace = await temporaryDirectory();
    const ran = await run(['typed.sh', '{"a":1.0}'], { workspace, output: output() });
    expect(ran.outcome).toEqual({ kind: 'json', document: '\n  {"a":1.0} \n\n' });
    expect(await readFile(join(workspace, 'schema-seen.json'), 'utf8')).toBe(schemaText);
    const { KEDI_SCHEMA_FILE = '' } = await seen(workspace);
    await expect(readFile(KEDI_SCHEMA_FILE)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('is told which task, context and workspace it works for, and nothing of the server', async () => {
    const workspace = await temporaryDirectory();
    const turn = await newTurn({ workspace, output: output() });
    await run(['typed.sh', '1'], turn, { env: { MODE: 'test' }, passEnv: ['OPENAI_API_KEY'] });
    const environment = await seen(workspace);
    expect(environment).toMatchObject({
      KEDI_TASK_ID: turn.taskId,
      KEDI_CONTEXT_ID: turn.contextId,
      KEDI_MESSAGE_ID: turn.messageId,
      KEDI_WORKSPACE: workspace,
      MODE: 'test',
      OPENAI_API_KEY: 'sk-1',
      PWD: workspace,
    });
    expect(Object.keys(environment).filter((name) => name.startsWith('KEDI_A2A_'))).toEqual([]);
  });

  it('is told on a further attempt what was wrong with its last document', async () => {
    const workspace = await temporaryDirectory();
    const refused = { document: '{"a":', reason: 'the document ends too soon' };
    const ran = await run(['sh', '-c', 'cat "$KEDI_REFUSED_FILE" "$KEDI_REFUSED_REASON_FILE"'], {
      workspace,
      output: output(),
      refused,
    });
    expect(ran.outcome).toEqual({ kind: 'json', document: '{"a":the document ends too soon' });
  });

  it('runs where its option says, and its path is relative to the settings', async () => {
    const agent = await command.create(
      { command: ['./say.sh', 'here'], cwd: 'agents' },
      { env, directory: fixture(''), warn: () => {} },
    );
    await expect(finish(agent.run(await newTurn()))).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringContaining('/agents does not exist'),
    });
    const shared = await temporaryDirectory();
    expect(answerOf(await run(['pwd'], {}, { cwd: shared }))).toBe(shared);
  });
});

describe('a program that misbehaves', () => {
  it('and is killed fails with the signal', async () => {
    await expect(run(['sh', '-c', 'kill -KILL $$'])).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: 'The program sh was ended by SIGKILL; it wrote nothing to stderr.',
    });
  });

  it('and fails keeps what it had said in the log', async () => {
    const agent = await command.create(
      { command: [fixture('fail.sh'), '4'] },
      { env, directory: '/', warn: () => {} },
    );
    const said: string[] = [];
    await expect(
      finish(agent.run(await newTurn()), ({ events }) => {
        for (const event of events ?? []) if (event.type === 'delta') said.push(event.text);
      }),
    ).rejects.toMatchObject({ code: 'AGENT_FAILED', message: expect.stringContaining('exit code 4') });
    expect(said).toEqual(['half an answer']);
  });

  it('and takes longer than it may is ended, with TIMED_OUT', async () => {
    await expect(run(['hang.sh'], {}, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: expect.stringMatching(/hang\.sh did not end within 200 ms\.$/),
    });
  });

  it('and writes 100 MB as a text is streamed in bounded memory', async () => {
    const agent = await command.create(
      { command: [fixture('flood.sh'), '100'] },
      { env, directory: '/', warn: () => {} },
    );
    let length = 0;
    let most = 0;
    const before = process.memoryUsage().rss;
    const running = agent.run(await newTurn());
    for (let step = await running.next(); !step.done; step = await running.next()) {
      length += step.value.raw.length;
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    expect(length).toBe(100_000_000);
    expect(most).toBeLessThan(100_000_000);
  });

  it('and writes 100 MB as a document is stopped', async () => {
    await expect(run(['flood.sh', '100'], { output: output() })).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
    });
  });

  it('and writes bytes that are no UTF-8 as a document is refused', async () => {
    await expect(run(['say.sh', '"\\377"'], { output: output() })).rejects.toMatchObject({
      code: 'RESULT_MALFORMED',
    });
  });

  it('and leaves children leaves none', async () => {
    const ran = await run(['leave-child.sh']);
    expect(stillAlive([Number(answerOf(ran))])).toEqual([]);
    expect(eventsOf(ran.lines)).toHaveLength(1);
  });

  it('and is not there is told of by name', async () => {
    await expect(run(['no-such-program'])).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The program no-such-program cannot be started: it is not found on the PATH.',
    });
  });
});
