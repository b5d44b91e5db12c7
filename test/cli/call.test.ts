import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { KEDI_STRUCTURED_OUTPUT_URI, kediExtension } from '../../src/protocol/kedi-extension.js';
import { callJson, fetchJson } from '../support/fetch-json.js';
import {
  answerJson,
  chunkJson,
  peerCard,
  startPeer,
  statusJson,
  streamResults,
  taskJson,
} from '../support/peer.js';
import { type CommandRun, runCommand, type ServerProcess, startServer } from '../support/server.js';
import { temporaryDirectory } from '../support/temporary.js';

const actor = fileURLToPath(new URL('../fixtures/agents/actor.js', import.meta.url));
const exact = '{"id":9007199254740993,"price":78.0,"exp":1.0E+2,"small":1e-7,"name":"w\\u00efdget"}';
const object = '{"type":"object"}';

// One agent that does what its prompt says, one that echoes, one that streams slowly.
const acting = await startServer({
  agent: 'module',
  options: { path: actor, options: { document: exact } },
  until: afterAll,
});
const echoing = await startServer({ agent: 'command', options: { command: ['cat'] }, until: afterAll });
const demo = await startServer({ options: { delayMs: 20 }, until: afterAll });

const call = async (server: Pick<ServerProcess, 'url'>, args: readonly string[], stdin?: string) => {
  const run = runCommand(['call', server.url, ...args], {}, stdin === undefined ? {} : { stdin });
  return { exit: await run.ended(), stdout: run.stdout(), stderr: run.stderr() };
};

describe('kedi-a2a call, in words', () => {
  it('writes the answer to stdout and how to go on to stderr', async () => {
    expect(await call(echoing, ['Grüße 🐈'])).toEqual({
      exit: 0,
      stdout: 'Grüße 🐈\n',
      stderr: expect.stringMatching(/^to go on: --context [\w-]+\n$/),
    });
  });

  it('reads the prompt from stdin, where there is no argument or a dash', async () => {
    const prompt = 'several\nlines\n';
    expect(await call(echoing, [], prompt)).toMatchObject({ exit: 0, stdout: prompt });
    expect(await call(echoing, ['-'], prompt)).toMatchObject({ exit: 0, stdout: prompt });
  });

  it('writes the answer as it comes with --stream, and the same in all', async () => {
    const whole = await call(demo, ['Tell me']);
    const run = runCommand(['call', demo.url, 'Tell me', '--stream']);
    const first = await run.said(/^(\S+)/);
    expect(run.stdout().length).toBeLessThan(whole.stdout.length);
    expect(await run.ended()).toBe(0);
    expect(whole.stdout.startsWith(first)).toBe(true);
    expect(run.stdout()).toBe(whole.stdout);
  });

  it('goes on with a conversation', async () => {
    const { stderr } = await call(acting, ['remember 42']);
    const context = /--context (\S+)/.exec(stderr)?.[1] ?? '';
    expect(await call(acting, ['recall', '--context', context])).toMatchObject({ exit: 0, stdout: '42\n' });
  });

  it('exits with 5 at a question, and answers it', async () => {
    const asked = await call(acting, ['ask Which colour?']);
    expect(asked).toMatchObject({ exit: 5, stdout: '' });
    expect(asked.stderr).toMatch(/^The agent asks: Which colour\?\nto go on: --context \S+ --task \S+\n$/);
    const flags = /to go on: (.*)\n/.exec(asked.stderr)?.[1]?.split(' ') ?? [];
    expect(await call(acting, ['say blue', ...flags])).toMatchObject({ exit: 0, stdout: 'blue\n' });
  });

  it('names the files of an answer on stderr', async () => {
    const { exit, stdout, stderr } = await call(demo, ['/file']);
    expect(exit).toBe(0);
    expect(stdout).not.toContain('demo.txt');
    expect(stderr).toMatch(/a file of \d+ bytes: demo.txt, text\/plain/);
  });
});

describe('kedi-a2a call, for a typed answer', () => {
  it('writes the exact bytes of the document to stdout, and not one more', async () => {
    expect(await call(acting, ['document', '--schema', object])).toMatchObject({ exit: 0, stdout: exact });
  });

  it('reads the schema from a file', async () => {
    const file = join(await temporaryDirectory(), 'schema.json');
    await writeFile(file, object);
    expect(await call(acting, ['document', '--schema', file])).toMatchObject({ exit: 0, stdout: exact });
  });

  it('writes the exact document too where only the first message of the task had a schema', async () => {
    const { exit, stderr } = await call(acting, ['ask Which?', '--schema', object]);
    expect(exit).toBe(5);
    const flags = /to go on: (.*)\n/.exec(stderr)?.[1]?.split(' ') ?? [];
    const answered = await call(acting, ['document', ...flags]);
    expect(answered).toMatchObject({ exit: 0, stdout: exact });
    expect(answered.stderr).not.toContain('a file of');
  });

  it.each([
    ['raw', [], exact],
    ['raw', ['--stream'], `Here.\n\n${exact}`],
    ['data', [], exact],
    ['data', ['--stream'], `Here.\n\n${exact}`],
  ])('tells a typed result of a %s part from what stands beside it (%s)', async (kind, flags, stdout) => {
    const part =
      kind === 'raw'
        ? `{"raw":"${Buffer.from(exact).toString('base64')}","mediaType":"application/json"}`
        : `{"data":${exact}}`;
    const result = `{"artifactUpdate":{"taskId":"task-1","contextId":"context-1","artifact":{"artifactId":"r","name":"kedi-structured-output","extensions":["${KEDI_STRUCTURED_OUTPUT_URI}"],"parts":[${part}]}}}`;
    const peer = await startPeer({
      answer: (response) => {
        const words = chunkJson('Here.', false);
        streamResults(response, [{ task: taskJson('WORKING') }, words, result, statusJson('COMPLETED')]);
        response.end();
      },
    });
    const ended = await call(peer, ['x', ...flags]);
    expect(ended).toMatchObject({ exit: 0, stdout });
    expect(ended.stderr).toBe(`${flags.length === 0 ? 'Here.\n' : ''}to go on: --context context-1\n`);
  });

  it('tells its progress on stderr with --stream', async () => {
    const { exit, stdout, stderr } = await call(acting, ['document', '--schema', object, '--stream']);
    expect({ exit, stdout }).toEqual({ exit: 0, stdout: exact });
    expect(stderr).toMatch(/^working\ncompleted\n/);
  });

  it('gets sample data from the demo agent that fulfils the schema', async () => {
    const schema =
      '{"type":"object","properties":{"lives":{"type":"integer","minimum":9,"maximum":9}},"required":["lives"]}';
    const { exit, stdout } = await call(demo, ['a cat', '--schema', schema]);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ lives: 9 });
  });
});

describe('What kedi-a2a call exits with, nothing on stdout', () => {
  it.each([
    ['the schema is no JSON', ['x', '--schema', '{"type":'], 2, /SCHEMA_MALFORMED/],
    ['the schema is no schema', ['x', '--schema', '{"type":"cat"}'], 2, /SCHEMA_INVALID at \/type/],
    [
      'the schema refers elsewhere',
      ['x', '--schema', '{"$ref":"https://a.example/"}'],
      2,
      /SCHEMA_UNSUPPORTED/,
    ],
    [
      'the schema is too large',
      ['x', '--schema', `{"const":"${'x'.repeat(32_768)}"}`],
      2,
      /SCHEMA_TOO_LARGE/,
    ],
    [
      'the file of the schema is missing',
      ['x', '--schema', 'nowhere.json'],
      1,
      /^kedi-a2a: --schema: there is no file "nowhere.json"\. It takes the name of a file, or the JSON itself; stdin is for the prompt\.\n$/,
    ],
    [
      'the schema is to come on stdin',
      ['x', '--schema', '-'],
      1,
      /there is no file "-".*stdin is for the prompt/,
    ],
    ['the schema is a directory', ['x', '--schema', '.'], 1, /--schema: "\." is a directory/],
    [
      'the document is not of the schema',
      ['document', '--schema', '{"type":"array"}'],
      3,
      /RESULT_INVALID at \(root\)/,
    ],
    ['the agent gives no document', ['say hello', '--schema', object], 3, /RESULT_MISSING/],
    ['the agent fails', ['fail on purpose'], 3, /on purpose \(AGENT_FAILED\)/],
    ['the agent says nothing', ['say'], 3, /AGENT_EMPTY/],
    ['the agent declines', ['reject not today'], 3, /not today \(REJECTED\)/],
    [
      'time is up',
      ['hang', '--timeout', '500ms'],
      4,
      /no answer in time; task \S+ was canceled. \(TIMED_OUT\)/,
    ],
    ['the task is unknown', ['x', '--task', 'nobody'], 1, /TASK_NOT_FOUND/],
    ['the context is malformed', ['x', '--context', 'a b'], 2, /contextId/],
    ['the time-out is malformed', ['x', '--timeout', '5'], 1, /--timeout: a time such as/],
    [
      'two credentials are named',
      ['x', '--token-env', 'A', '--basic-env', 'B'],
      1,
      /only one of --token-env/,
    ],
    ['a credential is not set', ['x', '--token-env', 'NOT_SET'], 1, /NOT_SET is not set/],
  ] as const)('when %s', async (_, args, exit, sentence) => {
    const ended = await call(acting, args);
    expect(ended).toMatchObject({ exit, stdout: '' });
    expect(ended.stderr).toMatch(sentence);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['nothing', [], ''],
    ['nothing', ['-'], ''],
    ['white space', [], ' \n\t\n'],
  ])('when there is %s on stdin for a prompt, and nothing is sent', async (_, args, stdin) => {
    const peer = await startPeer({ answer: () => {} });
    expect(await call(peer, args, stdin)).toEqual({
      exit: 1,
      stdout: '',
      stderr: 'kedi-a2a: Give a prompt as an argument, or on stdin.\n',
    });
    expect(peer.received).toEqual([]);
  });

  it('when there is nobody', async () => {
    expect(await call({ url: 'http://127.0.0.1:9' }, ['x'])).toMatchObject({ exit: 1, stdout: '' });
  });

  it.each([
    ['offers no typed answers', { streaming: true }, 1, /does not offer typed answers/],
    ['takes no schema', { extensions: [withParams({ mode: 'fixed' })] }, 1, /takes no other/],
    [
      'takes only smaller schemas',
      { extensions: [withParams({ maxSchemaBytes: 10 })] },
      2,
      /SCHEMA_TOO_LARGE/,
    ],
  ])('when the peer %s, before anything is sent', async (_, capabilities, exit, sentence) => {
    const peer = await startPeer({ card: (url) => peerCard(url, { capabilities }), answer: () => {} });
    const ended = await call(peer, ['x', '--schema', object]);
    expect(ended).toMatchObject({ exit, stdout: '' });
    expect(ended.stderr).toMatch(sentence);
    expect(peer.calls()).toEqual([]);
  });

  it('when the agent is busy', async () => {
    const busy = await startServer({
      agent: 'command',
      options: { command: ['sleep', '30'] },
      flags: ['--concurrency', '1', '--pending', '0', '--grace', '0'],
    });
    const running = runCommand(['call', busy.url, 'x']);
    await expect.poll(async () => (await fetchJson(`${busy.url}/readyz`)).running).toBe(1);
    const ended = await call(busy, ['y']);
    expect(ended).toMatchObject({ exit: 4, stdout: '' });
    expect(ended.stderr).toMatch(/BUSY/);
    await running.stop('SIGKILL');
  });

  it('when Ctrl-C cancels the task', async () => {
    const run = runCommand(['call', acting.url, 'tidy up', '--stream']);
    await run.said(/^working/);
    expect(await run.stop('SIGINT')).toBe(4);
    expect(run.stderr()).toMatch(/The call was canceled, and task (\S+) with it. \(CANCELED\)/);
    expect(await stateOf(run)).toBe('TASK_STATE_CANCELED');
  });

  it('when the server wants credentials, with and without some', async () => {
    const guarded = await startServer({
      flags: ['--auth', 'bearer'],
      env: { KEDI_A2A_SECRET: 'a-token-that-is-long-enough-to-be-one' },
    });
    const without = await call(guarded, ['x']);
    expect(without).toMatchObject({ exit: 1, stdout: '' });
    expect(without.stderr).toMatch(
      /wants credentials: Bearer .* No credentials were sent. \(UNAUTHENTICATED\)/,
    );
    const run = runCommand(['call', guarded.url, 'x', '--token-env', 'MY_TOKEN'], { MY_TOKEN: 'wrong' });
    expect(await run.ended()).toBe(1);
    expect(run.stderr()).toMatch(/The credentials sent were refused. \(UNAUTHENTICATED\)/);
  });

  it('when a task failed, which it names', async () => {
    const { stderr } = await call(acting, ['fail on purpose']);
    const id = /\(AGENT_FAILED\)\ntask: (\S+)\n$/.exec(stderr)?.[1];
    const { result } = await callJson(acting.url, 'GetTask', { id });
    expect(result.status.state).toBe('TASK_STATE_FAILED');
  });

  it('when there are too many requests, already for the card', async () => {
    const peer = await startPeer({
      answer: (response) => {
        response.setHeader('retry-after', '9');
        answerJson(response, '{"detail":"Slowly."}', 429);
      },
    });
    const ended = await call({ url: `${peer.url}/card.json` }, ['x']);
    expect(ended).toMatchObject({ exit: 4, stdout: '' });
    expect(ended.stderr).toMatch(/Slowly. Try again in 9 s \(Retry-After: 9\). \(RATE_LIMITED\)/);
  });

  it('sends the credentials that the environment holds', async () => {
    const peer = await startPeer({ answer: (response) => void response.destroy() });
    const run = runCommand(['call', peer.url, 'x', '--api-key-env', 'MY_KEY', '--api-key-header', 'X-Mine'], {
      MY_KEY: 'k1',
    });
    expect(await run.ended()).toBe(1);
    expect(peer.received.map(({ headers }) => headers['x-mine'])).toEqual(['k1', 'k1']);
  });
});

describe('kedi-a2a card', () => {
  const card = async (url: string) => {
    const run = runCommand(['card', url]);
    return { exit: await run.ended(), stdout: run.stdout(), stderr: run.stderr() };
  };

  it('shows the card of our own server, and finds nothing wrong with it', async () => {
    const shown = await card(acting.url);
    expect(shown).toMatchObject({
      exit: 0,
      stderr: `${acting.url}/.well-known/agent-card.json: nothing is wrong with it\n`,
    });
    expect(JSON.parse(shown.stdout).supportedInterfaces[0]).toMatchObject({ protocolBinding: 'JSONRPC' });
  });

  it('shows what is wrong, keeps its digits, and exits with 1', async () => {
    const peer = await startPeer({ card: () => '{"name":"X","big":9007199254740993}', answer: () => {} });
    const shown = await card(peer.url);
    expect(shown.exit).toBe(1);
    expect(shown.stdout).toBe('{\n  "name": "X",\n  "big": 9007199254740993\n}\n');
    expect(shown.stderr).toContain('error: /skills: The required field skills is missing.');
  });
});

function withParams(params: Readonly<Record<string, unknown>>) {
  const extension = kediExtension();
  return { ...extension, params: { ...extension.params, ...params } };
}

async function stateOf(run: CommandRun): Promise<string> {
  const id = /task (\S+) with it/.exec(run.stderr())?.[1];
  const { result } = await callJson(acting.url, 'GetTask', { id });
  return result.status.state;
}
