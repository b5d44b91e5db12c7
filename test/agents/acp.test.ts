import { readFileSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { acp } from '../../src/agents/acp.js';
import { readAgentOptions } from '../../src/agents/index.js';
import type { Turn } from '../../src/domain/agent.js';
import type { Message } from '../../src/domain/message.js';
import { createJudge, readDocument } from '../../src/schema/index.js';
import { widget, widgetSchema } from '../harness/widget.js';
import { temporaryDirectory } from '../support/temporary.js';
import { told } from './support/events.js';
import { fake } from './support/recorded.js';
import { answerOf, eventsOf, finish, newTurn } from './support/turn.js';

const judge = createJudge();
afterAll(() => judge.close());

/** Runs one turn of the fake agent; `sent` are the lines that it read. */
async function ask(
  env: Readonly<Record<string, string>>,
  { options = {}, turn = {} }: { options?: Readonly<Record<string, unknown>>; turn?: Partial<Turn> } = {},
) {
  const directory = await temporaryDirectory();
  const log = join(directory, 'sent');
  const given = { ...options, bin: fake('acp-agent.js'), env: { ...env, FAKE_LOG: log } };
  const agent = await acp.create(readAgentOptions(acp, JSON.stringify(given)), {
    env: { PATH: process.env.PATH, HOME: directory },
    directory,
    warn: () => {},
  });
  const sent = (method: string): string | undefined =>
    readFileSync(log, 'utf8')
      .split('\n')
      .find((line) => line.includes(`"method":"${method}"`));
  const ran = await finish(agent.run(await newTurn(turn)));
  return { ran, answer: answerOf(ran), sent, events: eventsOf(ran.lines) };
}

const widgetOutput = () => judge.compile(widgetSchema);

describe.each([1, 2] as const)('an ACP agent that speaks version %i', (version) => {
  const env = { FAKE_PROTOCOL: String(version) };
  const options = { protocol: version };

  it('prints a banner that is shown raw, and warnings that are none of the answer', async () => {
    const { ran, answer, events } = await ask(env, { options, turn: { prompt: 'Hello' } });
    expect(answer).toBe('Hello');
    const raw = ran.lines
      .filter(({ events }) => events === undefined)
      .map(({ raw }) => Buffer.from(raw).toString());
    expect(raw).toEqual([
      '  Welcome to the agent!  ',
      '{"level":"info","msg":"a line of JSON that is no message"}',
    ]);
    expect(told(events)).toEqual([['warning', '**Warning:** this is none of the answer.']]);
  });

  it('is given the exact schema as its response format, where it has that capability', async () => {
    const schema = `{"description":"${'x'.repeat(300_000)}",\n "multipleOf":9007199254740993.50, ${widgetSchema.slice(1)}`;
    const read = readDocument(schema);
    if (!read.ok) throw new Error(read.reason);
    const output = { ...(await widgetOutput()), text: read.json };
    const { ran, sent } = await ask(
      { ...env, FAKE_FORMAT: '1', FAKE_DOCUMENT: widget },
      { options, turn: { prompt: 'y'.repeat(300_000), output } },
    );
    expect(ran.outcome).toEqual({ kind: 'json', document: widget });
    const format = `"responseFormat":{"type":"json","name":"kedi-structured-output","schema":${schema.replaceAll('\n', ' ')}}`;
    // Not `toContain`, which would print both.
    expect(sent('session/prompt')?.includes(format)).toBe(true);
    expect(sent('session/prompt')).not.toContain('Answer with one JSON document');
  });

  it('has its document taken as it is, though it looks like a wrapped one', async () => {
    const turn = { output: await judge.compile('{"anyOf":[{"type":"object"},{"type":"null"}]}') };
    const { ran } = await ask({ ...env, FAKE_FORMAT: '1', FAKE_DOCUMENT: '{"value":1}' }, { options, turn });
    expect(ran.outcome).toEqual({ kind: 'json', document: '{"value":1}' });
  });

  it('is never given a response format that it did not ask for', async () => {
    const { ran, sent } = await ask(
      { ...env, FAKE_DOCUMENT: `Well:\n${widget}\nThat is all.` },
      { options, turn: { output: await widgetOutput() } },
    );
    expect(ran.outcome).toEqual({ kind: 'json', document: widget });
    expect(sent('session/prompt')).not.toContain('responseFormat');
    expect(sent('session/prompt')).toContain('Answer with one JSON document');
  });

  it('takes a schema in private metadata, where the operator says so', async () => {
    const structured = { via: 'meta', on: 'prompt', path: ['vendor', 'outputSchema'] };
    const { ran, sent } = await ask(
      { ...env, FAKE_DOCUMENT: widget },
      { options: { ...options, structured }, turn: { output: await widgetOutput() } },
    );
    expect(ran.outcome).toEqual({ kind: 'json', document: widget });
    expect(sent('session/prompt')).toContain(`"_meta":{"vendor":{"outputSchema":${widgetSchema}}}`);
  });

  it('is not asked for a document by words where the operator forbids it', async () => {
    const turn = { output: await widgetOutput() };
    await expect(ask(env, { options: { ...options, structured: 'native' }, turn })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    });
  });

  it.each(['max_tokens', 'max_turn_requests', 'refusal', 'cancelled', 'something_new'])(
    'has not answered where it stops for %s',
    async (reason) => {
      await expect(ask({ ...env, FAKE_STOP: reason }, { options })).rejects.toMatchObject({
        code: 'AGENT_FAILED',
        message: expect.stringMatching(reason),
      });
    },
  );

  it('may do what the operator allows, for once, and is denied all else', async () => {
    const asking = { ...env, FAKE_ASK: 'edit' };
    const denied = await ask(asking, { options: { ...options, permissions: ['read'] } });
    expect(JSON.parse(denied.answer)).toEqual({ outcome: { outcome: 'selected', optionId: 'reject_once' } });
    expect(told(denied.events)).toContainEqual(['permission_denied', 'Do it (edit): denied by the server.']);
    const allowed = await ask(asking, { options: { ...options, permissions: ['read', 'edit'] } });
    expect(JSON.parse(allowed.answer)).toEqual({ outcome: { outcome: 'selected', optionId: 'allow_once' } });
  });

  it('is told what was said before, where it cannot go on with its conversation', async () => {
    const history: Message[] = [
      {
        messageId: 'a',
        role: 'user',
        parts: [{ kind: 'text', text: 'one' }],
        extensions: [],
        referenceTaskIds: [],
      },
      {
        messageId: 'b',
        role: 'agent',
        parts: [{ kind: 'text', text: 'eins' }],
        extensions: [],
        referenceTaskIds: [],
      },
    ];
    const { sent, events } = await ask(
      { ...env, FAKE_FORGETS: version === 1 ? 'always' : 'unknown' },
      { options, turn: { prompt: 'two', session: 'gone', history: async () => history } },
    );
    expect(sent('session/prompt')).toContain(
      String.raw`"text":"The conversation so far:\n\nUser: one\n\nYou: eins\n\nUser: two"`,
    );
    expect(told(events)).toContainEqual([
      'session_lost',
      'The agent does not know the conversation gone any more; a new one is begun.',
    ]);
  });

  it('that asks a person something is declined', async () => {
    const call = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Who?', requestedSchema: {} },
    };
    const { answer } = await ask({ ...env, FAKE_CALL: JSON.stringify(call) }, { options });
    expect(JSON.parse(answer)).toEqual({ action: 'decline' });
  });
});

describe('an ACP agent', () => {
  it('that speaks another version says so', async () => {
    await expect(ask({ FAKE_PROTOCOL: '2' })).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(/speaks version 2 of ACP, not 1: see the option "protocol"\.$/),
    });
  });

  it('is logged in where that is wanted, and else says that it is not', async () => {
    const { answer } = await ask(
      { FAKE_LOGIN: 'key' },
      { options: { login: 'key' }, turn: { prompt: 'Hi' } },
    );
    expect(answer).toBe('Hi');
    await expect(ask({ FAKE_LOGIN: 'key' })).rejects.toMatchObject({
      code: 'AGENT_UNAVAILABLE',
      message: expect.stringMatching(/is not logged in: log in with it, or set the option "login"\.$/),
    });
  });

  it('whose login the model does not take is not available', async () => {
    await expect(ask({ FAKE_ERROR: '-32000' })).rejects.toMatchObject({ code: 'AGENT_UNAVAILABLE' });
  });

  it('that ends before it answers is a failure with its last words', async () => {
    const directory = await temporaryDirectory();
    const agent = await acp.create(
      { bin: '/bin/sh', args: ['-c', 'echo hello; echo "it is broken" >&2; exit 3'] },
      { env: { PATH: process.env.PATH }, directory, warn: () => {} },
    );
    await expect(finish(agent.run(await newTurn()))).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: '/bin/sh broke off the conversation and ended with exit code 3:\nit is broken',
    });
  });

  it('needs a preset or a program', async () => {
    await expect(
      (async () => acp.create({}, { env: {}, directory: '/', warn: () => {} }))(),
    ).rejects.toMatchObject({ code: 'SETTINGS_INVALID' });
  });
});

describe('what an ACP agent may do through its client', () => {
  const call = async (
    request: { method: string; params: (workspace: string) => object },
    options: Readonly<Record<string, unknown>>,
  ) => {
    const outside = await temporaryDirectory();
    const workspace = join(outside, 'work');
    await mkdir(workspace);
    await writeFile(join(outside, 'secret'), 'secret');
    await writeFile(join(workspace, 'a.txt'), 'one\ntwo\nthree\n');
    await symlink(join(outside, 'secret'), join(workspace, 'link'));
    await symlink(outside, join(workspace, 'out'));
    const FAKE_CALL = JSON.stringify({ method: request.method, params: request.params(workspace) });
    const { answer } = await ask({ FAKE_CALL }, { options, turn: { workspace } });
    return { answer: JSON.parse(answer), outside };
  };
  const read = (path: string, rest: object = {}) => ({
    method: 'fs/read_text_file',
    params: (workspace: string) => ({ path: join(workspace, path), ...rest }),
  });
  const write = (path: string) => ({
    method: 'fs/write_text_file',
    params: (workspace: string) => ({ path: join(workspace, path), content: 'new' }),
  });
  const refused = { code: expect.any(Number), message: expect.any(String) };

  it('is nothing, unless the operator allows it', async () => {
    expect((await call(read('a.txt'), {})).answer).toMatchObject({ code: -32601 });
    expect((await call(write('a.txt'), { files: 'read' })).answer).toMatchObject({ code: -32601 });
    const run = { method: 'terminal/create', params: () => ({ command: 'true' }) };
    expect((await call(run, { files: 'write' })).answer).toMatchObject({ code: -32601 });
  });

  it('is to read files, whole or by lines', async () => {
    expect((await call(read('a.txt'), { files: 'read' })).answer).toEqual({ content: 'one\ntwo\nthree\n' });
    expect((await call(read('a.txt', { line: 2, limit: 1 }), { files: 'read' })).answer).toEqual({
      content: 'two',
    });
  });

  it('is to write files', async () => {
    const { answer, outside } = await call(write('b.txt'), { files: 'write' });
    expect(answer).toEqual({});
    expect(await readFile(join(outside, 'work/b.txt'), 'utf8')).toBe('new');
  });

  it.each(['../secret', 'link', 'out/secret'])(
    'is never to reach %s, outside of its directory',
    async (path) => {
      expect((await call(read(path), { files: 'write' })).answer).toMatchObject(refused);
      const { answer, outside } = await call(write(path), { files: 'write' });
      expect(answer).toMatchObject(refused);
      expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
    },
  );
});
