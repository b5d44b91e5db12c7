import type { OutputEvent } from '../../src/domain/agent.js';
import type { Entry } from '../../src/domain/task.js';

const at = 1_790_000_000_000;

/** What opens a task: a client's message in words. */
export const asked = (text = 'Hi'): Entry => ({
  type: 'message',
  at,
  message: {
    messageId: 'm1',
    role: 'user',
    parts: [{ kind: 'text', text }],
    extensions: [],
    referenceTaskIds: [],
  },
  acceptedOutputModes: [],
});

export const begun: Entry = { type: 'run', at, attempt: 1 };
export const completed: Entry = { type: 'state', at, state: 'completed' };

/** A line of an agent with what it means; `undefined`: not understood. */
export const line = (
  raw: string,
  events: readonly OutputEvent[] | undefined,
  channel: 'stdout' | 'stderr' = 'stdout',
): Entry => ({ type: 'line', at, raw: new TextEncoder().encode(raw), channel, events });

export const says = (text: string, more: { startsMessage?: boolean; parent?: string } = {}): Entry =>
  line(`say ${text}`, [{ type: 'delta', text, ...more }]);
