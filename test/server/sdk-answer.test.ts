import { Role, SendMessageRequest } from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { KEDI_STRUCTURED_OUTPUT_URI } from '../../src/protocol/structured-output.js';
import { type Json, says, scripted, startA2aHost } from '../support/a2a-host.js';

const agentKind = scripted(async function* ({ prompt, output }) {
  if (output !== undefined) return { kind: 'json', document: prompt };
  yield says(prompt);
  return { kind: 'done' };
});
const host = await startA2aHost({
  until: afterAll,
  agentKind,
  flags: { bindings: 'grpc,json-rpc,json-rpc-0.3', grpcPort: '0' },
});

/** Opens a task over JSON-RPC whose typed result is this document in the older encoding. */
async function typedTask(document: string): Promise<{ id: string; text: string }> {
  const { result } = await host.call('SendMessage', {
    message: {
      messageId: 'm',
      role: 'ROLE_USER',
      parts: [{ text: document }],
      extensions: [KEDI_STRUCTURED_OUTPUT_URI],
    },
    configuration: { acceptedOutputModes: ['application/json'] },
    metadata: { kediStructuredOutput: { version: 1, resultEncoding: 'protobuf-value', schemaJson: '{}' } },
  });
  expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
  return { id: result.task.id, text: JSON.stringify(result) };
}

/** One call with these very bytes; its status is 0 where there is an answer. */
async function overGrpc(method: string, bytes: Uint8Array): Promise<{ status: number; sentence: string }> {
  const card: Json = await (await fetch(`${host.url}/.well-known/agent-card.json`)).json();
  const { url } = card.supportedInterfaces.find((one: Json) => one.protocolBinding === 'GRPC');
  const client = new Client(url, credentials.createInsecure());
  onTestFinished(() => client.close());
  const metadata = new Metadata();
  metadata.set('a2a-version', '1.0');
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      `/lf.a2a.v1.A2AService/${method}`,
      (given: Uint8Array) => Buffer.from(given),
      (taken: Buffer) => taken,
      bytes,
      metadata,
      (error) => resolve({ status: error?.code ?? 0, sentence: error?.details ?? '' }),
    );
  });
}

const getTask = (id: string) => Buffer.concat([Buffer.from([0x12, id.length]), Buffer.from(id)]);

it('what the types of a binding cannot carry of an answer is refused there, and told over JSON-RPC', async () => {
  for (const [document, grpc, legacy] of [
    ['null', 'null as data', 'null as data'],
    ['{"a":{"__proto__":1}}', 'a member named __proto__', undefined],
    ['{"\\u005F_proto__":1}', 'a member named __proto__', undefined],
    ['{"__pr\\u006fto__":1}', 'a member named __proto__', undefined],
    ['{"data":null,"_proto_":[null]}', undefined, undefined],
  ] as const) {
    const { id, text } = await typedTask(document);
    expect(text).toContain('"data":');
    const got = await overGrpc('GetTask', getTask(id));
    expect(got.status).toBe(grpc === undefined ? 0 : 9);
    expect(got.sentence).toContain(grpc ?? '');
    const { error, result } = await host.call('tasks/get', { id }, { 'a2a-version': '' });
    if (legacy === undefined) expect(result.status.state).toBe('completed');
    else expect(error).toMatchObject({ code: -32004, message: expect.stringContaining(legacy) });
  }
});

it('what the codecs of gRPC would drop of a request is refused', async () => {
  const sent = (name: string): Buffer => {
    const request = SendMessageRequest.fromJSON({
      message: { messageId: 'm', role: Role.ROLE_USER, parts: [{ data: { '::proto::': 1 } }] },
    });
    const bytes = A2AService.sendMessage.requestSerialize(request).toString('latin1');
    return Buffer.from(bytes.replace('::proto::', name), 'latin1');
  };
  // Of one length, for what goes before a name is how long it is.
  expect(await overGrpc('SendMessage', sent('__proto__'))).toMatchObject({
    status: 3,
    sentence: expect.stringContaining('__proto__'),
  });
  expect((await overGrpc('SendMessage', sent('_-proto-_'))).status).toBe(0);
});
