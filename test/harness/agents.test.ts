import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, openPeer, type Peer, produce } from '../../src/client/index.js';
import { createJudge } from '../../src/schema/index.js';
import { type ModelServer, startModelServer } from '../support/model-server.js';
import { type ServerProcess, startServer } from '../support/server.js';
import { temporaryDirectory } from '../support/temporary.js';
import { converse, helloAnswer, prompts } from './conversation.js';
import { processesWith } from './processes.js';
import { findProgram } from './programs.js';
import { agentOf, missing, type Setup, setups, titleOf } from './setups.js';
import { widget, widgetSchema } from './widget.js';

const judge = createJudge();
afterAll(() => judge.close());

const measured: Record<string, unknown>[] = [];
afterAll(() => console.table(measured));

for (const setup of setups) {
  const reason = missing(setup);
  if (reason === undefined) describe(titleOf(setup), () => tests(setup));
  else {
    console.error(`SKIPPED: ${titleOf(setup)}: ${reason}`);
    describe.skip(titleOf(setup), () => {
      it(`is not tested: ${reason}`, () => {});
    });
  }
}

function tests(setup: Setup): void {
  let model: ModelServer;
  let server: ServerProcess;
  let peer: Peer;
  let directory: string;
  const { signal } = new AbortController();

  const start = async (): Promise<void> => {
    const program = findProgram(setup.name);
    if ('missing' in program) throw new Error(program.missing);
    const { agent, options } = agentOf(setup, { program, url: model.url, directory });
    server = await startServer({ agent, options, dataDir: join(directory, 'data'), until: afterAll });
    peer = await openPeer(server.url, { signal });
  };

  beforeAll(async () => {
    model = await startModelServer(converse);
    directory = await temporaryDirectory(afterAll);
    await mkdir(join(directory, 'home'));
    await start();
  });
  afterAll(async () => {
    // The one that a test started again is not the one that `until` knows of.
    await server.stop('SIGKILL');
    await model.close();
  });

  it('answers in text', async () => {
    const began = performance.now();
    const answer = await ask(peer, { prompt: prompts.hello }, signal);
    expect(answer).toMatchObject({ kind: 'answer', text: helloAnswer });
    const program = findProgram(setup.name);
    measured.push({
      agent: titleOf(setup),
      version: 'missing' in program ? '' : program.version,
      typed: setup.way,
      seconds: ((performance.now() - began) / 1_000).toFixed(1),
    });
  });

  it('delivers the document of its model to the client, byte for byte', async () => {
    const schema = await judge.compile(widgetSchema);
    const product = await produce(peer, { prompt: prompts.widget, schema }, signal);
    expect(product).toMatchObject({ kind: 'document', document: widget });
  });

  it('goes on with a conversation after a restart of the server, in text and typed', async () => {
    const first = await ask(peer, { prompt: prompts.remember }, signal);
    const contextId = first.contextId ?? '';
    await server.stop('SIGTERM');
    await start();
    const second = await ask(peer, { prompt: prompts.recall, contextId }, signal);
    expect(second).toMatchObject({ kind: 'answer', text: 'It was 4711.', contextId });
    const schema = await judge.compile(widgetSchema);
    const third = await produce(peer, { prompt: prompts.widget, contextId, schema }, signal);
    expect(third).toMatchObject({ kind: 'document', document: widget, contextId });
    const asked = model.requests.findLast((request) => request.body.includes(prompts.widget));
    expect(asked?.body).toContain(prompts.remember);
  });

  it('fails with the model’s own words when that refuses its request', async () => {
    await expect(ask(peer, { prompt: prompts.refused }, signal)).rejects.toMatchObject({
      code: expect.stringMatching(/^AGENT_(UNAVAILABLE|FAILED)$/),
      message: expect.stringMatching(/401|not good|[Aa]uthenticat/),
    });
  });

  it('stops when it is canceled, and leaves no process', async () => {
    const controller = new AbortController();
    const answer = ask(peer, { prompt: prompts.slow }, controller.signal);
    const asked = (): boolean => model.requests.some(({ body }) => body.includes(prompts.slow));
    while (!asked()) await delay(50);
    await delay(500);
    controller.abort();
    await expect(answer).rejects.toThrow();
    const marker = `HOME=${join(directory, 'home')}`;
    for (let tries = 0; tries < 100 && processesWith(marker).length > 0; tries += 1) await delay(100);
    expect(processesWith(marker)).toEqual([]);
  });
}
