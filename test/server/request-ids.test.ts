import { expect, it } from 'vitest';
import { startA2aHost } from '../support/a2a-host.js';

it('An error names its request, as the log does', async () => {
  const host = await startA2aHost({ flags: { logLevel: 'debug' } });
  const { error } = await host.call('GetTask', { id: 'nowhere' });
  expect(error.data.at(-1).metadata).toEqual({ taskId: 'nowhere', requestId: expect.any(String) });
  const stranger = await host.post('{}', { 'content-type': 'text/plain' });
  expect(JSON.parse(stranger.text).error.data.at(-1).metadata.requestId).toEqual(expect.any(String));
});
