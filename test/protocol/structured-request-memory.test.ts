import { expect, test } from 'vitest';
import { readSendMessage } from '../../src/protocol/a2a-read.js';
import { readCall } from '../../src/protocol/json-rpc.js';
import { KEDI_STRUCTURED_OUTPUT_URI, readStructuredRequest } from '../../src/protocol/structured-output.js';
import { collect } from '../support/collect.js';

test('what was asked for is remembered without the request that it came in', () => {
  const ask = (title: string): void => {
    const schemaJson = JSON.stringify({ title });
    const message = {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: 'x'.repeat(1_000_000) }],
      extensions: [KEDI_STRUCTURED_OUTPUT_URI],
    };
    const params = { message, metadata: { kediStructuredOutput: { version: 1, schemaJson } } };
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params }));
    const read = readCall(body);
    if (!read.ok) throw read.error;
    const { metadata, message: sent } = readSendMessage(read.call.params);
    const request = readStructuredRequest({
      metadata,
      messageExtensions: sent.extensions,
      headerExtensions: [],
      acceptedOutputModes: ['application/json'],
    });
    expect(request?.schema).toContain(title);
  };
  const held = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  ask('first');
  const before = held();
  for (let index = 0; index < 100; index += 1) ask(`title ${index}`);
  expect(held() - before).toBeLessThan(20_000_000);
});
