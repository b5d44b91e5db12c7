// The servers that the bench compares, each in a process of its own: node bench/server-peers.js ours|sdk|bare.
// It tells its port by IPC, and answers 'memory' with its resident memory after a collection, 'processor' with the
// microseconds of processor time that it has used.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A document of about 1 KB, valid by the schema of `bench/server.js`. */
const document = JSON.stringify({
  summary: 'x'.repeat(300),
  items: Array.from({ length: 12 }, (_, index) => ({
    id: index,
    name: `item number ${index}`,
    price: index + 0.5,
  })),
});

const started = { ours: startOurs, sdk: startSdk, bare: startBare }[process.argv[2]];
const close = await started((port) => process.send({ port }));

process.on('message', async (message) => {
  if (message === 'memory') {
    await pause(200);
    globalThis.gc?.();
    await pause(50);
    globalThis.gc?.();
    process.send({ memory: process.memoryUsage().rss });
  } else if (message === 'processor') {
    const { user, system } = process.cpuUsage();
    process.send({ processor: user + system });
  } else {
    await close();
    process.exit(0);
  }
});

/** As shipped: a durable store, all bounds; `chunks N` streams so many pieces, anything else is echoed. */
async function startOurs(tell) {
  const { startServer } = await import('../dist/server/start.js');
  const { readSettings } = await import('../dist/server/read-settings.js');
  const { createLogger } = await import('../dist/server/logger.js');
  const directory = mkdtempSync(join(tmpdir(), 'kedi-a2a-bench-'));
  const logger = createLogger({ sink: process.stderr, level: 'warn', format: 'json' });
  const line = (text) => ({
    raw: Buffer.from(text),
    channel: 'stdout',
    events: [{ type: 'delta', text }],
  });
  const agentKind = {
    kind: 'echo',
    summary: 'Says what it was told.',
    source: 'text',
    options: { type: 'object', properties: {}, additionalProperties: false },
    structured: () => 'native',
    create: () => ({
      async *run({ prompt, output }) {
        if (output !== undefined) return { kind: 'json', document };
        const [, chunks] = /^chunks (\d+)$/.exec(prompt) ?? [];
        if (chunks === undefined) yield line(prompt);
        for (let count = Number(chunks ?? 0); count > 0; count -= 1) {
          yield line('a few words ');
          // Tokens come one by one, and not all in one turn of the event loop.
          await new Promise(setImmediate);
        }
        return { kind: 'done' };
      },
    }),
  };
  const settings = readSettings({ flags: { port: '0', dataDir: directory }, directory });
  const server = await startServer(settings, { logger, env: {}, agentKind });
  tell(Number(new URL(server.url).port));
  return async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  };
}

/** The SDK's own handler with its store in memory, on Express; it does with a message what our agent does. */
async function startSdk(tell) {
  const { default: express } = await import('express');
  const { AgentCard, Role, TaskState } = await import('@a2a-js/sdk');
  const { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } = await import('@a2a-js/sdk/server');
  const { jsonRpcHandler, UserBuilder } = await import('@a2a-js/sdk/server/express');
  const status = (state) => ({ state, message: undefined, timestamp: new Date().toISOString() });
  const executor = {
    async execute({ taskId, contextId, userMessage }, bus) {
      const ids = { taskId, contextId, metadata: undefined };
      const chunk = (text, append) =>
        bus.publish(
          AgentEvent.artifactUpdate({
            ...ids,
            append,
            lastChunk: false,
            artifact: {
              artifactId: 'response',
              name: 'response',
              description: '',
              parts: [
                { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' },
              ],
              metadata: undefined,
              extensions: [],
            },
          }),
        );
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: status(TaskState.TASK_STATE_SUBMITTED),
          artifacts: [],
          history: [userMessage],
          metadata: undefined,
        }),
      );
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_WORKING) }));
      const prompt = userMessage.parts[0].content.value;
      const [, chunks] = /^chunks (\d+)$/.exec(prompt) ?? [];
      if (chunks === undefined) chunk(prompt, false);
      for (let count = 0; count < Number(chunks ?? 0); count += 1) {
        chunk('a few words ', count > 0);
        await new Promise(setImmediate);
      }
      bus.publish(AgentEvent.statusUpdate({ ...ids, status: status(TaskState.TASK_STATE_COMPLETED) }));
      bus.finished();
    },
    cancelTask: async () => {},
  };
  const card = AgentCard.fromJSON({
    name: 'echo',
    description: 'Says what it was told.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: 'http://127.0.0.1/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: ['echo'] }],
  });
  if (Role.ROLE_USER !== 1) throw new Error('another SDK than the one compared');
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  const app = express();
  app.use('/a2a', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return listen(createServer(app), tell);
}

/** Node's own server: parses the same call and answers the same JSON, and does nothing else. */
async function startBare(tell) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString());
      const { message } = params;
      const task = {
        id: '01890a5d-ac96-774b-bcce-b302099a8057',
        contextId: '01890a5d-ac96-774b-bcce-b302099a8058',
        status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-31T10:00:00.000Z' },
        artifacts: [{ artifactId: 'response', name: 'response', parts: message.parts }],
        history: [message],
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id, result: { task } });
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  return listen(server, tell);
}

async function listen(server, tell) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  tell(server.address().port);
  return async () => server.closeAllConnections();
}
