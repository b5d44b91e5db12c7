import { describe, expect, it } from 'vitest';
import { demo } from '../../src/agents/demo.js';
import type { Turn } from '../../src/domain/agent.js';
import { jsonText } from '../../src/schema/document.js';
import { createJudge } from '../../src/schema/index.js';
import { eventsOf, finish, newTurn, type Ran } from './support/turn.js';

const ask = async (turn: Partial<Turn>, options = {}): Promise<Ran> => {
  const agent = await demo.create(options, { env: {}, directory: '/', warn: () => {} });
  return finish(agent.run(await newTurn(turn)));
};

describe('the demo agent', () => {
  it('streams its answer word by word, the same every time', async () => {
    const first = await ask({ prompt: 'Hello' });
    expect(first.lines.length).toBeGreaterThan(10);
    expect(eventsOf((await ask({ prompt: 'Hello' })).lines)).toEqual(eventsOf(first.lines));
    expect(eventsOf(first.lines).at(-1)).toEqual({ type: 'usage', finishReason: 'stop', model: 'demo' });
  });

  it('waits before each word only when told to', async () => {
    const started = performance.now();
    await ask({ prompt: 'Hello' });
    const fast = performance.now() - started;
    await ask({ prompt: 'Hello' }, { delayMs: 10 });
    expect(fast).toBeLessThan(150);
    expect(performance.now() - started - fast).toBeGreaterThan(100);
  });

  it('quotes no more of a long prompt than fits on a line, and cuts no character', async () => {
    const ran = await ask({ prompt: '🐈'.repeat(500_000) });
    const text = eventsOf(ran.lines)
      .map((event) => (event.type === 'delta' ? event.text : ''))
      .join('');
    expect(text).toContain(`“${'🐈'.repeat(60)}…”`);
  });

  it('makes sample data for a schema, and says that it is that', async () => {
    const judge = createJudge();
    const output = await judge.compile(
      '{"type":"object","properties":{"n":{"type":"integer","minimum":3}},"required":["n"]}',
    );
    const { lines, outcome } = await ask({ output });
    expect(outcome.kind).toBe('json');
    expect(await output.check(outcome.kind === 'json' ? outcome.document : '')).toMatchObject({ ok: true });
    expect(eventsOf(lines)[0]).toMatchObject({
      type: 'status',
      text: expect.stringContaining('Sample data'),
    });
    await judge.close();
  });

  it('fails as unsupported, with the reason, where no sample can be made', async () => {
    const impossible = {
      text: jsonText({ not: {} }),
      check: async () => Promise.reject(new Error('not asked')),
    };
    await expect(ask({ output: impossible })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      message: expect.stringMatching(/^The demo agent cannot make sample data for this schema: .+/),
    });
  });

  it('tells what it can rehearse, and there is nothing else', async () => {
    const { outcome } = await ask({ prompt: '/help' });
    const commands = outcome.kind === 'text' ? (outcome.text.match(/^\/\w+/gm) ?? []) : [];
    expect(commands.length).toBeGreaterThan(5);
    const usual = eventsOf((await ask({ prompt: '/no-such-command' })).lines).length;
    for (const command of commands) {
      const ran = await ask({ prompt: `${command} 0` }).catch(() => undefined);
      const rehearsed =
        ran === undefined || ran.outcome.kind !== 'done' || eventsOf(ran.lines).length > usual;
      expect({ command, rehearsed }).toEqual({ command, rehearsed: true });
    }
  });

  it('rehearses a question, a tool, a file and a wait for those who write a client', async () => {
    expect((await ask({ prompt: '/ask Which one?' })).outcome).toEqual({
      kind: 'question',
      text: 'Which one?',
    });
    expect(eventsOf((await ask({ prompt: '/tool abc' })).lines).slice(0, 2)).toEqual([
      { type: 'tool_call', id: 'tool-1', name: 'measure', input: '{"text":"abc"}' },
      { type: 'tool_result', id: 'tool-1', ok: true, text: '3 characters' },
    ]);
    expect(eventsOf((await ask({ prompt: '/file' })).lines)[0]).toMatchObject({
      type: 'artifact',
      name: 'demo.txt',
      parts: [{ kind: 'raw', mediaType: 'text/plain', filename: 'demo.txt' }],
    });
    const started = performance.now();
    await ask({ prompt: '/wait 0.2' });
    expect(performance.now() - started).toBeGreaterThan(190);
  });
});
