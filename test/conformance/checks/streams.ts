import { expect } from 'vitest';
import { ask, askLong, type Check, eventsOf, outline, refusal, result, taskOf } from './stage.js';

/** Streams: what they hold, in which order, and when they end. */
export const streamChecks = {
  'A2A-3.1.2-b': async ({ binding }) => {
    const events = await eventsOf(binding, 'SendStreamingMessage', ask('tck-stream-003'));
    const told = outline(events);
    expect(told[0]).toMatch(/^task /);
    expect(told.at(-1)).toBe('statusUpdate COMPLETED');
    expect(told.slice(1, -1).every((one) => /^(statusUpdate WORKING|artifactUpdate)$/.test(one))).toBe(true);
  },

  'A2A-3.1.2-c': async ({ binding }) => {
    const events = await eventsOf(binding, 'SendStreamingMessage', ask('tck-stream-artifact-chunked'));
    const chunks = events.flatMap(({ artifactUpdate }) => artifactUpdate ?? []);
    expect(chunks.map(({ artifact }) => artifact.parts[0].text)).toEqual(['chunk-1 ', 'chunk-2']);
    expect(chunks.map(({ append = false }) => append)).toEqual([false, true]);
    expect(chunks.map(({ lastChunk = false }) => lastChunk)).toEqual([false, true]);
    expect(new Set(chunks.map(({ artifact }) => artifact.artifactId)).size).toBe(1);
  },

  'A2A-3.5.2-a': async ({ binding }) => {
    const told = outline(await eventsOf(binding, 'SendStreamingMessage', ask('tck-stream-ordering-001')));
    const states = told.filter((one) => !one.startsWith('artifact')).map((one) => one.split(' ')[1]);
    expect(states.join(' ')).toMatch(/^(SUBMITTED )?WORKING( WORKING)* COMPLETED$/);
    const [first, last] = [told.indexOf('artifactUpdate'), told.lastIndexOf('artifactUpdate')];
    expect(first).toBeGreaterThan(0);
    expect(told.slice(0, first).some((one) => one.endsWith('WORKING'))).toBe(true);
    expect(last).toBeLessThan(told.indexOf('statusUpdate COMPLETED'));
  },

  'A2A-3.1.6-a': async ({ binding }) => {
    const { id } = await taskOf(binding, ask('tck-input-required'));
    const stream = binding.stream('SubscribeToTask', { id });
    const first = await stream.next();
    expect(outline([first.value])).toEqual(['task INPUT_REQUIRED']);
    expect(first.value.task.id).toBe(id);
    const rest = (async () => {
      const events = [];
      for await (const event of stream) events.push(event);
      return outline(events);
    })();
    await taskOf(binding, ask('tck-complete-task', { taskId: id }));
    expect((await rest).at(-1)).toBe('statusUpdate COMPLETED');
  },

  'A2A-3.1.6-b': async ({ binding }) => {
    const { id } = await taskOf(binding, ask('tck-complete-task'));
    expect((await refusal(binding, 'SubscribeToTask', { params: { id } })).reason).toBe(
      'UNSUPPORTED_OPERATION',
    );
  },

  'A2A-3.5.3-a': async ({ binding }) => {
    const { id } = await taskOf(binding, askLong());
    const streams = [0, 1, 2].map(() => binding.stream('SubscribeToTask', { id }));
    for (const stream of streams) expect((await stream.next()).value.task.id).toBe(id);
    const [gone, ...others] = streams;
    await gone?.return();
    const following = others.map(async (stream) => {
      const events = [];
      for await (const event of stream) events.push(event);
      return events;
    });
    await result(binding, 'CancelTask', { id });
    const [one = [], other = []] = await Promise.all(following);
    expect(outline(one).at(-1)).toBe('statusUpdate CANCELED');
    expect(one.filter(isState)).toEqual(other.filter(isState));
  },
} as const satisfies Readonly<Record<string, Check>>;

/** What was said before a subscription began is in its task, so that only the states are the same for certain. */
const isState = ({ statusUpdate }: { statusUpdate?: { status: { state: string } } }): boolean =>
  statusUpdate !== undefined && statusUpdate.status.state !== 'TASK_STATE_WORKING';
