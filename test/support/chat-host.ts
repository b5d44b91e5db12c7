import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Entry, TaskKey } from '../../src/domain/task.js';
import { createChatRoutes } from '../../src/server/chat-routes.js';
import { createEventStreams } from '../../src/server/event-stream.js';
import { createLogger } from '../../src/server/logger.js';
import { openStore, type Store } from '../../src/store/index.js';
import { temporaryDirectory } from './temporary.js';

/** The chat's routes over a store of their own, whose logs the test writes as an engine would. */
export interface ChatHost {
  readonly url: string;
  readonly store: Store;
  readonly directory: string;
  /** What the server logged. */
  readonly logged: readonly string[];
  openStreams(): number;
  /** Opens a task with these entries; its context is `context-1` unless told. */
  open(
    key: Partial<TaskKey> & { contextId?: string; agentKind?: string; structured?: boolean },
    entries: readonly Entry[],
  ): Promise<TaskKey>;
  /** Ends every stream, then the server and its store, as a restart does. */
  close(): Promise<void>;
}

const host = '127.0.0.1';

/** Whoever sends the header `x-principal` is that principal. */
export async function startChatHost({
  directory,
  heartbeatMs,
  port = 0,
}: {
  readonly directory?: string;
  readonly heartbeatMs?: number;
  readonly port?: number;
} = {}): Promise<ChatHost> {
  const home = directory ?? (await temporaryDirectory());
  const logged: string[] = [];
  const logger = createLogger({
    sink: { write: (line) => logged.push(line) },
    level: 'info',
    format: 'json',
  });
  const store = await openStore({ directory: home, durability: 'normal', logger });
  const streams = createEventStreams({ heartbeatMs });
  const routeOf = createChatRoutes({
    log: store.log,
    streams,
    logger,
    sourceOf: (kind) => (kind === 'demo' ? 'stream-json' : undefined),
  });
  const server = createServer((request, response) => {
    const principal = String(request.headers['x-principal'] ?? 'local');
    const route = routeOf(request);
    if (route === undefined) response.writeHead(404).end();
    else void route(request, response, { principal, requestId: 'request-1' });
  });

  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');

  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= (async () => {
      streams.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await store.close();
    })();
    return closing;
  };
  onTestFinished(close);

  let opened = 0;
  return {
    url: `http://${host}:${address.port}`,
    store,
    directory: home,
    logged,
    openStreams: () => streams.size,
    async open(key, entries) {
      opened += 1;
      const record = {
        principal: key.principal ?? 'local',
        taskId: key.taskId ?? `task-${opened}`,
        contextId: key.contextId ?? 'context-1',
        agentKind: key.agentKind ?? 'demo',
        structured: key.structured ?? false,
        state: 'submitted' as const,
        createdAt: opened,
        updatedAt: opened,
      };
      await store.log.create(record, entries);
      return record;
    },
    close,
  };
}
