import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { untilSilent } from '../../../src/agents/kit/until-silent.js';

async function collect(source: AsyncGenerator<string, boolean, void>) {
  const lines: string[] = [];
  while (true) {
    const step = await source.next();
    if (step.done) return { lines, ended: step.value };
    lines.push(step.value);
  }
}

it('a program that is done and says nothing more is left; what it still says is heard', async () => {
  async function* lines(): AsyncGenerator<string, void, void> {
    yield 'one';
    yield 'done';
    await delay(20);
    yield 'after';
    await new Promise(() => {});
  }
  let done = false;
  const source = untilSilent(lines(), { isDone: () => done, silentMs: 200 });
  const heard: string[] = [];
  while (true) {
    const step = await source.next();
    if (step.done) {
      expect(step.value).toBe(false);
      break;
    }
    heard.push(step.value);
    done ||= step.value === 'done';
  }
  expect(heard).toEqual(['one', 'done', 'after']);
});

it('a program that is not done may be silent for as long as it likes', async () => {
  async function* lines(): AsyncGenerator<string, void, void> {
    await delay(100);
    yield 'late';
  }
  const source = untilSilent(lines(), { isDone: () => false, silentMs: 10 });
  expect(await collect(source)).toEqual({ lines: ['late'], ended: true });
});
