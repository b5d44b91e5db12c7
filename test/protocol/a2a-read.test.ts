import { describe, expect, it } from 'vitest';
import type { KediError } from '../../src/domain/errors.js';
import { readGetTask, readListTasks, readSendMessage, readTaskId } from '../../src/protocol/a2a-read.js';
import type { Params } from '../../src/protocol/fields.js';
import { readEnvelope } from '../../src/schema/document.js';

function params(text: string): Params {
  const read = readEnvelope(text);
  if (!read.ok) throw new Error(read.reason);
  return read;
}

const send = (text: string) => readSendMessage(params(text));

const message = (fields: string): string =>
  `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]${fields}}}`;

const part = (text: string) =>
  send(`{"message":{"messageId":"m","role":"ROLE_USER","parts":[${text}]}}`).message.parts[0];

function fieldsWrong(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    const { code, fields } = error as KediError;
    expect(code).toBe('INVALID_PARAMS');
    return fields.map(({ field }) => field);
  }
  return [];
}

describe('a message', () => {
  it('is read with every field it has', () => {
    expect(
      send(`{
        "message": {
          "messageId": "m-1", "contextId": "c.1", "taskId": "t-1", "role": "ROLE_USER",
          "parts": [{"text": "hi", "metadata": {"n": 1e2}, "mediaType": "text/plain", "filename": "a.txt"}],
          "metadata": {"big": 9007199254740993}, "extensions": ["urn:x"], "referenceTaskIds": ["t-0"]
        },
        "configuration": {"acceptedOutputModes": ["text/plain"], "historyLength": 3, "returnImmediately": true,
          "taskPushNotificationConfig": {"url": "https://example.org"}},
        "metadata": {"x": 78.0}
      }`),
    ).toEqual({
      message: {
        messageId: 'm-1',
        contextId: 'c.1',
        taskId: 't-1',
        role: 'user',
        parts: [
          { kind: 'text', text: 'hi', mediaType: 'text/plain', filename: 'a.txt', metadata: '{"n": 1e2}' },
        ],
        metadata: '{"big": 9007199254740993}',
        extensions: ['urn:x'],
        referenceTaskIds: ['t-0'],
      },
      acceptedOutputModes: ['text/plain'],
      historyLength: 3,
      returnImmediately: true,
      pushNotificationConfig: { id: '', url: 'https://example.org' },
      metadata: '{"x": 78.0}',
      flawedMetadata: undefined,
    });
  });

  it('may have the names of the .proto file, numbers for enums, and nulls for what is absent', () => {
    const read = send(
      `{"message":{"message_id":"m","context_id":"c","role":1,"parts":[{"text":"x","media_type":"text/plain","filename":null}],
        "task_id":null,"metadata":null,"extensions":null,"reference_task_ids":["t"]},
        "configuration":{"accepted_output_modes":["a/b"],"history_length":"2","return_immediately":false}}`,
    );
    expect(read.message).toEqual({
      messageId: 'm',
      contextId: 'c',
      role: 'user',
      parts: [{ kind: 'text', text: 'x', mediaType: 'text/plain' }],
      extensions: [],
      referenceTaskIds: ['t'],
    });
    expect(read.historyLength).toBe(2);
    expect(read.acceptedOutputModes).toEqual(['a/b']);
  });

  it('may have fields that nobody knows', () => {
    expect(send(message(',"future":{"a":[1]}')).message.messageId).toBe('m');
  });

  it.each([
    ['{}', ['message']],
    ['{"message":null}', ['message']],
    ['{"message":7}', ['message']],
    ['{"message":{}}', ['message.parts', 'message.messageId', 'message.role']],
    [message(',"contextId":"a b"'), ['message.contextId']],
    [message(`,"contextId":"${'x'.repeat(129)}"`), ['message.contextId']],
    [message(',"contextId":5'), ['message.contextId']],
    [message(',"taskId":[]'), ['message.taskId']],
    [message(',"metadata":[]'), ['message.metadata']],
    [message(',"extensions":"urn:x"'), ['message.extensions']],
    [message(',"extensions":[1]'), ['message.extensions[0]']],
    [message(',"message_id":"n"'), ['message.messageId']],
    ['{"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":""}]}}', ['message.role']],
    ['{"message":{"messageId":"m","role":"user","parts":[{"text":""}]}}', ['message.role']],
    ['{"message":{"messageId":"m","role":0,"parts":[{"text":""}]}}', ['message.role']],
    ['{"message":{"messageId":"m","role":"ROLE_USER","parts":{}}}', ['message.parts']],
    ['{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}', ['message.parts']],
    [
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{},7]}}',
      ['message.parts[0]', 'message.parts[1]'],
    ],
    [
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a","url":"b"}]}}',
      ['message.parts[0]'],
    ],
    ['{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":1}]}}', ['message.parts[0].text']],
    ['{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"a*"}]}}', ['message.parts[0].raw']],
    ['{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"abcde"}]}}', ['message.parts[0].raw']],
    ['{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"url":""}]}}', ['message.parts[0].url']],
  ])('names the fields that are wrong: %s', (text, fields) => {
    expect(fieldsWrong(() => send(text))).toEqual(fields);
  });

  it.each([
    ['{"historyLength":-1}', 'configuration.historyLength'],
    ['{"historyLength":1.5}', 'configuration.historyLength'],
    ['{"historyLength":"x"}', 'configuration.historyLength'],
    ['{"historyLength":2147483648}', 'configuration.historyLength'],
    ['{"returnImmediately":"true"}', 'configuration.returnImmediately'],
    ['{"acceptedOutputModes":"text/plain"}', 'configuration.acceptedOutputModes'],
    ['[]', 'configuration'],
  ])('has a configuration that is checked too: %s', (configuration, field) => {
    const text = message('').replace(/}$/, `,"configuration":${configuration}}`);
    expect(fieldsWrong(() => send(text))).toEqual([field]);
  });

  it('tells the bound that a number is over', () => {
    expect(() => readGetTask(params('{"id":"t","historyLength":2147483648}'))).toThrow(
      'historyLength must be from 0 to 2147483647.',
    );
    expect(() => readGetTask(params('{"id":"t","historyLength":-1}'))).toThrow(
      'historyLength must be 0 or more.',
    );
  });

  it.each([
    ['{"message":{"messageId":"m","messageId":"n","role":"ROLE_USER","parts":[{"text":""}]}}', 'message'],
    [message('').replace('{', '{"metadata":{},"metadata":{},'), 'params'],
    [message(',"metadata":{"a":{"b":1,"b":2}}'), 'message.metadata'],
    [message(',"metadata":{"a":1e400}'), 'message.metadata'],
    [message('').replace('{', '{"metadata":{"a":1e400},'), 'metadata'],
    [
      '{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":[{"a":1,"a":1}]}]}}',
      'message.parts[0].data',
    ],
  ])('that not every reader would understand alike is refused, where it is not: %s', (text, field) => {
    expect(fieldsWrong(() => send(text))).toEqual([field]);
  });

  it('may have flaws in what nobody reads, and in metadata of a typed request, which fails its task', () => {
    expect(send(message(',"future":{"a":1,"a":1e400}')).flawedMetadata).toBeUndefined();
    const kedi = message('').replace('{', '{"metadata":{"kediStructuredOutput":{"version":1,"version":1}},');
    expect(send(kedi)).toMatchObject({
      metadata: undefined,
      flawedMetadata: 'a name stands twice in one object',
    });
  });

  it('whose params are no object is refused in one sentence', () => {
    expect(() => send('[1]')).toThrow('params must be an object.');
    expect(() => readSendMessage(undefined)).toThrow('message is required.');
  });
});

describe('a part', () => {
  it('keeps the text of its data, digit for digit', () => {
    expect(part('{"data": [78.0, 9007199254740993, {"a" : -0}]}')).toEqual({
      kind: 'data',
      json: '[78.0, 9007199254740993, {"a" : -0}]',
    });
  });

  it('may have data that is null', () => {
    expect(part('{"data":null}')).toEqual({ kind: 'data', json: 'null' });
    expect(part('{"data":null,"text":"x"}')).toEqual({ kind: 'text', text: 'x' });
  });

  it.each(['+/++', '-_--', '+/++====='.slice(0, 4), '_-8=', '_-8', '/+8='])(
    'may have bytes in base64: %s',
    (raw) => {
      const read = part(`{"raw":"${raw}"}`);
      expect(read?.kind === 'raw' && Buffer.from(read.bytes)).toEqual(Buffer.from(raw, 'base64url'));
    },
  );

  it('may have an empty text', () => {
    expect(part('{"text":""}')).toEqual({ kind: 'text', text: '' });
  });
});

describe('the other requests', () => {
  it('name a task', () => {
    expect(readGetTask(params('{"id":"t","historyLength":0}'))).toEqual({ id: 't', historyLength: 0 });
    expect(readTaskId(params('{"id":"t"}'))).toEqual({ id: 't' });
    expect(fieldsWrong(() => readGetTask(undefined))).toEqual(['id']);
    expect(fieldsWrong(() => readTaskId(params('{"id":""}')))).toEqual(['id']);
    expect(fieldsWrong(() => readTaskId(params('{"id":1}')))).toEqual(['id']);
  });

  it('list tasks, 50 a page unless said otherwise', () => {
    expect(readListTasks(undefined)).toEqual({
      contextId: undefined,
      state: undefined,
      pageSize: 50,
      pageToken: undefined,
      historyLength: undefined,
      updatedSince: undefined,
      includeArtifacts: false,
    });
    expect(
      readListTasks(
        params(
          '{"contextId":"c","status":"TASK_STATE_INPUT_REQUIRED","pageSize":1e2,"pageToken":"p","historyLength":1,"statusTimestampAfter":"2026-01-31T10:00:00.0001Z","includeArtifacts":true}',
        ),
      ),
    ).toEqual({
      contextId: 'c',
      state: 'input-required',
      pageSize: 100,
      pageToken: 'p',
      historyLength: 1,
      updatedSince: Date.UTC(2026, 0, 31, 10) + 1,
      includeArtifacts: true,
    });
  });

  it.each(['"TASK_STATE_UNSPECIFIED"', '0', 'null'])(
    'list tasks in any state for the status %s',
    (status) => {
      expect(readListTasks(params(`{"status":${status}}`)).state).toBeUndefined();
    },
  );

  it.each([
    ['2026-01-31T10:00:00Z', Date.UTC(2026, 0, 31, 10)],
    ['2026-01-31T12:00:00.5+02:00', Date.UTC(2026, 0, 31, 10) + 500],
  ])('know the times of RFC 3339: %s', (written, time) => {
    expect(readListTasks(params(`{"statusTimestampAfter":"${written}"}`)).updatedSince).toBe(time);
  });

  it.each([
    ['{"pageSize":0}', 'pageSize'],
    ['{"pageSize":101}', 'pageSize'],
    ['{"pageSize":true}', 'pageSize'],
    ['{"status":"TASK_STATE_RUNNING"}', 'status'],
    ['{"status":99}', 'status'],
    ['{"status":true}', 'status'],
    ['{"historyLength":-5}', 'historyLength'],
    ['{"statusTimestampAfter":"yesterday"}', 'statusTimestampAfter'],
    ['{"statusTimestampAfter":"2026-13-01T00:00:00Z"}', 'statusTimestampAfter'],
    ['{"includeArtifacts":1}', 'includeArtifacts'],
  ])('are refused by the name of the field: %s', (text, field) => {
    expect(fieldsWrong(() => readListTasks(params(text)))).toEqual([field]);
  });
});
