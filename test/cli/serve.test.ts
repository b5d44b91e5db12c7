import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { agentKinds } from '../../src/agents/index.js';
import { ask, askLive } from '../../src/client/ask.js';
import { openPeer } from '../../src/client/peer.js';
import { flagOf, settingNames } from '../../src/server/settings.js';
import { isAlive } from '../agents/support/processes.js';
import { callJson, fetchJson } from '../support/fetch-json.js';
import { runCommand, type ServerProcess, startServer } from '../support/server.js';
import { temporaryDirectory } from '../support/temporary.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const signal = AbortSignal.timeout(60_000);

/** A command agent that runs this script; the prompt is on its stdin. */
const script = (text: string) => ({ agent: 'command', options: { command: [process.execPath, '-e', text] } });

/** Sends a prompt and resolves once the agent has begun, so that a test can do something meanwhile. */
async function begin(server: ServerProcess, prompt: string) {
  const peer = await openPeer(server.url, { signal });
  const controller = new AbortController();
  const answer = ask(peer, { prompt }, controller.signal);
  answer.catch(() => {});
  onTestFinished(() => controller.abort());
  await expect.poll(async () => (await fetchJson(`${server.url}/readyz`)).running).toBe(1);
  return { peer };
}

describe('kedi-a2a serve', () => {
  it('writes exactly one line to stdout, when it is ready, and its log as JSON to stderr', async () => {
    const server = await startServer();
    const card = await fetchJson(`${server.url}/.well-known/agent-card.json`);
    expect(card.supportedInterfaces[0]).toMatchObject({
      url: `${server.url}/a2a`,
      protocolBinding: 'JSONRPC',
    });
    expect(await server.stop()).toBe(0);
    expect(server.stdout()).toBe(`listening on ${server.url}\n`);
    const lines = server.stderr().trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      expect.stringMatching(/whoever can reach this port/),
      'listening',
      'stopping',
      'stopped',
    ]);
  });

  it('starts without a warning where --allow-unauthenticated says that this is meant', async () => {
    const server = await startServer({ flags: ['--allow-unauthenticated'] });
    expect(await server.stop()).toBe(0);
    expect(server.stderr()).not.toContain('"level":"warn"');
  });

  it('warns of a token that can be guessed, and of no other', async () => {
    const warned = async (secret: string) => {
      const server = await startServer({ flags: ['--auth', 'bearer'], env: { KEDI_A2A_SECRET: secret } });
      await server.stop();
      return /the secret is short/.test(server.stderr());
    };
    expect(await warned('x'.repeat(21))).toBe(true);
    expect(await warned('x'.repeat(22))).toBe(false);
    expect(await warned(`a:sha256:${'A'.repeat(43)}`)).toBe(false);
  });

  it('that npm has started ends in order when npm is told to', async () => {
    const args = ['start', '--ignore-scripts', '--', '--port', '0', '--data-dir', await temporaryDirectory()];
    const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let written = '';
    let logged = '';
    npm.stdout.on('data', (bytes) => {
      written += bytes;
    });
    npm.stderr.on('data', (bytes) => {
      logged += bytes;
    });
    onTestFinished(() => {
      npm.kill('SIGKILL');
    });
    await expect.poll(() => written, { timeout: 20_000 }).toMatch(/listening on http:\S+\n/);
    npm.kill('SIGTERM');
    // A server that npm leaves behind says nothing of the kind, and goes on.
    await expect.poll(() => logged, { timeout: 10_000 }).toContain('"message":"stopped"');
  });

  it('shows a typed call to paste when npm starts it', async () => {
    const server = await startServer({ env: { npm_lifecycle_event: 'start' } });
    await expect
      .poll(() => server.stderr())
      .toMatch(new RegExp(`npx kedi-a2a call ${server.url} .* --schema '\\{`));
    expect(server.stdout()).toBe(`listening on ${server.url}\n`);
  });

  it('takes its settings from flags, environment and file', async () => {
    const directory = await temporaryDirectory();
    const config = join(directory, 'kedi.json');
    await writeFile(
      config,
      JSON.stringify({ agent: 'command', agentOptions: { command: ['cat'] }, maxBody: '2KiB' }),
    );
    const server = await startServer({
      flags: ['--config', config],
      agent: 'command',
      env: { KEDI_A2A_MAX_BODY: '1KiB' },
    });
    const answer = await ask(await openPeer(server.url, { signal }), { prompt: 'echo me' }, signal);
    expect(answer).toMatchObject({ text: 'echo me' });
    const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
    const large = await fetch(`${server.url}/a2a`, {
      method: 'POST',
      headers,
      body: JSON.stringify('x'.repeat(1500)),
    });
    expect(large.status).toBe(413);
  });

  it.each([
    [['--agent', 'nobody'], /There is no kind of agent "nobody"/],
    [['--agent-options', '{"delayMs":"slow"}'], /"delayMs" of the agent "demo" must be integer/],
    [['--agent-options', '{'], /options of the agent "demo" are not JSON/],
    [['--max-body', 'much'], /--max-body: a size such as/],
    [['--host', '0.0.0.0'], /needs authentication/],
    [['--host', '0.0.0.0', '--allow-unauthenticated'], /for loopback only/],
    [['--card', 'nowhere.json'], /nowhere.json/],
    [['--config', 'nowhere.json'], /nowhere.json cannot be read/],
    [['--max-bdy', '1MiB'], /unknown option '--max-bdy'/],
    [['extra'], /too many arguments/],
  ])('refuses %j in one sentence, before anything listens', async (args, sentence) => {
    const dataDir = await temporaryDirectory();
    const run = runCommand(['serve', '--port', '0', '--data-dir', dataDir, ...args]);
    expect(await run.ended()).toBe(1);
    expect(run.stdout()).toBe('');
    expect(run.stderr()).toMatch(sentence);
    expect(run.stderr()).not.toMatch(/\n\s+at /);
  });

  it('says in one sentence that the port is in use, and frees what it had begun', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    const dataDir = await temporaryDirectory();
    const run = runCommand(['serve', '--port', port, '--data-dir', dataDir]);
    expect(await run.ended()).toBe(1);
    expect(run.stderr()).toBe(
      `kedi-a2a: Cannot listen on 127.0.0.1 port ${port}: it is in use by another program; choose another with --port.\n`,
    );
    await expect(startServer({ dataDir })).resolves.toBeDefined();
  });

  it('refuses a data directory that another server has', async () => {
    const { dataDir } = await startServer();
    const run = runCommand(['serve', '--port', '0', '--data-dir', dataDir]);
    expect(await run.ended()).toBe(1);
    expect(run.stderr().trim().split('\n')).toHaveLength(1);
    expect(run.stderr()).toMatch(/^kedi-a2a: .*data directory/);
  });

  it('tells of a variable that is no setting', async () => {
    const server = await startServer({ env: { KEDI_A2A_MAX_BDY: '1MiB' } });
    expect(server.stderr()).toContain('KEDI_A2A_MAX_BDY is not a setting (did you mean KEDI_A2A_MAX_BODY?)');
  });

  it('has every setting in its help', async () => {
    const run = runCommand(['serve', '--help']);
    expect(await run.ended()).toBe(0);
    for (const name of settingNames) expect(run.stdout()).toContain(flagOf(name));
  });
});

describe('Stopping a server', () => {
  it('lets what runs end within the grace, and keeps its answer', async () => {
    const server = await startServer({
      ...script('setTimeout(() => console.log("in time"), 1000)'),
      flags: ['--grace', '20s'],
    });
    await begin(server, 'go');
    expect(await server.stop()).toBe(0);
    expect(await states(await startServer({ dataDir: server.dataDir }))).toEqual(['TASK_STATE_COMPLETED']);
  });

  it('cancels what runs beyond the grace, and leaves no process of it', async () => {
    const server = await startServer({
      ...script(
        'const c = require("node:child_process").spawn("sleep", ["300"]); console.log("child " + c.pid + "."); setInterval(() => {}, 1000)',
      ),
      flags: ['--grace', '300ms'],
    });
    const peer = await openPeer(server.url, { signal });
    const asked = askLive(peer, { prompt: 'go' }, signal);
    const { value } = await asked.next();
    const child = Number(/child (\d+)/.exec(String(value))?.[1]);
    expect(isAlive(child)).toBe(true);
    expect(await server.stop()).toBe(0);
    expect(isAlive(child)).toBe(false);
    await asked.return({ kind: 'answer', text: '', parts: [], contextId: undefined, taskId: undefined });
    expect(await states(await startServer({ dataDir: server.dataDir }))).toEqual(['TASK_STATE_CANCELED']);
  });

  it('ends at once at the second signal, and the next server says what was cut off', async () => {
    const server = await startServer({ ...script('setInterval(() => {}, 1000)'), flags: ['--grace', '1h'] });
    await begin(server, 'go');
    const first = server.stop('SIGINT');
    // npm passes the terminal's Ctrl-C on, so that it comes twice at once: no second signal.
    process.kill(server.pid, 'SIGINT');
    await expect.poll(() => server.stderr()).toContain('stopping');
    await pause(500);
    expect(isAlive(server.pid)).toBe(true);
    const before = performance.now();
    await server.stop('SIGINT');
    expect(await first).toBe(130);
    expect(performance.now() - before).toBeLessThan(2_000);
    const again = await startServer({ dataDir: server.dataDir });
    expect(await states(again)).toEqual(['TASK_STATE_FAILED']);
    expect(again.stderr()).toContain('"interrupted":1');
  });

  it('takes no new work meanwhile', async () => {
    const server = await startServer({ ...script('setTimeout(() => {}, 1500)'), flags: ['--grace', '10s'] });
    const { peer } = await begin(server, 'go');
    const ended = server.stop();
    await expect.poll(() => server.stderr()).toContain('stopping');
    await expect(ask(peer, { prompt: 'more' }, signal)).rejects.toMatchObject({
      code: expect.stringMatching(/BUSY|PEER_UNREACHABLE/),
    });
    expect(await ended).toBe(0);
  });
});

describe('kedi-a2a', () => {
  it('lists the kinds of agent, and the options of one', async () => {
    const list = runCommand(['agents']);
    expect(await list.ended()).toBe(0);
    for (const { kind, summary } of agentKinds)
      expect(list.stdout()).toContain(`${kind} `.trimEnd() && summary);
    const one = runCommand(['agents', 'command']);
    expect(await one.ended()).toBe(0);
    expect(one.stdout()).toContain('command  list of text, required');
    const none = runCommand(['agents', 'nobody']);
    expect(await none.ended()).toBe(1);
    expect(none.stderr()).toMatch(/There is no kind of agent "nobody"; there are demo, command/);
  });

  it('tells its version, and shows its help for an unknown command', async () => {
    const run = runCommand(['--version']);
    expect(await run.ended()).toBe(0);
    expect(run.stdout()).toMatch(/^\d+\.\d+\.\d+\n$/);
    const unknown = runCommand(['sevre']);
    expect(await unknown.ended()).toBe(1);
    expect(unknown.stderr()).toMatch(/unknown command 'sevre'[\s\S]*Did you mean serve/);
  });
});

/** The states of all tasks of a server. */
async function states({ url }: ServerProcess): Promise<readonly string[]> {
  const { result } = await callJson(url, 'ListTasks', {});
  return result.tasks.map(({ status }: { readonly status: { readonly state: string } }) => status.state);
}
