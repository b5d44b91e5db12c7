import { afterAll, describe, expect, it } from 'vitest';
import { openPeer } from '../../src/client/peer.js';
import { produce } from '../../src/client/produce.js';
import { FAILURE_URI } from '../../src/protocol/failure.js';
import { KEDI_STRUCTURED_OUTPUT_URI, kediExtension } from '../../src/protocol/kedi-extension.js';
import { createJudge } from '../../src/schema/index.js';
import { peerCard, startPeer, statusJson, streamResults, taskJson } from '../support/peer.js';

const signal = AbortSignal.timeout(15_000);
const judge = createJudge();
afterAll(() => judge.close());

const exact = '{"id":9007199254740993,"price":78.0,"exp":1.0E+2,"small":1e-7,"name":"w\\u00efdget"}';
const open = '{"type":"object"}';

const offering = (params: Readonly<Record<string, unknown>>) => {
  const extension = kediExtension();
  return {
    capabilities: {
      streaming: true,
      extensions: [{ ...extension, params: { ...extension.params, ...params } }],
    },
  };
};

const result = (part: string, name = 'kedi-structured-output') =>
  `{"artifactUpdate":{"taskId":"task-1","contextId":"context-1","lastChunk":true,"artifact":{"artifactId":"r","name":"${name}","extensions":["${KEDI_STRUCTURED_OUTPUT_URI}"],"parts":[${part}]}}}`;

const raw = (document: string) =>
  `{"raw":"${Buffer.from(document).toString('base64')}","mediaType":"application/json"}`;

const asked = async ({
  results = [],
  card = {},
  schema = open,
}: {
  readonly results?: readonly unknown[];
  readonly card?: Readonly<Record<string, unknown>>;
  readonly schema?: string;
}) => {
  const peer = await startPeer({
    card: (url) => peerCard(url, card),
    answer: (response) => {
      streamResults(response, [{ task: taskJson('WORKING') }, ...results]);
      response.end();
    },
  });
  const opened = await openPeer(peer.url, { extensions: [KEDI_STRUCTURED_OUTPUT_URI], signal });
  const compiled = await judge.compile(schema);
  return { peer, product: produce(opened, { prompt: 'Make one', schema: compiled }, signal) };
};

describe('Asking for a typed answer', () => {
  it('gives the exact bytes of the document', async () => {
    const { peer, product } = await asked({ results: [result(raw(exact)), statusJson('COMPLETED')] });
    await expect(product).resolves.toEqual({
      kind: 'document',
      document: exact,
      taskId: 'task-1',
      contextId: 'context-1',
    });
    expect(peer.received[1]?.headers['a2a-extensions']).toBe(KEDI_STRUCTURED_OUTPUT_URI);
    expect(JSON.parse(peer.received[1]?.body ?? '').params).toMatchObject({
      message: { extensions: [KEDI_STRUCTURED_OUTPUT_URI], parts: [{ text: 'Make one' }] },
      configuration: { acceptedOutputModes: ['application/json'] },
      metadata: {
        kediStructuredOutput: {
          version: 1,
          resultEncoding: 'json-utf8',
          schemaJson: open,
          schema: { type: 'object' },
        },
      },
    });
  });

  it('asks a peer of the older encoding in that, and keeps the digits of its data part', async () => {
    const card = offering({ schemaEncodings: undefined, resultEncodings: undefined });
    const { peer, product } = await asked({
      card,
      results: [result(`{"data":${exact}}`), statusJson('COMPLETED')],
      schema: '{"type":"object","maxProperties":5.0}',
    });
    await expect(product).resolves.toMatchObject({ document: exact });
    expect(peer.received[1]?.body).toContain(
      '"metadata":{"kediStructuredOutput":{"version":1,"resultEncoding":"protobuf-value","schemaJson":"{\\"type\\":\\"object\\",\\"maxProperties\\":5.0}","schema":{"type":"object","maxProperties":5.0}}}',
    );
  });

  it('gives a question back', async () => {
    const { product } = await asked({ results: [statusJson('INPUT_REQUIRED', 'Which?')] });
    await expect(product).resolves.toMatchObject({ kind: 'question', text: 'Which?' });
  });

  it.each([
    [
      'the peer offers no typed answers',
      { capabilities: { streaming: true } },
      open,
      'PEER_UNSUITABLE',
      /does not offer typed answers/,
    ],
    [
      'the peer takes no schema',
      offering({ mode: 'fixed' }),
      open,
      'PEER_UNSUITABLE',
      /a schema of its own and takes no other/,
    ],
    ["the peer's card is wrong", offering({ version: 2 }), open, 'PEER_UNSUITABLE', /version must be 1/],
    [
      "the schema is over the peer's limit",
      offering({ maxSchemaBytes: 16 }),
      open,
      'SCHEMA_TOO_LARGE',
      /has 17 bytes, and the peer allows 16/,
    ],
    [
      'the schema does not fit into the older encoding',
      offering({ schemaEncodings: ['protobuf-value'] }),
      '{"const":9007199254740993}',
      'SCHEMA_LOSSY',
      /a number that a double cannot hold/,
    ],
  ])('fails before anything is sent when %s', async (_, card, schema, code, message) => {
    const { peer, product } = await asked({ card, schema });
    await expect(product).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(peer.calls()).toEqual([]);
  });

  it.each([
    ['is missing', [statusJson('COMPLETED', '{"a":1}')], 'RESULT_MISSING'],
    ['has another name', [result(raw('{}'), 'answer'), statusJson('COMPLETED')], 'RESULT_MISSING'],
    [
      'is malformed, though a data part stands beside it',
      [result(`${raw('{')},{"data":{}}`), statusJson('COMPLETED')],
      'RESULT_MALFORMED',
    ],
    [
      'has two values for one key',
      [result(raw('{"a":1,"a":1}')), statusJson('COMPLETED')],
      'RESULT_MALFORMED',
    ],
    ['is not of the schema', [result(raw('[]')), statusJson('COMPLETED')], 'RESULT_INVALID'],
    ['is a direct message', [{ message: { messageId: 'm', parts: [{ data: {} }] } }], 'RESULT_MISSING'],
  ])('refuses a result that %s', async (_, results, code) => {
    const { product } = await asked({ results });
    await expect(product).rejects.toMatchObject({ code });
  });

  it.each([
    [KEDI_STRUCTURED_OUTPUT_URI, 'SCHEMA_INVALID', '/properties'],
    [FAILURE_URI, 'TIMED_OUT', undefined],
  ])('throws the code that the peer gave its failure (%s)', async (uri, code, pointer) => {
    const { product } = await asked({
      results: [statusJson('FAILED', 'No.', { [uri]: { code, pointer } })],
    });
    await expect(product).rejects.toMatchObject({ code, pointer, message: 'No.' });
  });
});
