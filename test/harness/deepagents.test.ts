import { mkdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { deepAgents } from '../../src/agents/deepagents.js';
import { readAgentOptions } from '../../src/agents/index.js';
import { ask, openPeer, produce } from '../../src/client/index.js';
import type { Agent, Turn } from '../../src/domain/agent.js';
import { createJudge } from '../../src/schema/index.js';
import { deepAgentsFixture } from '../agents/contract/deepagents.js';
import { contract } from '../agents/contract.js';
import { ofType } from '../agents/support/events.js';
import { answerOf, eventsOf, finish, newTurn, type Ran } from '../agents/support/turn.js';
import { startA2aHost } from '../support/a2a-host.js';
import { inOrder, type ModelScript, startModelServer } from '../support/model-server.js';
import { temporaryDirectory } from '../support/temporary.js';
import { findProgram } from './programs.js';
import { widget, widgetSchema } from './widget.js';

const found = findProgram('deepagents');
if ('missing' in found) console.error(`SKIPPED: deepagents: ${found.missing}`);

describe.skipIf('missing' in found)('Deep Agents', () => {
  // Every directory of a test is then within the project in which the packages are installed.
  beforeAll(() => {
    const temporary = 'missing' in found ? '' : join(found.directory, 'tmp');
    mkdirSync(temporary, { recursive: true });
    vi.stubEnv('TMPDIR', temporary);
  });
  afterAll(() => vi.unstubAllEnvs());

  contract(deepAgentsFixture);
  describe('with their own library', () => tests());
});

function tests(): void {
  const judge = createJudge();
  afterAll(() => judge.close());

  type Options = Readonly<Record<string, unknown>>;

  const optionsFor = (url: string, more: Options = {}): Options => ({
    provider: '@langchain/openai',
    model: 'scripted',
    settings: { maxRetries: 0, apiKey: 'key', configuration: { baseURL: `${url}/v1` } },
    ...more,
  });

  const made = async (options: Options, directory?: string): Promise<Agent> =>
    deepAgents.create(readAgentOptions(deepAgents, JSON.stringify(options)), {
      env: {},
      directory: directory ?? (await temporaryDirectory()),
      warn: () => {},
    });

  async function modelled(script: ModelScript, more: Options = {}) {
    const model = await startModelServer(script);
    onTestFinished(() => model.close());
    return { agent: await made(optionsFor(model.url, more)), model };
  }

  const run = async (agent: Agent, turn: Partial<Turn> = {}): Promise<Ran> =>
    finish(agent.run(await newTurn(turn)));

  it('delivers the document of its model to a client, byte for byte, and goes on after a restart', async () => {
    const model = await startModelServer(
      inOrder({ do: 'text', text: widget }, { do: 'text', text: 'I did.' }),
    );
    onTestFinished(() => model.close());
    const directory = await temporaryDirectory();
    const flags = { agent: 'deepagents', agentOptions: JSON.stringify(optionsFor(model.url)) };
    const { signal } = new AbortController();
    const first = await startA2aHost({ flags, directory });
    const schema = await judge.compile(widgetSchema);
    const product = await produce(
      await openPeer(first.url, { signal }),
      { prompt: 'A widget.', schema },
      signal,
    );
    expect(product).toMatchObject({ kind: 'document', document: widget });
    await first.close();
    const second = await startA2aHost({ flags, directory });
    const { contextId } = product;
    await ask(await openPeer(second.url, { signal }), { prompt: 'Did you?', contextId }, signal);
    expect(model.requests.at(-1)?.messages.slice(-3)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', text: widget },
      { role: 'user', text: 'Did you?' },
    ]);
  });

  it('shows its tools, and a subagent under the call that it works for, whose words are not the answer', async () => {
    const task = {
      name: 'task',
      input: '{"description":"say hi","subagent_type":"general-purpose","n":9007199254740993}',
    };
    const { agent } = await modelled(
      inOrder(
        { do: 'tools', calls: [task] },
        { do: 'tools', calls: [{ name: 'ls', input: '{"path":"/"}' }] },
        { do: 'text', text: 'Says the subagent.' },
        { do: 'text', text: 'Says the agent.' },
      ),
    );
    const ran = await run(agent);
    expect(answerOf(ran)).toBe('Says the agent.');
    const events = eventsOf(ran.lines);
    const parent = 'call_1_0';
    expect(ofType(events, 'tool_call')).toEqual([
      { type: 'tool_call', id: parent, name: 'task', input: task.input },
      { type: 'tool_call', id: 'call_2_0', name: 'ls', input: '{"path":"/"}', parent },
    ]);
    expect(ofType(events, 'tool_result')).toMatchObject([
      { id: 'call_2_0', ok: true, parent },
      { id: parent, ok: true, text: 'Says the subagent.' },
    ]);
    const subagent = ofType(events, 'delta').filter((event) => event.parent === parent);
    expect(subagent.map(({ text }) => text).join('')).toBe('Says the subagent.');
    expect(ofType(events, 'usage')).toEqual([
      {
        type: 'usage',
        finishReason: 'stop',
        model: 'scripted',
        usage: '{"input_tokens":44,"output_tokens":28,"total_tokens":72}',
      },
    ]);
  });

  it('is stopped by a bound on its steps', async () => {
    const { agent, model } = await modelled(
      () => ({ do: 'tools', calls: [{ name: 'ls', input: '{"path":"/"}' }] }),
      { recursionLimit: 20 },
    );
    await expect(run(agent)).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: 'The agent did not come to an end within 20 steps.',
    });
    expect(model.requests.length).toBeLessThan(20);
  });

  it('works on the files of the workspace only where that is allowed', async () => {
    const write = { name: 'write_file', input: '{"file_path":"/note.txt","content":"kept"}' };
    const script = (): ModelScript => inOrder({ do: 'tools', calls: [write] }, { do: 'text', text: 'Done.' });
    const workspace = await temporaryDirectory();
    await run((await modelled(script())).agent, { workspace });
    await expect(readFile(join(workspace, 'note.txt'))).rejects.toThrow();
    await run((await modelled(script(), { files: 'workspace' })).agent, { workspace });
    expect(await readFile(join(workspace, 'note.txt'), 'utf8')).toBe('kept');
    const outside = { name: 'write_file', input: '{"file_path":"../escaped.txt","content":"no"}' };
    const escaping = await modelled(
      inOrder({ do: 'tools', calls: [outside] }, { do: 'text', text: 'Done.' }),
      { files: 'workspace' },
    );
    await run(escaping.agent, { workspace }).catch(() => {});
    await expect(readFile(join(workspace, '../escaped.txt'))).rejects.toThrow();
  });

  it.each([
    ['length', /cut off at its limit of tokens/],
    ['content-filter', /stopped by the filter/],
  ] as const)('never passes off an answer as whole that was ended by %s', async (reason, message) => {
    const { agent } = await modelled(() => ({ do: 'text', text: '{}', finish: reason }));
    await expect(run(agent, { output: await judge.compile('{}') })).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('fails where the connection is lost, and as unavailable where there is none', async () => {
    const dropped = await modelled(() => ({ do: 'drop', text: '{"id":1}' }));
    await expect(run(dropped.agent, { output: await judge.compile('{}') })).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: expect.stringMatching(/closed|terminated/),
    });
    await expect(run(await made(optionsFor('http://127.0.0.1:9')))).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
    });
  });

  it('may be a deep agent of the operator’s own, with its tools, or one that keeps its conversations', async () => {
    const model = await startModelServer(({ messages }) => ({
      do: 'text',
      text: messages
        .filter(({ role }) => role === 'user')
        .map(({ text }) => text)
        .join(' | '),
    }));
    onTestFinished(() => model.close());
    const directory = await temporaryDirectory();
    const source = (checkpointer: string) => `
      import { createDeepAgent } from 'deepagents';
      import { ChatOpenAI } from '@langchain/openai';
      import { MemorySaver } from '@langchain/langgraph';
      const model = new ChatOpenAI({ model: 'mine', apiKey: 'key', maxRetries: 0, configuration: { baseURL: '${model.url}/v1' } });
      ${checkpointer === '' ? 'export default async ({ workspace }) => createDeepAgent({ model, systemPrompt: workspace })' : `export default createDeepAgent({ model, checkpointer: ${checkpointer} })`};`;
    await writeFile(join(directory, 'mine.mjs'), source(''));
    await writeFile(join(directory, 'keeping.mjs'), source('new MemorySaver()'));
    const mine = await made({ agent: './mine.mjs' }, directory);
    const workspace = await temporaryDirectory();
    expect(answerOf(await run(mine, { prompt: 'one', workspace }))).toBe('one');
    expect(model.requests.at(-1)?.body).toContain(workspace);
    const keeping = await made({ agent: './keeping.mjs' }, directory);
    const history = async (): Promise<never> => {
      throw new Error('it is not asked for what was said before');
    };
    for (const [prompt, answer] of [
      ['one', 'one'],
      ['two', 'one | two'],
    ] as const) {
      expect(answerOf(await run(keeping, { prompt, contextId: 'context', history }))).toBe(answer);
    }
  });

  it.each([
    [{}, /needs the options "provider" and "model", or "agent"/],
    [{ agent: './a.mjs', model: 'm' }, /"model" has no meaning beside "agent"/],
    [{ agent: './none.mjs' }, /none\.mjs cannot be loaded/],
    [{ provider: '@langchain/none', model: 'm' }, /@langchain\/none is not installed/],
    [
      { provider: '@langchain/openai', model: 'm', class: 'ChatNone' },
      /exports no class "ChatNone"; it has .*ChatOpenAI/,
    ],
    [{ provider: '@langchain/openai', model: 'm', apiKeyEnv: 'NO_SUCH' }, /NO_SUCH is not set/],
  ])('are refused before anything is served where their options are wrong: %j', async (options, message) => {
    const failure: unknown = await made(options).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'SETTINGS_INVALID', message: expect.stringMatching(message) });
  });
}
