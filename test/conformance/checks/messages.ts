import { expect } from 'vitest';
import {
  ask,
  askLong,
  type Check,
  ended,
  eventsOf,
  expectState,
  refusal,
  result,
  taskOf,
  textOf,
} from './stage.js';

/** Sending, multi-turn conversations, and what a message may hold. */
export const messageChecks = {
  'A2A-3.1.1-a': async ({ binding }) => {
    const task = await taskOf(binding, ask('tck-artifact-text'));
    expectState(task, 'COMPLETED');
    expect(textOf(task)).toBe('Generated text content');
    const { message } = await result(binding, 'SendMessage', ask('tck-message-response'));
    expect(message).toMatchObject({ role: 'ROLE_AGENT', parts: [{ text: 'Direct message response' }] });
    expect(message.messageId).toMatch(/./);
  },

  'A2A-3.1.1-b': async ({ binding }) => {
    const params = ask('tck-complete-task', { parts: [{ raw: 'AAEC', mediaType: 'image/x-unheard-of' }] });
    const { reason } = await refusal(binding, 'SendMessage', { params });
    expect(reason).toBe('CONTENT_TYPE_NOT_SUPPORTED');
  },

  'A2A-3.1.1-c': async ({ binding }) => {
    const { id } = await taskOf(binding, ask('tck-complete-task'));
    for (const method of ['SendMessage', 'SendStreamingMessage']) {
      const params = ask('tck-complete-task', { taskId: id });
      expect((await refusal(binding, method, { params })).reason).toBe('UNSUPPORTED_OPERATION');
    }
  },

  'A2A-3.2.2-a': async ({ binding }) => {
    expect((await taskOf(binding, ask('tck-complete-task'))).status.state).toMatch(ended);
    expectState(await taskOf(binding, ask('tck-input-required')), 'INPUT_REQUIRED');
  },

  'A2A-3.2.2-b': async ({ binding }) => {
    const { id, status } = await taskOf(binding, askLong());
    expect(status.state).toMatch(/^TASK_STATE_(SUBMITTED|WORKING)$/);
    await result(binding, 'CancelTask', { id });
  },

  'A2A-3.3.2-a': async ({ binding }) => {
    const contextId = `refused-${crypto.randomUUID()}`;
    for (const missing of [{ parts: [] }, { messageId: '' }, { role: 'ROLE_UNSPECIFIED' }]) {
      const { reason } = await refusal(binding, 'SendMessage', {
        params: ask('tck-complete-task', { contextId, ...missing }),
      });
      expect(reason).toBe('INVALID_PARAMS');
    }
    expect((await result(binding, 'ListTasks', { contextId })).tasks ?? []).toEqual([]);
  },

  'A2A-3.4.1-a': async ({ binding }) => {
    const made = await taskOf(binding, ask('tck-complete-task'));
    expect(made.contextId).toMatch(/./);
    const contextId = `mine-${crypto.randomUUID()}`;
    expect((await taskOf(binding, ask('tck-complete-task', { contextId }))).contextId).toBe(contextId);
  },

  'A2A-3.4.2-a': async ({ binding }) => {
    const { contextId, id } = await taskOf(binding, ask('tck-complete-task'));
    const other = await taskOf(binding, ask('tck-complete-task', { contextId }));
    expect(other.id).toMatch(/./);
    expect(other.id).not.toBe(id);
  },

  'A2A-3.4.2-b': async ({ binding }) => {
    const id = crypto.randomUUID();
    for (const [method, params] of [
      ['GetTask', { id }],
      ['CancelTask', { id }],
      ['SubscribeToTask', { id }],
      ['SendMessage', ask('tck-complete-task', { taskId: id })],
      ['SendStreamingMessage', ask('tck-complete-task', { taskId: id })],
      ['ListTaskPushNotificationConfigs', { taskId: id }],
    ] as const) {
      expect([method, (await refusal(binding, method, { params })).reason]).toEqual([
        method,
        'TASK_NOT_FOUND',
      ]);
    }
  },

  'A2A-3.4.3-a': async ({ binding }) => {
    const asked = await taskOf(binding, ask('tck-input-required', { parts: [{ text: 'first' }] }));
    const more = { taskId: asked.id, parts: [{ text: 'second' }] };
    const done = await taskOf(binding, ask('tck-complete-task', more));
    expect([done.id, done.contextId]).toEqual([asked.id, asked.contextId]);
    expectState(done, 'COMPLETED');
    const users = done.history.filter(({ role }: { role: string }) => role === 'ROLE_USER');
    expect(
      users.flatMap(({ parts }: { parts: { text: string }[] }) => parts.map(({ text }) => text)),
    ).toEqual(['first', 'second']);
  },

  'A2A-3.4.3-b': async ({ binding }) => {
    const { id } = await taskOf(binding, ask('tck-input-required'));
    const params = ask('tck-complete-task', { taskId: id, contextId: 'another' });
    expect((await refusal(binding, 'SendMessage', { params })).reason).toBe('INVALID_PARAMS');
    expectState(await result(binding, 'GetTask', { id }), 'INPUT_REQUIRED');
  },

  'A2A-4.1.3-a': async ({ binding }) => {
    const asked = await taskOf(binding, ask('tck-input-required'));
    expectState(asked, 'INPUT_REQUIRED');
    expect(asked.status.message.parts[0].text).toMatch(/\?$/);
    const declined = await taskOf(binding, ask('tck-reject-task'));
    expectState(declined, 'REJECTED');
    expect(declined.status.message.parts[0].text).toMatch(/rejected/);
  },

  'A2A-4.1.6-a': async ({ binding }) => {
    const partOf = async (scenario: string) => (await taskOf(binding, ask(scenario))).artifacts[0].parts[0];
    const file = { filename: 'output.txt', mediaType: 'text/plain' };
    const bytes = await partOf('tck-artifact-file');
    expect(bytes).toMatchObject(file);
    expect(Buffer.from(bytes.raw, 'base64').toString()).toBe('Generated file content\n');
    expect(await partOf('tck-artifact-file-url')).toMatchObject({
      url: 'https://example.com/output.txt',
      ...file,
    });
    expect((await partOf('tck-artifact-data')).data).toEqual({ key: 'value', count: 42 });
    expect((await partOf('tck-artifact-text')).text).toBe('Generated text content');
  },

  'A2A-3.1.2-a': async ({ binding }) => {
    const events = await eventsOf(binding, 'SendStreamingMessage', ask('tck-stream-002'));
    expect(events).toHaveLength(1);
    expect(events[0].message).toMatchObject({
      role: 'ROLE_AGENT',
      parts: [{ text: 'Direct message response' }],
    });
  },
} as const satisfies Readonly<Record<string, Check>>;
