import { afterAll, describe, expect, it } from 'vitest';
import {
  answerOf,
  type Json,
  line,
  message,
  says,
  scripted,
  startA2aHost,
  typed,
} from '../support/a2a-host.js';

const uri = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';

/** What the agent claims to be the document, by the text of its prompt; runs are counted. */
const documents = new Map<string, string | readonly string[]>();
let runs = 0;

const host = await startA2aHost({
  until: afterAll,
  agentKind: scripted(async function* ({ prompt, output, refused }) {
    runs += 1;
    if (prompt === 'ask') return { kind: 'question', text: 'Which?' };
    if (output === undefined) {
      yield says('text');
      return { kind: 'done' };
    }
    yield says('working on it');
    yield line({
      type: 'artifact',
      artifactId: 'side',
      parts: [{ kind: 'text', text: 'beside' }],
      append: false,
      lastChunk: true,
    });
    const documentsOf = documents.get(prompt) ?? '{"answer":"yes"}';
    if (typeof documentsOf === 'string') return { kind: 'json', document: documentsOf };
    return { kind: 'json', document: documentsOf[refused === undefined ? 0 : 1] ?? '' };
  }),
});

const schema = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};

const send = async (params: object): Promise<Json> => (await host.result('SendMessage', params)).task;

/** As a client's own text, for what JSON.stringify would not write. */
async function sendText(params: string): Promise<Json> {
  const { text } = await host.post(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`);
  return JSON.parse(text);
}

const textParams = (kedi: string): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}],"extensions":["${uri}"]},"configuration":{"acceptedOutputModes":["application/json"]},"metadata":{"kediStructuredOutput":${kedi}}}`;

const failureOf = (task: Json): Json => {
  expect(task.status.state).toBe('TASK_STATE_FAILED');
  expect(task).not.toHaveProperty('artifacts');
  expect(task.status.message.parts).toEqual([{ text: expect.stringMatching(/\S/) }]);
  return task.status.message.metadata[uri];
};

/** The document's bytes as they came. */
const documentOf = (task: Json): string => {
  const artifact = task.artifacts.find(({ name }: Json) => name === 'kedi-structured-output');
  return Buffer.from(artifact.parts[0].raw, 'base64').toString();
};

let count = 0;
const answering = (document: string | readonly string[], more: object = {}, wanted: string | object = {}) => {
  count += 1;
  const prompt = `document ${count}`;
  documents.set(prompt, document);
  return typed(wanted, { ...more, more: { parts: [{ text: prompt }] } });
};

describe('What makes a request structured', () => {
  it('the metadata and the URI, in the message', async () => {
    expect(documentOf(await send(typed(schema)))).toBe('{"answer":"yes"}');
  });

  it('or in the header', async () => {
    const params = typed(schema, { extensions: [] });
    const { result } = await host.call('SendMessage', params, { 'a2a-extensions': `urn:x, ${uri}` });
    expect(documentOf(result.task)).toBe('{"answer":"yes"}');
  });

  it.each([uri.slice(0, -1), uri.toUpperCase()])('exactly, trailing slash included: %s', async (other) => {
    const failure = failureOf(await send(typed(schema, { extensions: [other] })));
    expect(failure).toEqual({ code: 'REQUEST_MALFORMED', pointer: '/message/extensions' });
  });
});

describe('Metadata without the URI, or without application/json among acceptedOutputModes', () => {
  it.each([[[]], [['text/plain']], [['application/jsonx']]])(
    'fails with a clear message: %j',
    async (acceptedOutputModes) => {
      const before = runs;
      const task = await send(typed(schema, { configuration: { acceptedOutputModes } }));
      expect(failureOf(task)).toEqual({
        code: 'REQUEST_MALFORMED',
        pointer: '/configuration/acceptedOutputModes',
      });
      expect(runs).toBe(before);
    },
  );

  it.each(['Application/JSON', 'application/json; charset=utf-8'])(
    'is compared without case or parameters: %s',
    async (mode) => {
      const task = await send(
        typed(schema, { configuration: { acceptedOutputModes: ['text/plain', mode] } }),
      );
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    },
  );
});

describe('URI without the metadata', () => {
  it('is a text request; one that accepts only JSON is answered as text', async () => {
    const task = await send({
      message: message('hi', { extensions: [uri] }),
      configuration: { acceptedOutputModes: ['application/json'] },
    });
    expect(answerOf(task)).toBe('text');
    expect(task.artifacts[0].artifactId).toBe('response');
  });
});

describe('The metadata object', () => {
  it('is read from the text of the body, so that numbers are what the client wrote', async () => {
    const wanted = '{"const": 9007199254740993}';
    documents.set('hi', '9007199254740993');
    const kedi = `{"version":1.0,"resultEncoding":"json-utf8","schemaJson":${JSON.stringify(wanted)}}`;
    expect(documentOf((await sendText(textParams(kedi))).result.task)).toBe('9007199254740993');
    documents.set('hi', '9007199254740992');
    expect(failureOf((await sendText(textParams(kedi))).result.task).code).toBe('RESULT_INVALID');
    documents.delete('hi');
  });

  it('with duplicate keys fails the task', async () => {
    const kedi = `{"version":1,"version":1,"resultEncoding":"json-utf8","schemaJson":"{}"}`;
    const { result } = await sendText(textParams(kedi));
    expect(failureOf(result.task).code).toBe('REQUEST_MALFORMED');
    const [{ text }] = result.task.status.message.parts;
    expect(text).toBe("The request's metadata cannot be read: a name stands twice in one object.");
  });

  it('has a version that is compared by value', async () => {
    for (const version of ['1', '1.0', '1e0', '10e-1']) {
      const { result } = await sendText(
        textParams(`{"version":${version},"resultEncoding":"json-utf8","schemaJson":"{}"}`),
      );
      expect(result.task.status.state).toBe('TASK_STATE_COMPLETED');
    }
  });
});

describe('Other version, unknown resultEncoding, wrong types', () => {
  it.each([
    [{ version: 2 }, 'version'],
    [{ version: '1' }, 'version'],
    [{ version: undefined }, 'version'],
    [{ resultEncoding: 'json' }, 'resultEncoding'],
    [{ resultEncoding: null }, 'resultEncoding'],
    [{ schemaJson: null }, 'schemaJson'],
    [{ schemaJson: '' }, 'schemaJson'],
    [{ schemaJson: {} }, 'schemaJson'],
    [{ schemaJson: undefined, schema: '{}' }, 'schema'],
  ])('%j fails before any agent starts, and names the place', async (kedi, member) => {
    const before = runs;
    const failure = failureOf(await send(typed(schema, { kedi })));
    expect(failure).toEqual({
      code: 'REQUEST_MALFORMED',
      pointer: `/metadata/kediStructuredOutput/${member}`,
    });
    expect(runs).toBe(before);
  });

  it.each([{ schemaJson: undefined }, 7, null, []])('%j fails too', async (kedi) => {
    const params = typed(schema);
    const wrong = Array.isArray(kedi) || typeof kedi !== 'object' || kedi === null ? kedi : { version: 1 };
    const task = await send({ ...params, metadata: { kediStructuredOutput: wrong } });
    expect(failureOf(task)).toMatchObject({
      code: 'REQUEST_MALFORMED',
      pointer: '/metadata/kediStructuredOutput',
    });
  });

  it('bad schemaJson never falls back to schema', async () => {
    const failure = failureOf(await send(typed('{', { kedi: { schema } })));
    expect(failure.code).toBe('SCHEMA_MALFORMED');
  });
});

describe('How a refusal looks', () => {
  it.each([
    ['SCHEMA_MALFORMED', '{"type":"object"', undefined],
    ['SCHEMA_MALFORMED', '{"type":"object","type":"object"}', undefined],
    ['SCHEMA_INVALID', '{"type":"strnig"}', '/type'],
    ['SCHEMA_UNSUPPORTED', '{"$ref":"https://example.org/schema"}', undefined],
  ])('a failed task with the code %s for the schema %s', async (code, text, pointer) => {
    const before = runs;
    const failure = failureOf(await send(typed(text)));
    expect(failure.code).toBe(code);
    if (pointer !== undefined) expect(failure.pointer).toBe(pointer);
    expect(runs).toBe(before);
  });

  it('is streamed as a task that fails', async () => {
    const events: Json[] = [];
    for await (const event of host.stream('SendStreamingMessage', typed('{'))) events.push(event);
    expect(events.map((event) => Object.keys(event)[0])).toEqual(['task', 'statusUpdate']);
    expect(events[1].statusUpdate.status.message.metadata[uri].code).toBe('SCHEMA_MALFORMED');
  });

  it('can be fetched and listed afterwards, the same', async () => {
    const task = await send(typed('{', { more: { contextId: 'refused' } }));
    expect(await host.result('GetTask', { id: task.id })).toEqual(task);
    const { tasks } = await host.result('ListTasks', { contextId: 'refused' });
    expect(tasks[0].status).toEqual(task.status);
  });
});

describe('Size limit', () => {
  const schemaOf = (bytes: number): string => {
    const empty = JSON.stringify({ description: '' });
    return JSON.stringify({ description: 'ä'.repeat(1) + 'x'.repeat(bytes - empty.length - 2) });
  };

  it('of schemaJson as sent: 32,768 bytes pass, 32,769 fail', async () => {
    expect(Buffer.byteLength(schemaOf(32_768))).toBe(32_768);
    expect((await send(answering('1', {}, schemaOf(32_768)))).status.state).toBe('TASK_STATE_COMPLETED');
    expect(failureOf(await send(answering('1', {}, schemaOf(32_769)))).code).toBe('SCHEMA_TOO_LARGE');
  });

  it('of the compact JSON of schema for legacy requests', async () => {
    const legacy = (bytes: number) =>
      textParams(`{"version":1,"schema":${schemaOf(bytes).replace(':', ' :\n ')}}`);
    documents.set('hi', '1');
    expect((await sendText(legacy(32_768))).result.task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(failureOf((await sendText(legacy(32_769))).result.task).code).toBe('SCHEMA_TOO_LARGE');
    documents.delete('hi');
  });
});

describe('Lossless in a double', () => {
  it.each(['1152921504606846976', '0.1', '78.0', '1e2'])('passes in a legacy schema: %s', async (number) => {
    const kedi = `{"version":1,"schema":{"enum":[${number}, "yes"]}}`;
    documents.set('hi', '"yes"');
    expect((await sendText(textParams(kedi))).result.task.status.state).toBe('TASK_STATE_COMPLETED');
    documents.delete('hi');
  });

  it.each(['1152921504606847000', '9007199254740993', '0.1234567890123456789', '1e400'])(
    'fails in a legacy schema: %s',
    async (number) => {
      const { result } = await sendText(textParams(`{"version":1,"schema":{"enum":[${number}]}}`));
      expect(failureOf(result.task).code).toMatch(/^(SCHEMA_LOSSY|REQUEST_MALFORMED)$/);
    },
  );

  it.each(['9007199254740993', '0.1234567890123456789'])('fails in a legacy result: %s', async (document) => {
    const params = answering(document, { kedi: { resultEncoding: 'protobuf-value' } });
    expect(failureOf(await send(params)).code).toBe('RESULT_LOSSY');
  });
});

describe('Refused documents', () => {
  it.each([
    ['no JSON', 'Here you are: {}'],
    ['trailing text', '{} done'],
    ['a byte-order mark', '\ufeff{}'],
    ['duplicate keys', '{"a":1,"a":1}'],
    ['NaN', 'NaN'],
    ['no finite double', '1e400'],
    ['too deep', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['nothing', ''],
  ])('%s', async (_, document) => {
    const before = runs;
    expect(failureOf(await send(answering(document))).code).toMatch(
      /^RESULT_(MALFORMED|MISSING|TOO_COSTLY|TOO_LARGE)$/,
    );
    expect(runs).toBe(before + 1);
  });

  it('do not match: the message names the place and the rule, not what stands there', async () => {
    const task = await send(
      answering(
        '{"answer":"secret","x":{"y":5}}',
        {},
        { properties: { x: { properties: { y: { type: 'string' } } } } },
      ),
    );
    expect(failureOf(task)).toEqual({ code: 'RESULT_INVALID', pointer: '/x/y' });
    expect(JSON.stringify(task.status)).not.toContain('secret');
  });
});

describe('json-utf8 result', () => {
  it('is one artifact with one raw part: the bytes as the agent wrote them, white space around them trimmed', async () => {
    const document = '{ "a" : 78.0,\n "b":1E2, "ä":"\\u00e4", "c":9007199254740993 }';
    const task = await send(answering(`\n ${document}\r\n`));
    const artifact = task.artifacts.at(-1);
    expect(artifact).toEqual({
      artifactId: expect.any(String),
      name: 'kedi-structured-output',
      parts: [{ raw: Buffer.from(document).toString('base64'), mediaType: 'application/json' }],
      extensions: [uri],
    });
  });
});

describe('Legacy result', () => {
  it.each([undefined, 'protobuf-value'])('is one data part (resultEncoding %s)', async (resultEncoding) => {
    const task = await send(answering('{ "a": 78.0 }', { kedi: { resultEncoding } }));
    expect(task.artifacts.at(-1)).toMatchObject({
      name: 'kedi-structured-output',
      parts: [{ data: { a: 78 }, mediaType: 'application/json' }],
      extensions: [uri],
    });
  });
});

describe('Stream', () => {
  it('has states and, at the end, the whole artifact once', async () => {
    const events: Json[] = [];
    for await (const event of host.stream('SendStreamingMessage', answering('{"a":1.0}'))) events.push(event);
    const results = events.filter(
      ({ artifactUpdate }) => artifactUpdate?.artifact.name === 'kedi-structured-output',
    );
    expect(results).toHaveLength(1);
    expect(results[0].artifactUpdate).toMatchObject({ lastChunk: true });
    expect(results[0].artifactUpdate).not.toHaveProperty('append');
    expect(Buffer.from(results[0].artifactUpdate.artifact.parts[0].raw, 'base64').toString()).toBe(
      '{"a":1.0}',
    );
    expect(JSON.stringify(events)).not.toContain('working on it');
    expect(events.at(-1).statusUpdate.status.state).toBe('TASK_STATE_COMPLETED');
  });
});

describe('Failure', () => {
  it('has no artifact in the stream, GetTask or the store, not even those that the agent yielded', async () => {
    const events: Json[] = [];
    for await (const event of host.stream('SendStreamingMessage', answering('{'))) events.push(event);
    expect(events.some((event) => 'artifactUpdate' in event)).toBe(false);
    const { id } = events[0].task;
    expect(await host.result('GetTask', { id })).not.toHaveProperty('artifacts');
    const { tasks } = await host.result('ListTasks', { includeArtifacts: true, pageSize: 1 });
    expect(tasks[0]).toMatchObject({ id, artifacts: [] });
  });

  it('held back artifacts come when the check passes', async () => {
    const task = await send(answering('{}'));
    expect(task.artifacts.map(({ artifactId }: Json) => artifactId)).toContain('side');
  });
});

describe('Attempts', () => {
  it('are one unless the operator allows more; each is told why the document before was refused', async () => {
    expect(failureOf(await send(answering(['"bad"', '1'], {}, { type: 'integer' }))).code).toBe(
      'RESULT_INVALID',
    );
    const patient = await startA2aHost({
      flags: { attempts: '2' },
      agentKind: scripted(async function* ({ refused }) {
        yield says('trying');
        return { kind: 'json', document: refused === undefined ? '"bad"' : JSON.stringify(refused) };
      }),
    });
    const { task } = await patient.result('SendMessage', typed({ type: ['integer', 'object'] }));
    expect(JSON.parse(documentOf(task))).toMatchObject({
      document: '"bad"',
      reason: expect.stringContaining('integer'),
    });
  });
});

describe('Follow-up after a question', () => {
  it('keeps the schema, and needs no metadata', async () => {
    const asked = await send(typed(schema, { more: { parts: [{ text: 'ask' }] } }));
    expect(asked.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    const done = await send({ message: message('this', { taskId: asked.id }) });
    expect(documentOf(done)).toBe('{"answer":"yes"}');
  });

  it.each([
    ['another schema', { schemaJson: '{"type":"object"}' }],
    ['another encoding', { resultEncoding: 'protobuf-value' }],
    ['what is malformed', { version: 2 }],
  ])('with metadata that differs (%s) is -32602 and leaves the task waiting', async (_, kedi) => {
    const asked = await send(typed(schema, { more: { parts: [{ text: 'ask' }] } }));
    const params = typed(schema, { kedi, more: { taskId: asked.id } });
    const { error } = await host.call('SendMessage', params);
    expect(error.code).toBe(-32602);
    expect(error.data[0].fieldViolations[0].field).toBe('metadata.kediStructuredOutput');
    expect((await host.result('GetTask', { id: asked.id })).status.state).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(documentOf(await send(typed(schema, { more: { taskId: asked.id } })))).toBe('{"answer":"yes"}');
  });

  it('of a text task cannot ask for a document', async () => {
    const { id } = await send({ message: message('ask') });
    expect((await host.call('SendMessage', typed(schema, { more: { taskId: id } }))).error.code).toBe(-32602);
  });
});

describe('a typed request to an agent that gives no typed answers', () => {
  it('fails as UNSUPPORTED', async () => {
    const other = await startA2aHost({
      agentKind: scripted(
        async function* () {
          yield says('text');
          return { kind: 'done' };
        },
        { structured: () => 'none' },
      ),
    });
    const { task } = await other.result('SendMessage', typed(schema));
    expect(task.status.state).toBe('TASK_STATE_FAILED');
    expect(JSON.stringify(task.status.message.metadata)).toContain('UNSUPPORTED');
  });
});
