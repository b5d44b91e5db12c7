import { v7 } from 'uuid';
import { expect } from 'vitest';
import type { Json } from '../../support/a2a-host.js';
import { type Binding, Refused, type WireError } from '../bindings/binding.js';

/** What a check may use: a binding to the server of the conformance agent, and one to a server that has no push. */
export interface Stage {
  readonly binding: Binding;
  readonly withoutPush: Binding;
}

/** Verifies one requirement over one binding; an Error where it is not met. */
export type Check = (stage: Stage) => Promise<void>;

/** Params of a message whose id plays one of the agent's scenarios. */
export const ask = (scenario: string, more: object = {}, configuration?: object) => ({
  message: { messageId: `${scenario}-${v7()}`, role: 'ROLE_USER', parts: [{ text: 'hello' }], ...more },
  ...(configuration && { configuration }),
});

/** Params of a message whose agent works for some seconds, answered at once. */
export const askLong = () => ask('test-resubscribe-message-id', {}, { returnImmediately: true });

/** The result of a call; an Error where it was refused. */
export async function result(binding: Binding, method: string, params: object): Promise<Json> {
  const answer = await binding.call(method, params);
  if (answer.ok) return answer.result;
  throw new Error(`${method} was refused: ${JSON.stringify(answer.error)}`);
}

/** The task that a message made. */
export async function taskOf(binding: Binding, params: object): Promise<Json> {
  const { task } = await result(binding, 'SendMessage', params);
  if (task === undefined) throw new Error('A task was expected.');
  return task;
}

/** The error of a call, or of a stream; an Error where there is none. */
export async function refusal(
  binding: Binding,
  method: string,
  { params, headers = {} }: { readonly params: object; readonly headers?: Readonly<Record<string, string>> },
): Promise<WireError> {
  if (method !== 'SubscribeToTask' && method !== 'SendStreamingMessage') {
    const answer = await binding.call(method, params, { headers });
    if (!answer.ok) return answer.error;
  } else {
    try {
      await binding.stream(method, params, { headers }).next();
    } catch (error) {
      if (error instanceof Refused) return error.error;
      throw error;
    }
  }
  throw new Error(`${method} was not refused.`);
}

/** All events of a stream. */
export async function eventsOf(binding: Binding, method: string, params: object): Promise<readonly Json[]> {
  const events: Json[] = [];
  for await (const event of binding.stream(method, params)) events.push(event);
  return events;
}

/** What each event is: its name, with the state where it is one. */
export const outline = (events: readonly Json[]): readonly string[] =>
  events.map((event) => {
    const [kind = '', value] = Object.entries<Json>(event)[0] ?? [];
    const state = value?.status?.state;
    return state === undefined ? kind : `${kind} ${state.replace('TASK_STATE_', '')}`;
  });

/** The text of all artifacts of a task. */
export const textOf = (task: Json): string =>
  (task.artifacts ?? []).flatMap(({ parts }: Json) => parts.map(({ text }: Json) => text ?? '')).join('');

export const ended = /^TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)$/;

export const expectState = (task: Json, state: string): void =>
  expect(task.status.state).toBe(`TASK_STATE_${state}`);
