import { expect, it } from 'vitest';
import { startA2aHost } from '../support/a2a-host.js';
import { call } from '../support/raw-http.js';

it('An error carries the id of its request in a header, as the log does', async () => {
  const host = await startA2aHost({ flags: { logLevel: 'debug', bindings: 'json-rpc,http-json' } });
  const json = { 'content-type': 'application/json', 'a2a-version': '1.0' };
  const refused = [
    await fetch(`${host.url}/a2a`, { method: 'POST', headers: json, body: call(1, 'GetTask', { id: 'no' }) }),
    await fetch(`${host.url}/a2a/v1/tasks/no`, { headers: json }),
    await fetch(`${host.url}/a2a`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }),
    await fetch(`${host.url}/a2a`, { headers: { origin: 'https://elsewhere.example' } }),
    await fetch(`${host.url}/api/v1/agent-output/chat?command_id=no`),
  ];
  const ids = refused.map((response) => response.headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(refused.length);
  expect(ids).not.toContain(null);
});
