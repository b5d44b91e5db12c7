import type { Message } from '../../src/domain/message.js';
import type { Entry, TaskKey, TaskRecord } from '../../src/domain/task.js';

/** A client's message of one text. */
export const messageOf = (text: string): Message => ({
  messageId: `m-${text.slice(0, 10)}`,
  role: 'user',
  parts: [{ kind: 'text', text }],
  extensions: [],
  referenceTaskIds: [],
});

/** What opens a task. */
export const opening = (at: number, text = 'hello'): Entry => ({
  type: 'message',
  at,
  message: messageOf(text),
  acceptedOutputModes: ['text/plain'],
});

/** A line that says one thing. */
export const said = (at: number, text: string): Entry => ({
  type: 'line',
  at,
  channel: 'stdout',
  raw: Buffer.from(text),
  events: [{ type: 'delta', text }],
});

export const ended = (
  at: number,
  state: Extract<Entry, { type: 'state' }>['state'] = 'completed',
): Entry => ({ type: 'state', at, state });

/** A task as it is given to `create`. */
export const taskOf = (
  key: Partial<TaskKey> & { readonly taskId: string },
  { at = 1, contextId = 'context' }: { readonly at?: number; readonly contextId?: string } = {},
): Omit<TaskRecord, 'length'> => ({
  principal: 'local',
  ...key,
  contextId,
  agentKind: 'demo',
  structured: false,
  state: 'submitted',
  createdAt: at,
  updatedAt: at,
});

/** Entries with plain byte arrays in place of Buffers, so that they compare by content. */
export const plain = (entries: readonly Entry[]): unknown =>
  structuredClone(
    JSON.parse(
      JSON.stringify(entries, (_, value: unknown) =>
        value instanceof Uint8Array
          ? { bytes: [...value] }
          : isBufferJson(value)
            ? { bytes: value.data }
            : value,
      ),
    ),
  );

const isBufferJson = (value: unknown): value is { readonly data: readonly number[] } =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  value.type === 'Buffer' &&
  'data' in value;
