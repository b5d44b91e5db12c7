import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { streamJson } from '../../src/agents/kit/stream-json.js';
import { module } from '../../src/agents/module.js';
import { lineOf } from '../../src/agents/saying.js';
import type { Agent, Turn } from '../../src/domain/agent.js';
import { KediError } from '../../src/domain/errors.js';
import type { OutputSchema } from '../../src/domain/schema.js';
import { jsonText } from '../../src/schema/document.js';
import { temporaryDirectory } from '../support/temporary.js';
import { fixture } from './support/processes.js';
import { answerOf, eventsOf, finish, newTurn, type Ran } from './support/turn.js';

const load = (path: string, options: Readonly<Record<string, unknown>> = {}): Promise<Agent> =>
  Promise.resolve(module.create({ path, options }, { env: {}, directory: fixture(''), warn: () => {} }));

const act = async (prompt: string, turn: Partial<Turn> = {}, options = {}): Promise<Ran> => {
  const agent = await load('actor.js', options);
  return finish(agent.run(await newTurn({ prompt, ...turn })));
};

const output: OutputSchema = {
  text: jsonText(true),
  check: async () => ({
    ok: false,
    code: 'RESULT_INVALID',
    violation: { pointer: '', keyword: 'type', message: 'must be a string' },
  }),
};

/** A module with that source; its agent is loaded at once. */
const written = async (source: string): Promise<Agent> => {
  const path = join(await temporaryDirectory(), 'agent.mjs');
  await writeFile(path, source);
  return load(path);
};

const inputOf = async (prompt: string) => eventsOf((await act(prompt)).lines)[0];

describe('an agent of the user’s own', () => {
  it('says what it yields, and a text that it returns is its last message', async () => {
    expect(answerOf(await act('say one two'))).toBe('one two');
    expect(answerOf(await act('say-and-return this'))).toBe('this\n\nand this');
    expect((await act('return this alone')).outcome).toEqual({ kind: 'text', text: 'this alone' });
  });

  it('returns JSON text for a structured request, which is the document as it stands', async () => {
    const { outcome, lines } = await act('document', { output }, { document: ' {"price":78.0}' });
    expect(outcome).toEqual({ kind: 'json', document: ' {"price":78.0}' });
    expect(eventsOf(lines)).toEqual([{ type: 'delta', text: 'Looking it up.' }]);
  });

  it('may return a value instead, which counts as parsed by somebody', async () => {
    expect((await act('value {"a":[1,2.5]}', { output })).outcome).toEqual({
      kind: 'json',
      document: '{"a":[1,2.5]}',
      parsed: true,
    });
    expect((await act('value {"a":1}')).outcome).toEqual({ kind: 'text', text: '{"a":1}' });
    await expect(act('bigint', { output })).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: expect.stringContaining('no JSON'),
    });
  });

  it('can see what the check of its document will say', async () => {
    const { outcome } = await act('check 1', { output });
    expect(outcome).toMatchObject({ kind: 'json', document: expect.stringContaining('must be a string') });
  });

  it('asks, asks for a credential, or declines', async () => {
    expect((await act('ask Which one?')).outcome).toEqual({ kind: 'question', text: 'Which one?' });
    expect((await act('ask-credential Token?')).outcome).toEqual({
      kind: 'question',
      text: 'Token?',
      auth: true,
    });
    expect((await act('reject no')).outcome).toEqual({ kind: 'rejected', reason: 'no' });
  });

  it('shows tools, status, usage and artifacts, with their numbers as they were written', async () => {
    expect(
      await inputOf(
        'yield {"type":"tool_call","id":"1","name":"n","inputJson":"{\\"id\\":9007199254740993}"}',
      ),
    ).toMatchObject({ type: 'tool_call', id: '1', name: 'n', input: '{"id":9007199254740993}' });
    expect(
      await inputOf('yield {"type":"tool_result","id":"1","ok":true,"text":"t","parent":"0"}'),
    ).toMatchObject({ type: 'tool_result', id: '1', ok: true, text: 't', parent: '0' });
    expect(await inputOf('yield {"type":"status","status":"s","text":"t"}')).toMatchObject({
      type: 'status',
      status: 's',
      text: 't',
    });
    expect(
      await inputOf('yield {"type":"usage","model":"m","usageJson":"{\\"n\\":1.0}","costUsd":0.5}'),
    ).toMatchObject({ type: 'usage', finishReason: 'stop', model: 'm', usage: '{"n":1.0}', costUsd: '0.5' });
    expect(
      await inputOf(
        'yield {"type":"artifact","id":"a","name":"n","parts":[{"json":"1.0"},{"text":"t"}],"last":false}',
      ),
    ).toMatchObject({
      type: 'artifact',
      artifactId: 'a',
      name: 'n',
      parts: [
        { kind: 'data', json: '1.0' },
        { kind: 'text', text: 't' },
      ],
      append: false,
      lastChunk: false,
    });
    expect(await inputOf('bytes abc')).toMatchObject({
      parts: [{ kind: 'raw', bytes: new Uint8Array(Buffer.from('abc')), filename: 'a.bin' }],
    });
  });

  it('may use a buffer again for the next thing that it yields', () => {
    const bytes = Buffer.from('first');
    const line = lineOf({ type: 'artifact', id: 'a', parts: [{ bytes }] }, streamJson({ sessionId: 's' }));
    bytes.write('other');
    expect(line.events).toMatchObject([{ parts: [{ bytes: new Uint8Array(Buffer.from('first')) }] }]);
  });

  it('is told exactly what is wrong with what it yields or returns', async () => {
    const fails = async (prompt: string, message: string) =>
      expect(act(prompt)).rejects.toMatchObject({ code: 'AGENT_FAILED', message });
    await fails('yield 7', 'The agent yielded a number, not a string or an object with a type.');
    await fails('yield {"type":"shout"}', 'The agent yielded an object of type "shout", which is not known.');
    await fails('yield {"type":"text","text":7}', 'The agent yielded a "text" whose "text" is a number.');
    await fails(
      'yield {"type":"tool_result","id":"1","text":"t"}',
      'The agent yielded a "tool_result" without its "ok".',
    );
    await fails(
      'yield {"type":"tool_call","id":"1","name":"n","inputJson":"{a}"}',
      expect.stringMatching(/^The agent yielded an "inputJson" that is not JSON \(.+ at offset 1\)\.$/),
    );
    await fails(
      'return-json {"answer":1}',
      'The agent returned an object, not a string or an object with "value", "question", "rejected" or "failed".',
    );
  });

  it('fails with a sentence for the client, or with an error that is for the server alone', async () => {
    await expect(act('fail out of ink')).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: 'out of ink',
    });
    const thrown = await act('throw postgres://user:password@host').catch((error: unknown) => error);
    expect(thrown).not.toBeInstanceOf(KediError);
    expect(thrown).toMatchObject({ message: 'postgres://user:password@host' });
  });

  it('may be a plain function, and be a message instead of a task', async () => {
    const agent = await written(
      'export default { run: async (turn) => "hello " + turn.prompt, reply: async (turn) => turn.prompt === "ping" ? "pong" : undefined };',
    );
    expect((await finish(agent.run(await newTurn({ prompt: 'you' })))).outcome).toEqual({
      kind: 'text',
      text: 'hello you',
    });
    expect(await agent.reply?.(await newTurn({ prompt: 'ping' }))).toEqual([{ kind: 'text', text: 'pong' }]);
    expect(await agent.reply?.(await newTurn({ prompt: 'else' }))).toBeUndefined();
  });

  it('is given time to tidy up when it is canceled', async () => {
    const tidied: string[] = [];
    const controller = new AbortController();
    const agent = await load('actor.js', { tidied });
    const running = agent.run(await newTurn({ prompt: 'tidy up', signal: controller.signal }));
    await running.next();
    setTimeout(() => controller.abort(new Error('canceled')), 20);
    await expect(running.next()).rejects.toThrow('canceled');
    expect(tidied).toEqual(['up']);
  });
});

describe('a module that cannot be an agent', () => {
  const refused = (agent: Promise<Agent>) =>
    expect(agent).rejects.toMatchObject({ code: 'SETTINGS_INVALID', message: expect.any(String) });

  it('is refused before anything is served, by a sentence that names the file', async () => {
    await expect(load('no-such.js')).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringMatching(/^The module \S+no-such\.js cannot be loaded: /),
    });
    await expect(written('export default 7;')).rejects.toMatchObject({
      code: 'SETTINGS_INVALID',
      message: expect.stringContaining('export default defineAgent'),
    });
    await refused(written('syntax error'));
    await refused(written('throw new Error("no network")'));
  });
});
