import type { CitedRequirement } from './requirement.js';

/** What Kedi's structured output v1 asks of a server; clauses are the headings of that extension. */
export const kediRequirements: readonly CitedRequirement[] = [
  {
    id: 'KEDI-card-a',
    clause: 'Agent Card Declaration',
    sentence: 'The card declares the extension with the parameters of its specification.',
    at: [
      [
        'server/card.test.ts',
        'has the Kedi extension with the parameters of its spec, and says honestly what the demo agent does',
      ],
      [
        'server/card.test.ts',
        'does not offer typed answers where the agent gives none, and tells further input modes',
      ],
    ],
  },
  {
    id: 'KEDI-request-a',
    clause: 'Request',
    sentence: 'The URI, in the message or the header, and the metadata make a request structured.',
    at: [
      ['server/kedi.test.ts', 'the metadata and the URI, in the message'],
      ['server/kedi.test.ts', 'or in the header'],
    ],
  },
  {
    id: 'KEDI-request-b',
    clause: 'Request',
    sentence: 'Without application/json among the output modes the task fails, and is not answered as text.',
    at: [['server/kedi.test.ts', 'fails with a clear message: %j']],
  },
  {
    id: 'KEDI-request-c',
    clause: 'Request',
    sentence: 'schemaJson is authoritative: where it is invalid, schema does not stand in for it.',
    at: [['server/kedi.test.ts', 'bad schemaJson never falls back to schema']],
  },
  {
    id: 'KEDI-request-d',
    clause: 'Request',
    sentence: 'A request with the older schema object alone is served, if its numbers passed unchanged.',
    at: [
      ['server/kedi.test.ts', 'passes in a legacy schema: %s'],
      ['server/http-json.test.ts', 'reads the numbers of a legacy schema as the client wrote them'],
    ],
  },
  {
    id: 'KEDI-request-e',
    clause: 'Request',
    sentence: 'A schema is at most 32,768 bytes of UTF-8.',
    at: [
      ['server/kedi.test.ts', 'of schemaJson as sent: 32,768 bytes pass, 32,769 fail'],
      ['server/kedi.test.ts', 'of the compact JSON of schema for legacy requests'],
    ],
  },
  {
    id: 'KEDI-request-f',
    clause: 'Request',
    sentence:
      'An invalid schema fails the task before any agent starts; remote references and depth are refused.',
    at: [
      ['server/kedi.test.ts', 'a failed task with the code %s for the schema %s'],
      [
        'schema/refusals.test.ts',
        'a schema is refused with its code, the pointer and the reason in one line',
      ],
      ['schema/refusals.test.ts', 'the bounds of a schema'],
    ],
  },
  {
    id: 'KEDI-result-a',
    clause: 'Successful Result',
    sentence: 'The result is one artifact of one raw part: the bytes of the document, named and marked.',
    at: [
      [
        'server/kedi.test.ts',
        'is one artifact with one raw part: the bytes as the agent wrote them, white space around them trimmed',
      ],
      ['server/grpc.test.ts', 'carries a typed document as bytes, each of them its own'],
      ['server/http-json.test.ts', 'keeps every digit of a typed request and of its document'],
    ],
  },
  {
    id: 'KEDI-result-b',
    clause: 'Successful Result',
    sentence: 'The bytes are the same when streamed, fetched, listed and stored.',
    at: [
      ['server/kedi-cases.test.ts', 'for SendMessage and GetTask: $name, $document'],
      ['server/kedi-cases.test.ts', 'for SendStreamingMessage: $name, $document'],
      ['server/kedi-cases.test.ts', 'for ListTasks, and after a restart for GetTask too'],
    ],
  },
  {
    id: 'KEDI-result-c',
    clause: 'Successful Result',
    sentence:
      'Without resultEncoding, or with protobuf-value, the result is a data part, refused where it would lose.',
    at: [
      ['server/kedi.test.ts', 'is one data part (resultEncoding %s)'],
      ['server/kedi.test.ts', 'fails in a legacy result: %s'],
    ],
  },
  {
    id: 'KEDI-result-d',
    clause: 'Successful Result',
    sentence: 'The document is validated before the task completes, by the exact values of its numbers.',
    at: [
      [
        'server/kedi.test.ts',
        'do not match: the message names the place and the rule, not what stands there',
      ],
      ['schema/exact-numbers.test.ts', 'numbers are judged by their exact value, however they are spelt'],
    ],
  },
  {
    id: 'KEDI-result-e',
    clause: 'Successful Result',
    sentence: 'Malformed JSON and numbers that are not finite are refused.',
    at: [
      ['schema/exact-numbers.test.ts', 'what is not one clear value is refused'],
      ['schema/document.test.ts', 'what is refused, and where'],
    ],
  },
  {
    id: 'KEDI-failure-a',
    clause: 'Failure Behavior',
    sentence: 'A failed structured task has no artifact anywhere, and no part of one.',
    at: [
      [
        'server/kedi.test.ts',
        'has no artifact in the stream, GetTask or the store, not even those that the agent yielded',
      ],
      ['server/kedi-cases.test.ts', 'fails its task, and no artifact is left'],
    ],
  },
  {
    id: 'KEDI-failure-b',
    clause: 'Failure Behavior',
    sentence: 'An agent that gives no typed answers fails such a task.',
    at: [['server/kedi.test.ts', 'fails as UNSUPPORTED']],
  },
];
