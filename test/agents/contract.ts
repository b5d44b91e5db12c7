import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { readAgentOptions } from '../../src/agents/index.js';
import type { Agent, AgentKind, Line, Outcome, Turn } from '../../src/domain/agent.js';
import { type FailureCode, KediError } from '../../src/domain/errors.js';
import type { Message } from '../../src/domain/message.js';
import { readDocument } from '../../src/schema/document.js';
import { createJudge } from '../../src/schema/index.js';
import { temporaryDirectory } from '../support/temporary.js';
import { answerOf, eventsOf, finish, newTurn, type Ran } from './support/turn.js';

/** What an agent is set to and asked; built within the test, so it may start a model server that goes with that. */
export interface Scene {
  readonly options: Readonly<Record<string, unknown>>;
  /** Variables of the server's environment, beside PATH, HOME and TMPDIR. */
  readonly env?: Readonly<Record<string, string>>;
  readonly prompt: string;
}

/** How one kind of agent is brought into each situation; a string in place of one says why there is none. */
export interface AgentFixture {
  readonly kind: AgentKind;
  text(): Promise<Scene & { readonly answer: string }>;
  /** `document`: the exact text that must come out, whatever white space is around it. */
  readonly structured:
    | (() => Promise<Scene & { readonly schema: string; readonly document: string }>)
    | string;
  /** The agent declines, in the way that it has of its own. */
  readonly refusal: (() => Promise<Scene & { readonly outcome: Outcome | FailureCode }>) | string;
  failure(): Promise<Scene & { readonly code: FailureCode; readonly message: RegExp }>;
  /** Writes a first line (or piece of one) and is then busy for a minute at least. */
  slow(): Promise<Scene>;
  /** The answer to the second prompt shows that the first is known; the agent is made anew in between. */
  readonly session:
    | (() => Promise<Scene & { readonly next: { readonly prompt: string; readonly answer: RegExp } }>)
    | string;
}

const judge = createJudge();
afterAll(() => judge.close());

/** What every agent must do, whatever it is made of. */
export function contract(fixture: AgentFixture): void {
  const { kind } = fixture;

  describe(`the agent ${kind.kind}`, () => {
    it('answers in text', async () => {
      const scene = await fixture.text();
      const { run } = await stage(kind, scene);
      const ran = await finish(run());
      expect(answerOf(ran)).toBe(scene.answer);
      expect(['done', 'text']).toContain(ran.outcome.kind);
    });

    scenario(
      'answers with a document that keeps every digit and every byte',
      fixture.structured,
      async (scene) => {
        expect(kind.structured(scene.options)).not.toBe('none');
        const { run } = await stage(kind, scene, { output: await judge.compile(scene.schema) });
        const { outcome } = await finish(run());
        expect(outcome.kind).toBe('json');
        if (outcome.kind !== 'json') return;
        const read = readDocument(outcome.document);
        expect(read.ok && read.json).toBe(scene.document);
      },
    );

    scenario('declines in its own way', fixture.refusal, async (scene) => {
      const { run } = await stage(kind, scene);
      if (typeof scene.outcome !== 'string') expect((await finish(run())).outcome).toEqual(scene.outcome);
      else await expect(finish(run())).rejects.toMatchObject({ code: scene.outcome });
    });

    it('fails with a code and a sentence that says why', async () => {
      const scene = await fixture.failure();
      const { run } = await stage(kind, scene);
      const failure = await finish(run()).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(KediError);
      expect(failure).toMatchObject({ code: scene.code, message: expect.stringMatching(scene.message) });
    });

    for (const [what, reason] of [
      ['a cancel', new KediError('CANCELED', 'The client canceled the task.')],
      ['a deadline', new KediError('TIMED_OUT', 'The task took too long.')],
    ] as const) {
      it(`stops at ${what} in the middle of its work, and leaves no process`, async () => {
        const controller = new AbortController();
        const { run, left } = await stage(kind, await fixture.slow(), { signal: controller.signal });
        const started = performance.now();
        const failure = await finish(run(), () => {
          setTimeout(() => controller.abort(reason), 50);
        }).catch((error: unknown) => error);
        expect(failure).toBe(reason);
        expect(performance.now() - started).toBeLessThan(15_000);
        expect(left()).toEqual([]);
      });
    }

    it('leaves no process when it is canceled while nobody pulls', async () => {
      const controller = new AbortController();
      const { run, left } = await stage(kind, await fixture.slow(), { signal: controller.signal });
      const running = run();
      expect((await running.next()).done).toBe(false);
      controller.abort(new KediError('CANCELED', 'The client canceled the task.'));
      for (let tries = 0; tries < 100 && left().length > 0; tries += 1) await delay(50);
      expect(left()).toEqual([]);
      await running.return({ kind: 'done' });
    });

    it('leaves no process when its reader turns away', async () => {
      const { run, left } = await stage(kind, await fixture.slow());
      const running = run();
      expect((await running.next()).done).toBe(false);
      await running.return({ kind: 'done' });
      expect(left()).toEqual([]);
    });

    scenario('knows what was said before, after a restart too', fixture.session, async (scene) => {
      const workspace = await temporaryDirectory();
      const contextId = randomUUID();
      const first = await stage(kind, scene, { workspace, contextId });
      const before = await finish(first.run());
      await first.agent.close?.();
      const { next } = scene;
      const second = await stage(
        kind,
        { ...scene, prompt: next.prompt },
        {
          workspace,
          contextId,
          session: sessionOf(before),
          history: async () => [said('user', scene.prompt), said('agent', answerOf(before))],
        },
      );
      expect(answerOf(await finish(second.run()))).toMatch(next.answer);
    });
  });
}

function scenario<S>(
  name: string,
  scene: (() => Promise<S>) | string,
  body: (scene: S) => Promise<void>,
): void {
  if (typeof scene === 'string') it.skip(`${name} (${scene})`);
  else it(name, async () => body(await scene()));
}

/** An agent as the server makes it: options checked, surroundings of this test alone; it leaves nothing behind. */
async function stage(kind: AgentKind, scene: Scene, turn: Partial<Turn> = {}) {
  const directory = await temporaryDirectory();
  const options = readAgentOptions(kind, JSON.stringify(scene.options));
  const agent: Agent = await kind.create(options, {
    env: { PATH: process.env.PATH, HOME: directory, TMPDIR: directory, ...scene.env },
    directory,
    warn: () => {},
  });
  const asked = await newTurn({ prompt: scene.prompt, ...turn });
  return {
    agent,
    run: () => checked(kind, agent.run(asked)),
    /** Processes of this agent's that are still there: each has inherited the directory of this test. */
    left: () => processesWith(`TMPDIR=${directory}`),
  };
}

/** Passes on what an agent yields, and looks at it as the log and the chat will. */
async function* checked(
  kind: AgentKind,
  run: AsyncGenerator<Line, Outcome, void>,
): AsyncGenerator<Line, Outcome, void> {
  try {
    while (true) {
      const { done, value } = await run.next();
      if (done) return value;
      if (kind.source !== 'text' || value.channel === 'stderr') expect(value.raw).not.toContain(0x0a);
      if (value.channel === 'stderr') expect(value.events).toBeUndefined();
      for (const event of value.events ?? []) {
        if (event.type === 'tool_call') expect(readDocument(event.input).ok).toBe(true);
      }
      yield value;
    }
  } finally {
    await run.return({ kind: 'done' });
  }
}

function sessionOf({ lines }: Ran): string | undefined {
  const named = eventsOf(lines).findLast((event) => event.type === 'session');
  return named?.type === 'session' ? named.id : undefined;
}

const said = (role: Message['role'], text: string): Message => ({
  messageId: randomUUID(),
  role,
  parts: [{ kind: 'text', text }],
  extensions: [],
  referenceTaskIds: [],
});

function processesWith(entry: string): readonly string[] {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${entry}\0`);
    } catch {
      return false;
    }
  });
}
