import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { claudeCode } from '../../src/agents/claude-code.js';
import { readAgentOptions } from '../../src/agents/index.js';
import { createJudge, readDocument } from '../../src/schema/index.js';
import { widget, widgetSchema } from '../harness/widget.js';
import { temporaryDirectory } from '../support/temporary.js';
import { fake, recordedFile } from './support/recorded.js';
import { answerOf, eventsOf, finish, newTurn } from './support/turn.js';

interface Call {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The agent with a program that prints a recorded scene; `calls` tells how the program was called. */
async function replaying(
  scene: string,
  {
    env = {},
    options = {},
    serverEnv = {},
  }: {
    env?: Record<string, string>;
    options?: Record<string, unknown>;
    serverEnv?: Record<string, string>;
  } = {},
) {
  const directory = await temporaryDirectory();
  const log = join(directory, 'calls');
  const given = {
    ...options,
    bin: fake('replay.js'),
    env: { REPLAY: recordedFile('claude-code', scene), REPLAY_LOG: log, ...env },
  };
  const agent = await claudeCode.create(readAgentOptions(claudeCode, JSON.stringify(given)), {
    env: { PATH: process.env.PATH, HOME: directory, ...serverEnv },
    directory,
    warn: () => {},
  });
  const calls = (): readonly Call[] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { agent, calls, directory };
}

const judge = createJudge();
afterAll(() => judge.close());
const widgetOutput = () => judge.compile(widgetSchema);

describe('Claude Code', () => {
  it('gets the prompt on stdin, and nothing of it on its command line', async () => {
    const { agent, calls } = await replaying('text');
    const turn = await newTurn({ prompt: 'my secret 😀' });
    expect(answerOf(await finish(agent.run(turn)))).toBe('Hello there, wörld 😀.');
    const [call] = calls();
    expect(call?.stdin).toBe('my secret 😀');
    expect(call?.args.join(' ')).toMatch(
      /^-p --output-format stream-json --verbose --include-partial-messages --session-id [0-9a-f-]{36}$/,
    );
    expect(call?.cwd).toBe(turn.workspace);
  });

  it('gets its options as flags, and MCP servers in a file that only it may read', async () => {
    const mcpConfig = { mcpServers: { x: { command: 'x', env: { TOKEN: 'secret' } } } };
    const { agent, calls } = await replaying('text', {
      options: {
        mcpConfig,
        model: 'opus',
        permissionMode: 'acceptEdits',
        allowedTools: ['Read', 'Bash(git *)'],
        disallowedTools: ['WebFetch'],
        appendSystemPrompt: 'Be brief.',
        maxTurns: 3,
        maxBudgetUsd: 0.5,
        extraArgs: ['--effort', 'low'],
      },
    });
    await finish(agent.run(await newTurn()));
    const args = calls()[0]?.args ?? [];
    expect(args.slice(7).filter((_, at) => args[at + 6] !== '--mcp-config')).toEqual([
      ...['--model', 'opus', '--permission-mode', 'acceptEdits', '--append-system-prompt', 'Be brief.'],
      ...['--max-turns', '3', '--max-budget-usd', '0.5', '--allowedTools', 'Read', 'Bash(git *)'],
      ...['--disallowedTools', 'WebFetch', '--mcp-config', '--effort', 'low'],
    ]);
    expect(args.join(' ')).not.toContain('secret');
  });

  it('gets of the server’s environment what is its own, and nothing else', async () => {
    const { agent, calls } = await replaying('text', {
      serverEnv: {
        ANTHROPIC_API_KEY: 'key',
        AWS_REGION: 'here',
        KEDI_A2A_SECRET: 'no',
        OPENAI_API_KEY: 'no',
      },
    });
    await finish(agent.run(await newTurn()));
    const env = calls()[0]?.env ?? {};
    expect(env).toMatchObject({ ANTHROPIC_API_KEY: 'key', AWS_REGION: 'here' });
    expect(Object.values(env)).not.toContain('no');
  });

  it('goes on with its session, for a typed answer after text too', async () => {
    const { agent, calls } = await replaying('structured');
    const session = '6c2236d5-68dc-43a9-b95a-4ccc892f3d0d';
    const { outcome } = await finish(agent.run(await newTurn({ session, output: await widgetOutput() })));
    expect(outcome).toEqual({ kind: 'json', document: widget });
    const args = calls()[0]?.args ?? [];
    expect(args.slice(5)).toEqual(['--resume', session, '--json-schema', widgetSchema]);
  });

  it('begins a session anew, and says so, when the old one is not known any more', async () => {
    const { agent, calls } = await replaying('text', {
      env: { REPLAY_UNKNOWN: recordedFile('claude-code', 'unknown-session') },
    });
    const session = '11111111-1111-4111-8111-111111111111';
    const ran = await finish(agent.run(await newTurn({ session })));
    expect(answerOf(ran)).toBe('Hello there, wörld 😀.');
    expect(calls().map(({ args }) => args.includes('--resume'))).toEqual([true, false]);
    expect(eventsOf(ran.lines)).toContainEqual({
      type: 'status',
      status: 'session_lost',
      text: `Claude Code no longer knows the conversation ${session}; a new one is begun.`,
    });
  });

  it('is told on a further attempt why its document was refused', async () => {
    const { agent, calls } = await replaying('structured');
    const refused = { document: '{"id":1}', reason: 'price is missing' };
    await finish(agent.run(await newTurn({ prompt: 'A widget.', refused, output: await widgetOutput() })));
    expect(calls()[0]?.stdin).toMatch(
      /^A widget\.\n\n.*refused: price is missing\n\nIt was:\n\{"id":1\}\n\n/,
    );
  });

  it('gets a schema of 300 kB by stdin, since no argument may be so long, with a prompt of 300 kB', async () => {
    const schema = widgetSchema.replace(
      '{',
      `{"description":"${'x'.repeat(300_000)}",\n"$comment":9007199254740993,`,
    );
    // No client may send so long a schema; those who embed an agent may.
    const read = readDocument(schema);
    if (!read.ok) throw new Error(read.reason);
    const output = { ...(await widgetOutput()), text: read.json };
    const { agent, calls } = await replaying('structured');
    const prompt = 'y'.repeat(300_000);
    const { outcome } = await finish(agent.run(await newTurn({ prompt, output })));
    expect(outcome).toEqual({ kind: 'json', document: widget });
    const [control, user] = (calls()[0]?.stdin ?? '').trimEnd().split('\n');
    expect(control).toContain('"jsonSchema":{"description":"xxx');
    expect(control).toContain('9007199254740993');
    expect(JSON.parse(user ?? '')).toEqual({ type: 'user', message: { role: 'user', content: prompt } });
  });

  it('leaves the dialect out of the schema that it is given', async () => {
    const output = await judge.compile(
      widgetSchema.replace('{', '{"$schema":"https://json-schema.org/draft/2020-12/schema",'),
    );
    const { agent, calls } = await replaying('structured');
    await finish(agent.run(await newTurn({ output })));
    expect(calls()[0]?.args.at(-1)).toBe(widgetSchema);
  });
});

describe('Claude Code fails', () => {
  const failing = async (scene: string, env: Record<string, string> = {}, typed = true) => {
    const { agent } = await replaying(scene, { env });
    const output = typed ? await widgetOutput() : undefined;
    return finish(agent.run(await newTurn({ output }))).catch((error: unknown) => error);
  };

  it('when it ends well but without a document', async () => {
    expect(await failing('no-document')).toMatchObject({ code: 'RESULT_MISSING' });
  });

  it('when it gives up on the document, with what was wrong with it', async () => {
    expect(await failing('wrong-document', { REPLAY_EXIT: '1' })).toMatchObject({
      code: 'RESULT_INVALID',
      message: expect.stringMatching(/^Claude Code gave up on the document: /),
    });
  });

  it.each([
    ['unauthorized', 'AGENT_UNAVAILABLE', /401/],
    ['server-error', 'AGENT_FAILED', /API Error: 500/],
    ['too-many-turns', 'AGENT_FAILED', /maximum number of turns/],
    ['over-budget', 'AGENT_FAILED', /maximum budget/],
    ['interrupted', 'AGENT_FAILED', /./],
    ['terminated', 'AGENT_FAILED', /gave no result and ended with exit code 143:\nlast words$/],
  ])('and says so, whatever its exit code (%s)', async (scene, code, message) => {
    const env: Record<string, string> =
      scene === 'terminated' ? { REPLAY_EXIT: '143', REPLAY_STDERR: 'last words\n' } : {};
    expect(await failing(scene, env, false)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  it('by a document that only it has parsed, which is then said to be only that', async () => {
    expect(await failing('fallback-without-stream')).toMatchObject({
      outcome: { kind: 'json', document: expect.stringMatching(/^\{"id":9007199254740992,/), parsed: true },
    });
  });

  it('when there is no such program', async () => {
    const directory = await temporaryDirectory();
    const agent = await claudeCode.create(
      { bin: 'no-such-claude' },
      { env: { PATH: process.env.PATH }, directory, warn: () => {} },
    );
    await expect(finish(agent.run(await newTurn()))).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: 'The program no-such-claude cannot be started: it is not found on the PATH.',
    });
  });
});
