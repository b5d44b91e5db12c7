import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createEntrance } from '../../src/server/entrance.js';
import { createLogger } from '../../src/server/logger.js';

it('A request whose credentials cannot be checked is answered, and only the log says why', async () => {
  const logged: string[] = [];
  const enter = createEntrance({
    guarding: { host: '127.0.0.1', publicUrl: undefined, allowedOrigins: [] },
    gate: () => Promise.reject(new Error('no memory for the hash')),
    isOpen: () => false,
    requestIds: () => 'request-1',
    logger: createLogger({ sink: { write: (line) => logged.push(line) }, level: 'info', format: 'json' }),
  });
  const server = createServer((request, response) => void enter(request, response));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const response = await fetch(
    `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/metrics`,
  );
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({
    detail: 'The server failed; its log says why, under the request id request-1.',
    request_id: 'request-1',
  });
  expect(logged.join('')).toContain('no memory for the hash');
});
