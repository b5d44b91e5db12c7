import { afterAll, describe, expect, test } from 'vitest';
import type { Json } from '../support/a2a-host.js';
import { startServer } from '../support/server.js';
import { fairTime } from './fair-time.js';
import { type HostileCase, hostileCases } from './hostile-cases.js';

const extension = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';

/** `cat` answers the document that stands in its prompt, which is at most 1 MiB. */
const server = await startServer({ agent: 'command', options: { command: ['cat'] }, until: afterAll });
const mostCharacters = 900_000;

let messages = 0;

/** The state in which a request ends, or the code of its error, and the milliseconds that it took. */
async function ask(text: string, schema: string | undefined): Promise<{ outcome: string; took: number }> {
  messages += 1;
  const start = performance.now();
  const response = await fetch(`${server.url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: messages,
      method: 'SendMessage',
      params: {
        message: {
          messageId: `message-${messages}`,
          role: 'ROLE_USER',
          parts: [{ text }],
          ...(schema !== undefined && { extensions: [extension] }),
        },
        ...(schema !== undefined && {
          configuration: { acceptedOutputModes: ['application/json'] },
          metadata: {
            kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: schema },
          },
        }),
      },
    }),
  });
  const { result, error }: Json = await response.json();
  const status = result?.task?.status;
  return { outcome: status?.state ?? `error ${error?.code}`, took: performance.now() - start };
}

/** Another client, which asks one thing after the other while `work` goes on; its longest wait, in milliseconds. */
async function meanwhile<T>(work: Promise<T>): Promise<{ result: T; longestWait: number }> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let longestWait = 0;
  do {
    const { outcome, took } = await ask('"hello"', '{"type":"string"}');
    expect(outcome).toBe('TASK_STATE_COMPLETED');
    longestWait = Math.max(longestWait, took);
  } while (!isDone);
  return { result: await done, longestWait };
}

const fitting = hostileCases
  .map(({ make }) => make())
  .filter(({ document }) => document.length < mostCharacters);

describe('a server that a stranger sends a hostile schema', () => {
  test.each(fitting)('$name: answers within a second, and others as well', async (hostile: HostileCase) => {
    const { result, longestWait } = await meanwhile(ask(hostile.document, hostile.schema));
    expect(result.outcome).toMatch(/^TASK_STATE_(COMPLETED|FAILED)$/);
    expect(result.took).toBeLessThan(fairTime(1_000));
    expect(longestWait).toBeLessThan(fairTime(1_000));
  });
});
