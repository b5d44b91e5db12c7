import { afterAll, describe, expect, it } from 'vitest';
import { createRateLimit } from '../../src/server/rate-limit.js';
import { eventually, message, says, scripted, startA2aHost } from '../support/a2a-host.js';

describe('A rate limit', () => {
  it('lets a burst of ten seconds through, then so many a minute, each principal by itself', () => {
    let time = 0;
    const limit = createRateLimit({ perMinute: 60, now: () => time });
    const takes = (count: number, principal = 'anna') =>
      Array.from({ length: count }, () => limit.take(principal));
    expect(takes(12)).toEqual([...Array(10).fill(0), 1, 1]);
    expect(takes(1, 'bert')).toEqual([0]);
    time = 1_000;
    expect(takes(2)).toEqual([0, 1]);
    time = 1_000_000;
    expect(takes(11)).toEqual([...Array(10).fill(0), 1]);
  });

  it('tells a slow one how long to wait', () => {
    const limit = createRateLimit({ perMinute: 1, now: () => 0 });
    expect([limit.take('a'), limit.take('a')]).toEqual([0, 60]);
  });

  it('forgets whoever has not come for longest, where there are too many to remember', () => {
    const limit = createRateLimit({ perMinute: 1, now: () => 0 });
    for (let index = 0; index < 10_000; index += 1) limit.take(`${index}`);
    limit.take('0');
    limit.take('one more');
    expect([limit.take('0'), limit.take('1')]).toEqual([60, 0]);
  });

  it('of zero is none', () => {
    const limit = createRateLimit({ perMinute: 0 });
    expect(Array.from({ length: 1_000 }, () => limit.take('a')).every((wait) => wait === 0)).toBe(true);
  });
});

const agentKind = scripted(async function* ({ signal }) {
  yield says('Waiting.');
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  signal.throwIfAborted();
  return { kind: 'done' };
});
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} });

describe('Too many requests', () => {
  it('are answered 429 with Retry-After, in the terms of each binding, and health is not counted', async () => {
    const host = await startA2aHost({ flags: { rateLimit: '6' } });
    expect((await host.post(call)).status).toBe(200);
    const refused = await host.post(call);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect(JSON.parse(refused.text).error.data[0].reason).toBe('RATE_LIMITED');
    const rest = await fetch(`${host.url}/a2a/v1/tasks`);
    expect([rest.status, rest.headers.get('retry-after')]).toEqual([429, '10']);
    for (let index = 0; index < 5; index += 1) expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
  });

  it('for more tasks than one principal may have under way are refused until one has ended', async () => {
    const host = await startA2aHost({ agentKind, flags: { principalTasks: '2' } });
    const send = () =>
      host.call('SendMessage', { message: message(), configuration: { returnImmediately: true } });
    const [first] = [await send(), await send()];
    const { error } = await send();
    expect([error.code, error.data[0].reason]).toEqual([-32603, 'RATE_LIMITED']);
    await host.result('CancelTask', { id: first.result.task.id });
    await eventually(async () => ((await send()).result === undefined ? undefined : true));
  });
});

describe('Metrics', () => {
  const scrape = async (url: string) => (await fetch(`${url}/metrics`)).text();
  const host = startA2aHost({ until: afterAll });

  it('count requests, turns, refusals, the log and the streams', async () => {
    const { url, result } = await host;
    await result('SendMessage', { message: message() });
    const metadata = { kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: '{' } };
    const uri = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';
    await result('SendMessage', {
      message: message('x', { extensions: [uri] }),
      configuration: { acceptedOutputModes: ['application/json'] },
      metadata,
    });
    const text = await eventually(async () => {
      const scraped = await scrape(url);
      return scraped.includes('kedi_a2a_requests_total{route="json-rpc",status="200"} 2')
        ? scraped
        : undefined;
    });
    for (const line of [
      'kedi_a2a_tasks_total{agent="demo",state="completed"} 1',
      'kedi_a2a_tasks_total{agent="demo",state="failed"} 1',
      'kedi_a2a_task_failures_total{agent="demo",code="SCHEMA_MALFORMED"} 1',
      'kedi_a2a_schema_refusals_total{code="SCHEMA_MALFORMED"} 1',
      'kedi_a2a_turn_seconds_count{agent="demo"} 1',
      'kedi_a2a_turns_running 0',
      'kedi_a2a_event_streams 0',
    ]) {
      expect(text).toContain(`${line}\n`);
    }
    expect(text).toMatch(/kedi_a2a_log_bytes_total [1-9]/);
    expect(text).toMatch(/process_resident_memory_bytes [1-9]/);
  });

  it('want credentials where the server does', async () => {
    const guarded = await startA2aHost({ flags: { auth: 'bearer', secretEnv: 'PATH' } });
    expect((await fetch(`${guarded.url}/metrics`)).status).toBe(401);
  });
});
