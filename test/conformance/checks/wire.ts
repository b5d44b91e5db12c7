import { expect } from 'vitest';
import type { Json } from '../../support/a2a-host.js';
import type { Binding } from '../bindings/binding.js';
import { ask, type Check, refusal, taskOf } from './stage.js';

/** What is the same in all of a binding: its errors, names, times and media types. */
export const wireChecks = {
  'A2A-3.1.11-a': async ({ binding }) => {
    const { reason } = await refusal(binding, 'GetExtendedAgentCard', { params: {} });
    expect(reason).toBe('UNSUPPORTED_OPERATION');
  },

  'A2A-3.3.2-b': async ({ binding }) => {
    const error = await refusal(binding, 'GetTask', { params: { id: 'nowhere' } });
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    expect(error).toMatchObject({ reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org' });
  },

  'A2A-3.6.2-a': async ({ binding }) => {
    for (const version of ['99.0', '2', 'x']) {
      const { reason } = await refusal(binding, 'GetTask', {
        params: { id: 'nowhere' },
        headers: { 'a2a-version': version },
      });
      expect([version, reason]).toEqual([version, 'VERSION_NOT_SUPPORTED']);
    }
  },

  'A2A-5.4-a': async ({ binding, withoutPush }) => {
    const { id } = await taskOf(binding, ask('tck-complete-task'));
    const unheardOf = { parts: [{ raw: 'AAEC', mediaType: 'image/x-unheard-of' }] };
    const version = { params: { id }, headers: { 'a2a-version': '99.0' } };
    const errors = [
      await refusal(binding, 'GetTask', { params: { id: 'nowhere' } }),
      await refusal(binding, 'CancelTask', { params: { id } }),
      await refusal(withoutPush, 'ListTaskPushNotificationConfigs', { params: { taskId: id } }),
      await refusal(binding, 'SubscribeToTask', { params: { id } }),
      await refusal(binding, 'SendMessage', { params: ask('tck-complete-task', unheardOf) }),
      await refusal(binding, 'GetTask', version),
    ];
    expect(errors.map(({ reason, code }) => [reason, code])).toEqual(
      mapping.map(([reason, codes]) => [reason, codes[binding.name]]),
    );
  },

  'A2A-5.5-a': async ({ binding }) => {
    const task = await taskOf(binding, ask('tck-artifact-file'));
    expect(keysOf(task).filter((key) => !/^[a-z][a-zA-Z0-9]*$/.test(key))).toEqual([]);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(task.history[0].role).toBe('ROLE_USER');
  },

  'A2A-5.6.1-a': async ({ binding }) => {
    const { status } = await taskOf(binding, ask('tck-complete-task'));
    expect(status.timestamp).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
    expect(Math.abs(Date.parse(status.timestamp) - Date.now())).toBeLessThan(60_000);
  },

  'A2A-9.1-a': async ({ binding }) => {
    const answer = await binding.call('SendMessage', ask('tck-complete-task'));
    expect(answer).toMatchObject({
      ok: true,
      contentType: binding.name === 'JSON-RPC' ? 'application/json' : 'application/a2a+json',
    });
  },
} as const satisfies Readonly<Record<string, Check>>;

/** The table of clause 5.4, in the order in which the check above makes its errors. */
const mapping: readonly (readonly [reason: string, Readonly<Record<Binding['name'], number | string>>])[] = [
  ['TASK_NOT_FOUND', { 'JSON-RPC': -32001, gRPC: 'NOT_FOUND', 'HTTP+JSON': 404 }],
  ['TASK_NOT_CANCELABLE', { 'JSON-RPC': -32002, gRPC: 'FAILED_PRECONDITION', 'HTTP+JSON': 400 }],
  ['PUSH_NOTIFICATION_NOT_SUPPORTED', { 'JSON-RPC': -32003, gRPC: 'FAILED_PRECONDITION', 'HTTP+JSON': 400 }],
  ['UNSUPPORTED_OPERATION', { 'JSON-RPC': -32004, gRPC: 'FAILED_PRECONDITION', 'HTTP+JSON': 400 }],
  ['CONTENT_TYPE_NOT_SUPPORTED', { 'JSON-RPC': -32005, gRPC: 'INVALID_ARGUMENT', 'HTTP+JSON': 400 }],
  ['VERSION_NOT_SUPPORTED', { 'JSON-RPC': -32009, gRPC: 'FAILED_PRECONDITION', 'HTTP+JSON': 400 }],
];

const keysOf = (value: Json): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries<Json>(value).flatMap(([key, inner]) => [
        ...(Array.isArray(value) ? [] : [key]),
        ...keysOf(inner),
      ])
    : [];
