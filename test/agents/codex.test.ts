import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { codex } from '../../src/agents/codex.js';
import { readAgentOptions } from '../../src/agents/index.js';
import { createJudge } from '../../src/schema/index.js';
import { widget, widgetSchema } from '../harness/widget.js';
import { temporaryDirectory } from '../support/temporary.js';
import { fake, recordedFile } from './support/recorded.js';
import { answerOf, eventsOf, finish, newTurn } from './support/turn.js';

/** The agent with a program that prints a recorded scene; `calls` tells how the program was called. */
async function replaying(
  scene: string,
  { env = {}, options = {} }: { env?: Record<string, string>; options?: Record<string, unknown> } = {},
) {
  const directory = await temporaryDirectory();
  const log = join(directory, 'calls');
  const given = {
    ...options,
    bin: fake('replay.js'),
    env: { REPLAY: recordedFile('codex', scene), REPLAY_LOG: log, ...env },
  };
  const agent = await codex.create(readAgentOptions(codex, JSON.stringify(given)), {
    env: { PATH: process.env.PATH, HOME: directory, OPENAI_API_KEY: 'key', ANTHROPIC_API_KEY: 'no' },
    directory,
    warn: () => {},
  });
  const calls = (): readonly { args: readonly string[]; stdin: string; env: Record<string, string> }[] =>
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { agent, calls };
}

const judge = createJudge();
afterAll(() => judge.close());

describe('Codex', () => {
  it('gets the prompt on stdin, and its options and its own variables', async () => {
    const { agent, calls } = await replaying('text', {
      options: {
        model: 'gpt-5',
        sandbox: 'read-only',
        config: { web_search: 'false' },
        extraArgs: ['--ephemeral'],
      },
    });
    expect(answerOf(await finish(agent.run(await newTurn({ prompt: 'my secret' }))))).toBe(
      'Hello there, wörld 😀.',
    );
    const [call] = calls();
    expect(call?.stdin).toBe('my secret');
    expect(call?.args).toEqual([
      ...['exec', '--json', '--skip-git-repo-check', '-c', 'model="gpt-5"', '-c', 'sandbox_mode="read-only"'],
      ...['-c', 'web_search=false', '--ephemeral', '-'],
    ]);
    expect(call?.env.OPENAI_API_KEY).toBe('key');
    expect(Object.values(call?.env ?? {})).not.toContain('no');
  });

  it('goes on with its session, for a typed answer after text too', async () => {
    const { agent, calls } = await replaying('structured');
    const output = await judge.compile(widgetSchema);
    const { outcome } = await finish(agent.run(await newTurn({ session: 'thread-1', output })));
    expect(outcome).toEqual({ kind: 'json', document: widget });
    expect(calls()[0]?.args).toEqual([
      ...[
        'exec',
        '--json',
        '--skip-git-repo-check',
        '--output-schema',
        expect.stringMatching(/schema\.json$/),
      ],
      ...['resume', 'thread-1', '-'],
    ]);
  });

  it('begins a session anew, and says so, when the old one is not there any more', async () => {
    const directory = await temporaryDirectory();
    const agent = await codex.create(
      { bin: fake('remember.js'), env: { REMEMBER: 'codex' } },
      { env: { PATH: process.env.PATH }, directory, warn: () => {} },
    );
    const ran = await finish(agent.run(await newTurn({ prompt: 'one', session: 'gone' })));
    expect(answerOf(ran)).toBe('one');
    expect(eventsOf(ran.lines).map(({ type }) => type)).toEqual([
      'status',
      'session',
      'status',
      'delta',
      'usage',
    ]);
  });

  it('takes prose for no document: it is for the check to refuse', async () => {
    const { agent } = await replaying('prose');
    const output = await judge.compile(widgetSchema);
    const { outcome } = await finish(agent.run(await newTurn({ output })));
    expect(outcome).toEqual({ kind: 'json', document: 'I would rather not.' });
  });

  it.each([
    ['unauthorized', 'AGENT_UNAVAILABLE', /^Codex failed: unexpected status 401/],
    ['server-error', 'AGENT_FAILED', /^Codex failed: We’re currently experiencing high demand/],
    ['bad-schema', 'AGENT_FAILED', /^Codex failed: Invalid schema\.$/],
    ['cut-short', 'AGENT_FAILED', /max_output_tokens/],
    [
      'terminated',
      'AGENT_FAILED',
      /did not bring its turn to an end and ended with exit code 0:\nlast words$/,
    ],
  ])('fails where its turn failed, though its exit code is 0 (%s)', async (scene, code, message) => {
    const { agent } = await replaying(
      scene,
      scene === 'terminated' ? { env: { REPLAY_STDERR: 'last words' } } : {},
    );
    await expect(finish(agent.run(await newTurn()))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });
});
