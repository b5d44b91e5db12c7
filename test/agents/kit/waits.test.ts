import { getEventListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settled, untilAborted } from '../../../src/agents/kit/abortable.js';
import { openDeadline } from '../../../src/agents/kit/deadline.js';
import { pause } from '../../../src/agents/kit/pause.js';

const never = new Promise<never>(() => {});

const abortingSoon = (): AbortController => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('canceled')), 20);
  return controller;
};

describe('a wait', () => {
  it('ends with the reason of its signal, and at once where that has aborted before', async () => {
    await expect(pause(60_000, abortingSoon().signal)).rejects.toThrow('canceled');
    await expect(untilAborted(never, abortingSoon().signal)).rejects.toThrow('canceled');
    const aborted = AbortSignal.abort(new Error('canceled before'));
    await expect(pause(60_000, aborted)).rejects.toThrow('canceled before');
    await expect(untilAborted(Promise.resolve(1), aborted)).rejects.toThrow('canceled before');
  });

  it('for what somebody else does comes to what that comes to, and leaves no listener', async () => {
    const { signal } = new AbortController();
    expect(await untilAborted(Promise.resolve('done'), signal)).toBe('done');
    await expect(untilAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
    await delay(1);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('for somebody to tidy up is no longer than it may be, and never fails', async () => {
    const started = performance.now();
    await settled(never, 50);
    await settled(Promise.reject(new Error('failed')), 60_000);
    await settled(Promise.resolve(), 60_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('a deadline', () => {
  it('aborts with TIMED_OUT when it is over', async () => {
    const deadline = openDeadline(new AbortController().signal, { afterMs: 20, message: 'too slow' });
    await expect(pause(60_000, deadline.signal)).rejects.toMatchObject({
      code: 'TIMED_OUT',
      message: 'too slow',
    });
    deadline.close();
  });

  it('aborts with its parent, for the reason of that', async () => {
    for (const parent of [abortingSoon().signal, AbortSignal.abort(new Error('canceled'))]) {
      const deadline = openDeadline(parent, { afterMs: 60_000, message: 'too slow' });
      await expect(pause(60_000, deadline.signal)).rejects.toThrow('canceled');
      deadline.close();
    }
  });

  it('that is closed is none, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const deadline = openDeadline(signal, { afterMs: 10, message: 'too slow' });
    deadline.close();
    await delay(30);
    expect(deadline.signal.aborted).toBe(false);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
