import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAgentKind, readAgentOptions } from '../../src/agents/index.js';
import type { Turn } from '../../src/domain/agent.js';
import { createJudge, readDocument } from '../../src/schema/index.js';
import { eventsOf, finish, newTurn } from '../agents/support/turn.js';
import { inOrder, type ModelServer, type ModelStep, startModelServer } from '../support/model-server.js';
import { temporaryDirectory } from '../support/temporary.js';
import { findProgram } from './programs.js';
import { agentOf, missing, type Setup, setups, titleOf } from './setups.js';
import { widget, widgetSchema } from './widget.js';

const judge = createJudge();
afterAll(() => judge.close());

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer(inOrder({ do: 'hang' }));
});
afterAll(() => model.close());

const document: ModelStep = { do: 'structured', document: widget };
const words: ModelStep = { do: 'text', text: 'I would rather not.' };

/** One turn of the real program with a model that does this; what it came to, or the failure. */
async function run(
  setup: Setup,
  {
    steps,
    turn = {},
    env = {},
  }: { steps: readonly ModelStep[]; turn?: Partial<Turn>; env?: Record<string, string> },
) {
  const program = findProgram(setup.name);
  if ('missing' in program) throw new Error(program.missing);
  model.play(inOrder(...steps));
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'home'));
  const { options } = agentOf(setup, { program, url: model.url, directory });
  const kind = findAgentKind(setup.agent);
  const given = { ...options, env: { ...Object(options.env), ...env } };
  const agent = await kind.create(readAgentOptions(kind, JSON.stringify(given)), {
    env: process.env,
    directory,
    warn: () => {},
  });
  return finish(agent.run(await newTurn(turn))).then(
    (ran) => ({ outcome: ran.outcome, events: eventsOf(ran.lines), failure: undefined }),
    (failure: unknown) => ({ outcome: undefined, events: [], failure }),
  );
}

/** A schema as a client sent it, though no server takes one so long. */
async function output(schema: string) {
  const read = readDocument(schema);
  if (!read.ok) throw new Error(read.reason);
  return { ...(await judge.compile(widgetSchema)), text: read.json };
}

const one = (name: string): Setup => {
  const found = setups.find((setup) => setup.name === name);
  if (found === undefined) throw new Error(`there is no setup ${name}`);
  return found;
};

/** Declares tests of one program, skipped with the reason where it is not there. */
function about(name: string, body: (setup: Setup) => void): void {
  const setup = one(name);
  const reason = missing(setup);
  if (reason === undefined) describe(`${titleOf(setup)} in trouble`, () => body(setup));
  else {
    console.error(`SKIPPED: ${titleOf(setup)} in trouble: ${reason}`);
    describe.skip(titleOf(setup), () => {
      it(`is not tested: ${reason}`, () => {});
    });
  }
}

about('claude-code', (setup) => {
  const typed = async (steps: readonly ModelStep[], env: Record<string, string> = {}) =>
    run(setup, { steps, env, turn: { output: await output(widgetSchema) } });

  it('ends well, but without a document', async () => {
    expect((await typed([words])).failure).toMatchObject({ code: 'RESULT_MISSING' });
  });

  it('corrects a document that it refused itself', async () => {
    const { outcome } = await typed([{ do: 'structured', document: '{"id":"no"}' }, document]);
    expect(outcome).toEqual({ kind: 'json', document: widget });
  });

  it('gives up on a document that never fits', async () => {
    const { failure } = await typed([{ do: 'structured', document: '{"id":"no"}' }]);
    expect(failure).toMatchObject({ code: 'RESULT_INVALID' });
  });

  it('has only a parsed document after its streams broke, and says so', async () => {
    const drop: ModelStep = { do: 'drop' };
    const { outcome } = await typed([drop, drop, drop, document], { CLAUDE_CODE_MAX_RETRIES: '2' });
    expect(outcome).toMatchObject({ kind: 'json', parsed: true });
  });

  it('takes a prompt and a schema of 300 kB', async () => {
    const schema = widgetSchema.replace('{', `{"description":"${'x'.repeat(300_000)}",`);
    const turn = { prompt: 'y'.repeat(300_000), output: await output(schema) };
    const { outcome } = await run(setup, { steps: [document], turn });
    expect(outcome).toEqual({ kind: 'json', document: widget });
    expect(model.requests[0]?.body.includes('y'.repeat(300_000))).toBe(true);
    expect(model.requests[0]?.body.includes('x'.repeat(300_000))).toBe(true);
  });

  it('answers a schema that is no object', async () => {
    const turn = { output: await output('{"type":"array","items":{"type":"number"}}') };
    const { outcome } = await run(setup, {
      steps: [{ do: 'structured', document: '{"value":[78.0, 9007199254740993]}' }],
      turn,
    });
    expect(outcome).toEqual({ kind: 'json', document: '[78.0, 9007199254740993]' });
  });

  it('begins anew where its session is gone', async () => {
    const { outcome, events } = await run(setup, { steps: [words], turn: { session: randomUUID() } });
    expect(outcome).toEqual({ kind: 'done' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'status', status: 'session_lost' }));
  });

  it('tells of its retries while it retries', async () => {
    const { outcome, events } = await run(setup, {
      steps: [{ do: 'status', status: 529 }, { do: 'status', status: 429, retryAfter: '1' }, words],
      env: { CLAUDE_CODE_MAX_RETRIES: '3' },
    });
    expect(outcome).toEqual({ kind: 'done' });
    expect(events.filter((event) => event.type === 'status' && event.status === 'retry')).toHaveLength(2);
  });
});

about('codex', (setup) => {
  it('takes prose for an answer, which is then no document', async () => {
    const turn = { output: await output(widgetSchema) };
    const { outcome } = await run(setup, { steps: [words], turn });
    expect(outcome).toEqual({ kind: 'json', document: 'I would rather not.' });
  });

  it('takes a prompt and a schema of 300 kB', async () => {
    const schema = widgetSchema.replace('{', `{"description":"${'x'.repeat(300_000)}",`);
    const turn = { prompt: 'y'.repeat(300_000), output: await output(schema) };
    const { outcome } = await run(setup, { steps: [document], turn });
    expect(outcome).toEqual({ kind: 'json', document: widget });
    expect(model.requests[0]?.body.includes('x'.repeat(300_000))).toBe(true);
  });

  it('is given a copy of the schema with closed objects, and the first number of it is the client’s', async () => {
    const open = '{"type":"object","properties":{"a":{"maximum":1.50},"b":{}},"required":["b"]}';
    await run(setup, { steps: [words], turn: { output: await output(open) } });
    expect(model.requests[0]?.body).toContain('"required":["a","b"]');
    expect(model.requests[0]?.body).toContain('"additionalProperties":false');
    expect(model.requests[0]?.body).toContain('"maximum":1.5');
  });

  it('begins anew where its session is gone', async () => {
    const { outcome, events } = await run(setup, { steps: [words], turn: { session: randomUUID() } });
    expect(outcome).toEqual({ kind: 'done' });
    expect(events).toContainEqual(expect.objectContaining({ type: 'status', status: 'session_lost' }));
  });

  it('has not answered where the answer is cut short', async () => {
    const { failure } = await run(setup, { steps: [{ do: 'text', text: 'It is', finish: 'length' }] });
    expect(failure).toMatchObject({ code: 'AGENT_FAILED' });
  });
});

about('codex-acp', (setup) => {
  it('ends its turn as if its model had not failed, and is not believed', async () => {
    const { failure } = await run(setup, { steps: [{ do: 'status', status: 500 }] });
    expect(failure).toMatchObject({ code: 'AGENT_FAILED' });
  });
});

about('claude-agent-acp', (setup) => {
  it('asks before it writes, and is denied', async () => {
    const call = { name: 'Write', input: '{"file_path":"/tmp/kedi-a2a-never","content":"no"}' };
    const { events } = await run(setup, { steps: [{ do: 'tools', calls: [call] }, words] });
    expect(events).toContainEqual(
      expect.objectContaining({ status: 'permission_denied', text: expect.stringMatching(/edit/) }),
    );
    expect(events).toContainEqual(expect.objectContaining({ type: 'tool_result', ok: false }));
  });

  it('has no document where its model never gives one', async () => {
    const turn = { output: await output(widgetSchema) };
    const { failure, outcome } = await run(setup, { steps: [words], turn });
    expect(outcome).toBeUndefined();
    expect(failure).toMatchObject({ code: expect.stringMatching(/^(RESULT_MISSING|AGENT_FAILED)$/) });
  });
});
