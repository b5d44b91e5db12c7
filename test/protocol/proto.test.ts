import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { type FrameBody, frameWriter } from '../../src/protocol/agent-output.js';
import { rawData } from '../../src/protocol/raw-output.js';
import { kediExtension } from '../../src/protocol/structured-output.js';
import { jsonText } from '../../src/schema/document.js';

const load = (file: string, options: protobuf.IParseOptions = {}) =>
  new protobuf.Root().loadSync(`proto/${file}.proto`, options).resolveAll();

const fieldNames = (type: protobuf.Type): readonly string[] => type.fieldsArray.map(({ name }) => name);

describe('The messages of the Kedi extension in proto/', () => {
  const root = load('kedi_structured_output_v1');
  const type = (name: string) => root.lookupType(`kedi.structured_output.v1.${name}`);

  test('the parameters of the card are all of those, and nothing else', () => {
    const { params } = kediExtension();
    expect(Object.keys(params)).toEqual(fieldNames(type('Parameters')));
    expect(type('Parameters').toObject(type('Parameters').fromObject(params))).toEqual(params);
  });

  test('a request has the names of the specification', () => {
    expect(fieldNames(type('Metadata'))).toEqual(['kediStructuredOutput']);
    expect(fieldNames(type('Request'))).toEqual(['version', 'resultEncoding', 'schemaJson', 'schema']);
  });

  test('a result is bytes or a value, and the value is what A2A puts into Part.data', () => {
    expect(type('Result').fields.raw?.type).toBe('bytes');
    expect(type('Result').fields.data?.resolvedType?.fullName).toBe('.google.protobuf.Value');
  });
});

describe('The messages of agent-output in proto/', () => {
  const root = load('agent_output_v1', { keepCase: true });
  const type = (name: string) => root.lookupType(`agentic.agent_output.v1.${name}`);
  const figures = { model: 'm', usage: jsonText({ input_tokens: 1 }), costUsd: jsonText(0.25) };

  test.each<[string, FrameBody]>([
    ['Delta', { event: 'delta', content: 'x' }],
    ['ToolCall', { event: 'tool_call', toolId: 't', name: 'n', input: jsonText({ a: [1] }), parent: 'p' }],
    ['ToolResult', { event: 'tool_result', toolId: 't', ok: true, content: 'x', parent: 'p' }],
    ['Status', { event: 'status', status: 's', content: 'x', parent: 'p', artifactId: 'a', figures }],
    ['Raw', { event: 'raw', content: 'x', channel: 'stderr', parent: 'p' }],
    ['Done', { event: 'done', finishReason: 'stop', content: 'x', figures }],
    ['Error', { event: 'error', error: 'x', code: 'STREAM_INTERRUPTED', figures }],
  ])('%s has every name that a frame has', (name, body) => {
    const frame: unknown = JSON.parse(
      frameWriter({ sessionId: 's', commandId: 'c' })({ seq: 0, line: 3, body }),
    );
    expect(type(name)).toSatisfy((message: protobuf.Type) => isWhole(message, frame));
  });

  test('Chunk has every name of the raw stream', () => {
    const line = { type: 'line', at: 5, raw: Buffer.from('x'), channel: 'stdout', events: [] } as const;
    const chunk: unknown = JSON.parse(rawData(line, { commandId: 'c', line: 3 }));
    expect(type('Chunk')).toSatisfy((message: protobuf.Type) => isWhole(message, chunk));
  });
});

/** Whether each member is a field of the message, `raw_ref` looked into as well. */
function isWhole(type: protobuf.Type, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, member]) => {
    const field = type.fields[name]?.resolve();
    if (field === undefined) return false;
    const inner = field.resolvedType;
    return inner instanceof protobuf.Type && inner.name === 'RawReference' ? isWhole(inner, member) : true;
  });
}
