import { expect } from 'vitest';
import type { Json } from '../../support/a2a-host.js';
import { ask, askLong, type Check, expectState, refusal, result, taskOf, textOf } from './stage.js';

/** Tasks: reading, listing, canceling, and their push configurations. */
export const taskChecks = {
  'A2A-3.1.3-a': async ({ binding }) => {
    const sent = await taskOf(binding, ask('tck-artifact-text'));
    const read = await result(binding, 'GetTask', { id: sent.id });
    expectState(read, 'COMPLETED');
    expect(textOf(read)).toBe('Generated text content');
    expect(read).toEqual(sent);
  },

  'A2A-3.1.4-a': async ({ binding }) => {
    const { contextId } = await taskOf(binding, ask('tck-artifact-text'));
    const [without] = (await result(binding, 'ListTasks', { contextId })).tasks;
    expect(without).not.toHaveProperty('artifacts');
    const [with_] = (await result(binding, 'ListTasks', { contextId, includeArtifacts: true })).tasks;
    expect(textOf(with_)).toBe('Generated text content');
  },

  'A2A-3.1.4-b': async ({ binding }) => {
    const { contextId } = await taskOf(binding, ask('tck-complete-task'));
    await taskOf(binding, ask('tck-complete-task', { contextId }));
    const first = await result(binding, 'ListTasks', { contextId, pageSize: 1 });
    expect(first.nextPageToken).toMatch(/./);
    const last = await result(binding, 'ListTasks', {
      contextId,
      pageSize: 1,
      pageToken: first.nextPageToken,
    });
    expect(last.nextPageToken).toBe('');
  },

  'A2A-3.1.4-c': async ({ binding }) => {
    const { contextId, id } = await taskOf(binding, ask('tck-complete-task'));
    const ids = [id];
    for (let more = 0; more < 4; more += 1) {
      ids.unshift((await taskOf(binding, ask('tck-complete-task', { contextId }))).id);
    }
    const listed: Json[] = [];
    let pageToken = '';
    do {
      const params = { contextId, pageSize: 2, ...(pageToken !== '' && { pageToken }) };
      const page = await result(binding, 'ListTasks', params);
      expect(page.totalSize).toBe(5);
      listed.push(...page.tasks);
      pageToken = page.nextPageToken ?? '';
    } while (pageToken !== '');
    expect(listed.map((task) => task.id)).toEqual(ids);
    const times = listed.map(({ status }) => status.timestamp);
    expect(times).toEqual([...times].sort().reverse());
  },

  'A2A-3.1.4-d': async ({ binding }) => {
    const { contextId, id } = await taskOf(binding, ask('tck-complete-task'));
    const waiting = await taskOf(binding, ask('tck-input-required', { contextId }));
    const idsOf = async (params: object) =>
      ((await result(binding, 'ListTasks', params)).tasks ?? []).map((task: Json) => task.id);
    expect(await idsOf({ contextId })).toEqual([waiting.id, id]);
    expect(await idsOf({ contextId, status: 'TASK_STATE_INPUT_REQUIRED' })).toEqual([waiting.id]);
    expect(await idsOf({ contextId: `none-${crypto.randomUUID()}` })).toEqual([]);
  },

  'A2A-3.1.5-a': async ({ binding }) => {
    const { id } = await taskOf(binding, askLong());
    expectState(await result(binding, 'CancelTask', { id }), 'CANCELED');
    expectState(await result(binding, 'GetTask', { id }), 'CANCELED');
  },

  'A2A-3.1.5-b': async ({ binding }) => {
    const { id } = await taskOf(binding, ask('tck-complete-task'));
    expect((await refusal(binding, 'CancelTask', { params: { id } })).reason).toBe('TASK_NOT_CANCELABLE');
  },

  'A2A-3.2.4-a': async ({ binding }) => {
    const { id } = await taskOf(binding, ask('tck-input-required', { parts: [{ text: 'first' }] }));
    await taskOf(binding, ask('tck-complete-task', { taskId: id, parts: [{ text: 'second' }] }));
    const historyOf = async (params: object) =>
      ((await result(binding, 'GetTask', { id, ...params })).history ?? []).map(
        ({ parts }: Json) => parts[0].text,
      );
    const all = await historyOf({});
    expect(all[0]).toBe('first');
    expect(all).toContain('second');
    expect(await historyOf({ historyLength: 0 })).toEqual([]);
    expect(await historyOf({ historyLength: 1 })).toEqual(all.slice(-1));
  },

  'A2A-3.1.7-a': async ({ binding }) => {
    const { taskId, url, made } = await pushConfig(binding);
    expect(made).toMatchObject({ taskId, url });
    expect(made.id).toMatch(/./);
    expect(await result(binding, 'GetTaskPushNotificationConfig', { taskId, id: made.id })).toEqual(made);
  },

  'A2A-3.1.9-a': async ({ binding }) => {
    const { taskId, url, made } = await pushConfig(binding);
    const other = await result(binding, 'CreateTaskPushNotificationConfig', { taskId, url, id: 'zzz' });
    expect((await result(binding, 'ListTaskPushNotificationConfigs', { taskId })).configs).toEqual([
      made,
      other,
    ]);
    const page = await result(binding, 'ListTaskPushNotificationConfigs', { taskId, pageSize: 1 });
    expect(page.configs).toEqual([made]);
    const { nextPageToken: pageToken } = page;
    expect((await result(binding, 'ListTaskPushNotificationConfigs', { taskId, pageToken })).configs).toEqual(
      [other],
    );
  },

  'A2A-3.1.10-a': async ({ binding }) => {
    const { taskId, made } = await pushConfig(binding);
    const params = { taskId, id: made.id };
    await result(binding, 'DeleteTaskPushNotificationConfig', params);
    await result(binding, 'DeleteTaskPushNotificationConfig', params);
    await refusal(binding, 'GetTaskPushNotificationConfig', { params });
    expect((await result(binding, 'ListTaskPushNotificationConfigs', { taskId })).configs ?? []).toEqual([]);
  },

  'A2A-3.3.4-a': async ({ withoutPush: binding }) => {
    const { id: taskId } = await taskOf(binding, ask('tck-input-required'));
    for (const [method, params] of [
      ['CreateTaskPushNotificationConfig', { taskId, url: 'http://127.0.0.1:9/' }],
      ['GetTaskPushNotificationConfig', { taskId, id: 'x' }],
      ['ListTaskPushNotificationConfigs', { taskId }],
      ['DeleteTaskPushNotificationConfig', { taskId, id: 'x' }],
    ] as const) {
      const { reason } = await refusal(binding, method, { params });
      expect([method, reason]).toEqual([method, 'PUSH_NOTIFICATION_NOT_SUPPORTED']);
    }
  },
} as const satisfies Readonly<Record<string, Check>>;

/** A configuration of a task that waits, so that nothing is delivered. */
async function pushConfig(binding: Parameters<Check>[0]['binding']) {
  const { id: taskId } = await taskOf(binding, ask('tck-input-required'));
  const url = 'http://127.0.0.1:9/hook';
  return { taskId, url, made: await result(binding, 'CreateTaskPushNotificationConfig', { taskId, url }) };
}
