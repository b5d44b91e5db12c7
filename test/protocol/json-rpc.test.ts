import { describe, expect, it } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import { httpStatusOf, readCall, writeError, writeResult } from '../../src/protocol/json-rpc.js';

const read = (text: string | Uint8Array) => readCall(typeof text === 'string' ? Buffer.from(text) : text);

function refusal(text: string | Uint8Array): { readonly id: string; readonly code: number } {
  const call = read(text);
  if (call.ok) throw new Error('it was read');
  return { id: call.id, code: JSON.parse(writeError(call.id, call.error)).error.code };
}

describe('a call', () => {
  it.each(['1', '0', '-0', '1.50', '9007199254740993', '1e40', '"a\\u0062 é"', '""', 'null'])(
    'has its id returned as it was written: %s',
    (id) => {
      const call = read(`{"jsonrpc":"2.0","id":${id},"method":"GetTask","params":{"id":"t"}}`);
      expect(call).toMatchObject({ ok: true, call: { id, method: 'GetTask' } });
      expect(writeResult(id, '{}')).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
      expect(writeError(id, new KediError('INTERNAL', 'x'))).toContain(`"id":${id},`);
    },
  );

  it('needs no params', () => {
    expect(read('{"jsonrpc":"2.0","id":1,"method":"M"}')).toMatchObject({ call: { params: undefined } });
  });

  it.each([
    ['', -32700, 'null'],
    ['{"jsonrpc":"2.0","id":1,', -32700, 'null'],
    ['\ufeff{}', -32700, 'null'],
    ['[]', -32600, 'null'],
    ['[{"jsonrpc":"2.0","id":1,"method":"M"}]', -32600, 'null'],
    ['"M"', -32600, 'null'],
    ['{"id":0,"method":"M"}', -32600, '0'],
    ['{"jsonrpc":"1.0","id":"x","method":"M"}', -32600, '"x"'],
    ['{"jsonrpc":2.0,"id":7,"method":"M"}', -32600, '7'],
    ['{"jsonrpc":"2.0","method":"M"}', -32600, 'null'],
    ['{"jsonrpc":"2.0","id":{},"method":"M"}', -32600, 'null'],
    ['{"jsonrpc":"2.0","id":true,"method":"M"}', -32600, 'null'],
    ['{"jsonrpc":"2.0","id":5}', -32600, '5'],
    ['{"jsonrpc":"2.0","id":5,"id":6,"method":"M"}', -32600, '6'],
    ['{"jsonrpc":"2.0","id":5,"method":1}', -32600, '5'],
  ])('that is none is refused: %s', (text, code, id) => {
    expect(refusal(text)).toEqual({ code, id });
  });

  it('that is not UTF-8 is refused', () => {
    const bytes = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', 'latin1');
    expect(refusal(bytes)).toEqual({ code: -32700, id: 'null' });
  });

  it('whose flaws have no end is refused before they cost anything', () => {
    const flaws = '"a":1,'.repeat(100_000);
    const parts = '{"text":""},'.repeat(20_000);
    const started = performance.now();
    expect(
      refusal(`{"jsonrpc":"2.0","id":1,"method":"M","params":{"parts":[${parts}0],"x":{${flaws}"a":1}}}`)
        .code,
    ).toBe(-32700);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('nested without end is refused', () => {
    expect(refusal('['.repeat(100_000)).code).toBe(-32700);
  });
});

describe('an error', () => {
  it('tells its reason by name, with what there is to know about it', () => {
    const error = new KediError('TASK_NOT_FOUND', 'There is no task t.', { info: { taskId: 't' } });
    expect(JSON.parse(writeError('1', error))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: {
        code: -32001,
        message: 'There is no task t.',
        data: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 't' },
          },
        ],
      },
    });
  });

  it('names the fields that are wrong', () => {
    const fields = [{ field: 'message.parts', description: 'is required' }];
    const { error } = JSON.parse(writeError('1', new KediError('INVALID_PARAMS', 'No.', { fields })));
    expect(error.code).toBe(-32602);
    expect(error.data[0]).toEqual({
      '@type': 'type.googleapis.com/google.rpc.BadRequest',
      fieldViolations: fields,
    });
    expect(error.data[1].reason).toBe('INVALID_PARAMS');
  });

  it.each([
    ['TASK_NOT_FOUND', -32001, 200],
    ['TASK_NOT_CANCELABLE', -32002, 200],
    ['PUSH_NOTIFICATION_NOT_SUPPORTED', -32003, 200],
    ['UNSUPPORTED_OPERATION', -32004, 200],
    ['CONTENT_TYPE_NOT_SUPPORTED', -32005, 200],
    ['INVALID_AGENT_RESPONSE', -32006, 200],
    ['EXTENDED_AGENT_CARD_NOT_CONFIGURED', -32007, 200],
    ['EXTENSION_SUPPORT_REQUIRED', -32008, 200],
    ['VERSION_NOT_SUPPORTED', -32009, 200],
    ['PARSE_ERROR', -32700, 200],
    ['METHOD_NOT_FOUND', -32601, 200],
    ['INTERNAL', -32603, 200],
    ['STORE_UNAVAILABLE', -32603, 503],
    ['BUSY', -32603, 503],
    ['BODY_TOO_LARGE', -32600, 413],
  ] as const)('%s has the code %d and the HTTP status %d', (code, number, status) => {
    const error = new KediError(code, 'A sentence.');
    expect(JSON.parse(writeError('null', error)).error.code).toBe(number);
    expect(httpStatusOf(error)).toBe(status);
  });
});
