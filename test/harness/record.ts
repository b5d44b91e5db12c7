import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { findAgentKind } from '../../src/agents/index.js';
import { createJudge } from '../../src/schema/index.js';
import { finish, newTurn } from '../agents/support/turn.js';
import { inOrder, type ModelStep, startModelServer } from '../support/model-server.js';
import { findProgram } from './programs.js';
import { agentOf, setups } from './setups.js';
import { widget, widgetSchema } from './widget.js';

/** Writes test/fixtures/harness from what the real programs print: `KEDI_RECORD=1 npm run test:harness`. */
const fixtures =
  process.env.KEDI_RECORD_TO ?? fileURLToPath(new URL('../fixtures/harness/', import.meta.url));

interface Scene {
  readonly name: string;
  readonly steps: readonly ModelStep[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly prompt?: string;
  readonly interrupt?: { readonly signal: NodeJS.Signals; readonly afterMs: number };
}

const text = (said: string): ModelStep => ({ do: 'text', text: said });
const document: ModelStep = { do: 'structured', document: widget };
const calls = (...list: readonly (readonly [string, string])[]): ModelStep => ({
  do: 'tools',
  text: 'Let me look.',
  calls: list.map(([name, input]) => ({ name, input })),
});
const few = { CLAUDE_CODE_MAX_RETRIES: '2' };
const slow: ModelStep = {
  do: 'slow',
  text: 'This takes a long time to say, and somebody ends it.',
  everyMs: 400,
};
const withSchema = ['--json-schema', widgetSchema];

const claude: readonly Scene[] = [
  { name: 'text', steps: [{ do: 'text', text: 'Hello there, wörld 😀.', thinking: 'Let me think.' }] },
  { name: 'structured', steps: [document], args: withSchema },
  {
    name: 'tools',
    steps: [
      calls(['Read', '{"file_path":"a.txt","limit":9.0}'], ['Bash', '{"command":"touch /etc/no"}']),
      text('It says hello.'),
    ],
  },
  {
    name: 'subagent',
    steps: [
      calls(['Task', '{"description":"sub","prompt":"Do it","subagent_type":"general-purpose"}']),
      text('It is at work.'),
      text('I am the subagent.'),
      text('All done.'),
    ],
  },
  { name: 'wrong-document', steps: [{ do: 'structured', document: '{"id":"no"}' }], args: withSchema },
  {
    name: 'corrected-document',
    steps: [{ do: 'structured', document: '{"id":"no"}' }, document],
    args: withSchema,
  },
  { name: 'no-document', steps: [text('I would rather not.')], args: withSchema },
  { name: 'unauthorized', steps: [{ do: 'status', status: 401 }], env: few },
  {
    name: 'retries',
    steps: [{ do: 'status', status: 429, retryAfter: '1' }, { do: 'status', status: 500 }, text('At last.')],
    env: few,
  },
  { name: 'server-error', steps: [{ do: 'status', status: 500 }], env: few },
  { name: 'dropped', steps: [{ do: 'drop' }, text('The second try.')], env: few },
  {
    name: 'fallback-without-stream',
    steps: [{ do: 'drop' }, { do: 'drop' }, { do: 'drop' }, document],
    args: withSchema,
    env: few,
  },
  { name: 'interrupted', steps: [slow], interrupt: { signal: 'SIGINT', afterMs: 1500 } },
  { name: 'terminated', steps: [slow], interrupt: { signal: 'SIGTERM', afterMs: 1500 } },
  {
    name: 'unknown-session',
    steps: [text('Hello.')],
    args: ['--resume', '11111111-1111-4111-8111-111111111111'],
  },
  {
    name: 'too-many-turns',
    steps: [calls(['Read', '{"file_path":"a.txt"}'])],
    args: ['--max-turns', '2'],
  },
  {
    name: 'over-budget',
    steps: [calls(['Read', '{"file_path":"a.txt"}'])],
    args: ['--max-budget-usd', '0.0001'],
  },
];

const command = (cmd: string): readonly [string, string] => ['exec_command', JSON.stringify({ cmd })];
const patch = `apply_patch <<EOF
*** Begin Patch
*** Add File: b.txt
+new
*** End Patch
EOF
`;
const echo = (input: string) => ({ namespace: 'mcp__echo', name: 'echo', input });
const toolServer = fileURLToPath(new URL('tool-server.js', import.meta.url));
const schemaFile = ['--output-schema', 'SCHEMA'];

const codex: readonly Scene[] = [
  { name: 'text', steps: [{ do: 'text', text: 'Hello there, wörld 😀.', thinking: 'Let me think.' }] },
  { name: 'structured', steps: [document], args: schemaFile },
  { name: 'prose', steps: [text('I would rather not.')], args: schemaFile },
  {
    name: 'commands',
    steps: [calls(command('cat a.txt; echo x >&2')), calls(command('exit 3')), text('Done.')],
  },
  {
    name: 'patch',
    steps: [calls(command(patch)), text('Done.')],
    args: ['-c', 'sandbox_mode="workspace-write"'],
  },
  {
    name: 'tools',
    steps: [
      {
        do: 'tools',
        text: 'Echo.',
        calls: [echo('{"value":78.0,"id":9007199254740993}'), echo('{"fail":true}')],
      },
      text('Done.'),
    ],
    args: [
      ...['-c', `mcp_servers.echo={command="node",args=["${toolServer}"]}`],
      ...['-c', 'approval_policy="never"'],
    ],
  },
  {
    name: 'subagent',
    steps: [
      {
        do: 'tools',
        text: 'Delegating.',
        calls: [{ namespace: 'multi_agent_v1', name: 'spawn_agent', input: '{"message":"do it"}' }],
      },
      text('Said.'),
    ],
  },
  { name: 'unauthorized', steps: [{ do: 'status', status: 401 }] },
  { name: 'server-error', steps: [{ do: 'status', status: 500 }] },
  {
    name: 'bad-schema',
    steps: [{ do: 'status', status: 400, message: 'Invalid schema.' }],
    args: schemaFile,
  },
  { name: 'retries', steps: [{ do: 'status', status: 429, retryAfter: '1' }, text('At last.')] },
  { name: 'dropped', steps: [{ do: 'drop' }, text('The second try.')] },
  { name: 'cut-short', steps: [{ do: 'text', text: 'It is cut', finish: 'length' }] },
  { name: 'terminated', steps: [slow], interrupt: { signal: 'SIGTERM', afterMs: 1500 } },
  {
    name: 'unknown-session',
    steps: [text('Hello.')],
    args: ['resume', '01a22d22-267b-7920-b7e5-4a3c8b6a8e99'],
  },
];

test.each(codex)('codex $name', (scene) =>
  record('codex', scene, ({ url }) => ({
    args: [
      ...['exec', '--json', '--skip-git-repo-check', '-c', 'model="gpt-5"', '-c', 'model_provider="test"'],
      ...[
        '-c',
        `model_providers.test={name="test",base_url="${url}/v1",wire_api="responses",env_key="KEY",request_max_retries=1,stream_max_retries=2}`,
      ],
      // Else it waits for five seconds at its end for a host that is not to be reached.
      ...['-c', 'analytics.enabled=false'],
    ],
    env: { KEY: 'key' },
  })),
);

test.each(claude)('claude-code $name', (scene) =>
  record('claude-code', scene, ({ url }) => ({
    args: ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'key' },
  })),
);

interface AcpScene extends Pick<Scene, 'name' | 'steps'> {
  readonly program: string;
  readonly variant?: string;
  readonly typed?: true;
}

const acp: readonly AcpScene[] = [
  ...['claude-agent-acp', 'codex-acp', 'gemini', 'opencode'].map((program) => ({
    program,
    name: 'text',
    steps: [{ do: 'text', text: 'Hello there, wörld.', thinking: 'Let me think.' } as const],
  })),
  {
    program: 'claude-agent-acp',
    name: 'text-v2',
    variant: 'ACP v2 draft',
    steps: [text('Hello there, wörld.')],
  },
  { program: 'claude-agent-acp', name: 'structured', steps: [document, text('Done.')], typed: true },
  { program: 'codex-acp', name: 'server-error', steps: [{ do: 'status', status: 500 }] },
  {
    program: 'claude-agent-acp',
    name: 'tools',
    steps: [
      calls(['Read', '{"file_path":"a.txt","limit":9.0}'], ['Bash', '{"command":"touch /etc/no"}']),
      text('Done.'),
    ],
  },
  {
    program: 'codex-acp',
    name: 'tools',
    steps: [calls(command('cat a.txt')), calls(command('exit 3')), text('Done.')],
  },
  {
    program: 'gemini',
    name: 'tools',
    steps: [
      calls(['read_file', '{"file_path":"a.txt"}'], ['run_shell_command', '{"command":"echo hi"}']),
      text('Done.'),
    ],
  },
  {
    program: 'opencode',
    name: 'tools',
    steps: [
      calls(
        ['read', '{"filePath":"a.txt","limit":9.0}'],
        ['bash', '{"command":"echo hi","description":"hi"}'],
      ),
      text('Done.'),
    ],
  },
];

/** An ACP agent has to be talked to, so its lines are those that our own agent yields. */
test.each(acp)('$program $name', async (scene) => {
  const setup = setups.find((each) => each.name === scene.program && each.variant === scene.variant);
  const program = findProgram(scene.program);
  if (setup === undefined || 'missing' in program) throw new Error(`${scene.program} cannot be had`);
  const directory = await mkdtemp(join(tmpdir(), 'record-'));
  const [home, workspace] = [join(directory, 'home'), join(directory, 'work')];
  await mkdir(home);
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), 'hello file\n');
  const play = inOrder(...scene.steps);
  // What a program asks its model on its own account comes without tools.
  const model = await startModelServer((request) =>
    request.tools.length === 0 ? text('A title') : play(request),
  );
  const judge = createJudge();
  try {
    const { agent, options } = agentOf(setup, { program, url: model.url, directory });
    const made = await findAgentKind(agent).create(options, { env: process.env, directory, warn: () => {} });
    const output = scene.typed === true ? await judge.compile(widgetSchema) : undefined;
    const run = made.run(await newTurn({ prompt: 'Say something.', workspace, output }));
    const lines: string[] = [];
    await finish(run, ({ raw, channel }) => {
      if (channel === 'stdout') lines.push(Buffer.from(raw).toString());
    }).catch(() => {});
    await mkdir(join(fixtures, scene.program), { recursive: true });
    const written = cleaned(`${lines.join('\n')}\n`, { directory, home, workspace, url: model.url });
    await writeFile(join(fixtures, scene.program, `${scene.name}.jsonl`), written);
    console.log(`${scene.program} ${scene.name}: ${lines.length} lines`);
  } finally {
    await judge.close();
    await model.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Nothing of this machine is in a recording. */
const cleaned = (
  text: string,
  { directory, home, workspace, url }: Readonly<Record<'directory' | 'home' | 'workspace' | 'url', string>>,
): string =>
  text
    .replaceAll(workspace, '/workspace')
    .replaceAll(workspace.slice(1), 'workspace')
    .replaceAll(home, '/home/user')
    .replaceAll(directory.replaceAll('/', '-'), '-directory')
    .replaceAll(new URL(url).host, '127.0.0.1:1234');

async function record(
  kind: string,
  scene: Scene,
  settings: (model: { url: string; home: string }) => {
    args: readonly string[];
    env: Record<string, string>;
  },
): Promise<void> {
  const program = findProgram(kind);
  if ('missing' in program) throw new Error(program.missing);
  const directory = await mkdtemp(join(tmpdir(), 'record-'));
  const [home, workspace] = [join(directory, 'home'), join(directory, 'work')];
  await mkdir(home);
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), 'hello file\n');
  const schema = join(directory, 'schema.json');
  await writeFile(schema, widgetSchema);
  const model = await startModelServer(inOrder(...scene.steps));
  try {
    const { args, env } = settings({ url: model.url, home });
    const child = spawn(
      program.bin,
      [...args, ...(scene.args ?? []).map((each) => (each === 'SCHEMA' ? schema : each))],
      {
        cwd: workspace,
        env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', ...env, ...scene.env },
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    );
    child.stdin.end(scene.prompt ?? 'Say something.');
    const written = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      written.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      written.stderr += chunk;
    });
    const { interrupt } = scene;
    if (interrupt !== undefined) setTimeout(() => child.kill(interrupt.signal), interrupt.afterMs);
    const exit = await new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)));
    const folder = join(fixtures, kind);
    await mkdir(folder, { recursive: true });
    const clean = (said: string): string => cleaned(said, { directory, home, workspace, url: model.url });
    await writeFile(join(folder, `${scene.name}.jsonl`), clean(written.stdout));
    // Where a program says on stderr alone what went wrong.
    if (!written.stdout.includes('\n{'))
      await writeFile(join(folder, `${scene.name}.stderr`), clean(written.stderr));
    console.log(`${kind} ${scene.name}: ended with ${exit}, ${written.stdout.split('\n').length - 1} lines`);
  } finally {
    await model.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}
