import { expect, test } from 'vitest';
import type { JsonText } from '../../src/domain/json.js';
import type { Part } from '../../src/domain/message.js';
import type { Entry } from '../../src/domain/task.js';
import { decodeEntries, encodeEntries } from '../../src/store/entries.js';

const json = (text: string) => text as JsonText;
const raw = (text: string): Part => ({ kind: 'raw', bytes: Buffer.from(text) });

const message = (
  parts: readonly Part[],
  others: Partial<Extract<Entry, { type: 'message' }>> = {},
): Entry => ({
  type: 'message',
  at: 1,
  message: { messageId: 'm', role: 'user', parts, extensions: [], referenceTaskIds: [] },
  acceptedOutputModes: [],
  ...others,
});

const schema = json('{"title":"a \\"quoted\\" 78.0","const":1.0}');

test.each<[string, Entry]>([
  [
    'line feeds, a byte-order mark, NUL',
    message([raw('a\nb\r\n'), raw('\ufeffé😀\n'), raw('nul \0'), raw('')]),
  ],
  ['bytes that are no text', message([{ kind: 'raw', bytes: Buffer.of(0xc3, 0x28, 10) }])],
  [
    'documents with line feeds of their own',
    message(
      [
        { kind: 'data', json: json('{\n "a": 1.0\n}') },
        { kind: 'data', json: json('null') },
      ],
      {
        metadata: json('{\n"b":2.50}'),
      },
    ),
  ],
  [
    'a schema that stands in the metadata',
    message([], {
      metadata: json(`{"kediStructuredOutput":{"schemaJson":${JSON.stringify(schema)}}}`),
      structured: { schema, resultEncoding: 'json-utf8' },
    }),
  ],
  [
    'a schema that stands there in another spelling',
    message([], {
      metadata: json(
        `{"kediStructuredOutput":{"schemaJson":${JSON.stringify(schema).replace('a', '\\u0061')}}}`,
      ),
      structured: { schema, resultEncoding: 'json-utf8' },
    }),
  ],
  ['a schema without metadata', message([], { structured: { schema, resultEncoding: 'protobuf-value' } })],
])('a row gives back exactly: %s', (_, entry) => {
  const twice = [entry, { ...entry, at: 2 }];
  const text = encodeEntries(twice);
  // PostgreSQL stores none, and SQLite cuts a text there.
  expect(text).not.toContain('\0');
  expect(decodeEntries(text)).toEqual(twice);
});

test('a schema in the metadata is not stored a second time', () => {
  const metadata = json(JSON.stringify({ kediStructuredOutput: { schemaJson: schema } }));
  const text = encodeEntries([
    message([], { metadata, structured: { schema, resultEncoding: 'json-utf8' } }),
  ]);
  expect(text.split('quoted').length - 1).toBe(2);
});

test('rows of an earlier version are read as they are', () => {
  const text =
    '[{"type":"message","at":1,"message":{"messageId":"m","role":"user","parts":[{"kind":"raw","base64":"AP8="},{"kind":"data","json":"{\\"a\\":78.0}"}],"extensions":[],"referenceTaskIds":[]},"acceptedOutputModes":[],"metadata":"{\\"b\\":1.0}","structured":{"schema":"true","resultEncoding":"json-utf8"}},[0,4,"x\\n",[{"type":"delta","text":"x"}]]]';
  expect(decodeEntries(text)).toEqual([
    message(
      [
        { kind: 'raw', bytes: Buffer.from([0, 255]) },
        { kind: 'data', json: json('{"a":78.0}') },
      ],
      {
        metadata: json('{"b":1.0}'),
        structured: { schema: json('true'), resultEncoding: 'json-utf8' },
      },
    ),
    {
      type: 'line',
      at: 5,
      channel: 'stdout',
      raw: Buffer.from('x\n'),
      events: [{ type: 'delta', text: 'x' }],
    },
  ]);
});
