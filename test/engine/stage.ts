import { onTestFinished } from 'vitest';
import type { Agent, Line, Outcome, OutputEvent, Turn } from '../../src/domain/agent.js';
import { follow } from '../../src/domain/follow.js';
import type { Message, Part } from '../../src/domain/message.js';
import type { LogFields, Logger, TaskLog } from '../../src/domain/ports.js';
import { type Entry, isInterrupted, isTerminal, type TaskKey } from '../../src/domain/task.js';
import { createEngine, type Engine, type EngineOptions, type Order } from '../../src/engine/index.js';
import { foldTask, type Task } from '../../src/protocol/task-fold.js';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.js';
import { temporaryDirectory } from '../support/temporary.js';

/** An engine over a store on a disk, with an agent of the test's own. */
export interface Stage {
  readonly engine: Engine;
  readonly store: Store;
  readonly directory: string;
  readonly logged: { readonly message: string; readonly fields: LogFields | undefined }[];
  /** The entries of a task, once it has ended or waits. */
  settled(key: TaskKey): Promise<readonly Entry[]>;
  /** The task as a client sees it, once it has ended or waits. */
  task(key: TaskKey): Promise<Task>;
}

type Run = (turn: Turn) => AsyncGenerator<Line, Outcome, void>;

export async function stage({
  agent,
  store: storeOptions,
  log = (stored) => stored,
  directory: given,
  ...options
}: Partial<Omit<EngineOptions, 'agent' | 'log' | 'sessions'>> & {
  readonly agent: Run | Agent;
  readonly store?: Partial<StoreOptions>;
  /** What the engine has in place of the store's log. */
  readonly log?: (stored: TaskLog) => TaskLog;
  readonly directory?: string;
}): Promise<Stage> {
  const directory = given ?? (await temporaryDirectory());
  const logged: { readonly message: string; readonly fields: LogFields | undefined }[] = [];
  const note = (message: string, fields?: LogFields): void => {
    logged.push({ message, fields });
  };
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const store = await openStore({ directory, durability: 'normal', logger, ...storeOptions });
  const engine = createEngine({
    log: log(store.log),
    sessions: store.sessions,
    agent: typeof agent === 'function' ? { run: agent } : agent,
    agentKind: 'test',
    judge: noJudge,
    logger,
    ...options,
    bounds: { stopMs: 500, ...options.bounds },
  });
  onTestFinished(async () => {
    await engine.drain(0);
    await store.close();
  });

  const settled = async (key: TaskKey): Promise<readonly Entry[]> => {
    const entries: Entry[] = [];
    const signal = AbortSignal.timeout(15_000);
    for await (const more of follow(store.log, key, { signal })) {
      entries.push(...more);
      const last = entries.at(-1);
      const record = await store.log.get(key);
      if (last?.type === 'state' && entries.length === record?.length) {
        if (isTerminal(last.state) || isInterrupted(last.state)) return entries;
      }
    }
    signal.throwIfAborted();
    return entries;
  };
  return {
    engine,
    store,
    directory,
    logged,
    settled,
    async task(key) {
      const entries = await settled(key);
      const record = await store.log.get(key);
      const fold = foldTask({ taskId: key.taskId, contextId: record?.contextId ?? '' });
      fold.add(entries);
      return fold.task();
    },
  };
}

/** For tests of text requests: there is no schema to be judged. */
export const noJudge = {
  compile: () => Promise.reject(new Error('no schema was expected')),
  close: () => Promise.resolve(),
};

let messages = 0;

/** A text request. */
export const order = (text: string, changes: Partial<Order> = {}): Order => ({
  principal: 'local',
  contextId: 'context',
  contextIsNew: false,
  message: messageOf([{ kind: 'text', text }]),
  metadata: undefined,
  acceptedOutputModes: ['text/plain'],
  structured: undefined,
  refusal: undefined,
  ...changes,
});

export const messageOf = (parts: readonly Part[]): Message => {
  messages += 1;
  return { messageId: `message ${messages}`, role: 'user', parts, extensions: [], referenceTaskIds: [] };
};

/** A line of these events, of a text of their own. */
export const line = (...events: readonly OutputEvent[]): Line => ({
  raw: Buffer.from(JSON.stringify(events.map((event) => event.type))),
  channel: 'stdout',
  events,
});

/** A line that says one thing. */
export const say = (text: string): Line => line({ type: 'delta', text });

export const done: Outcome = { kind: 'done' };

/** The kinds of a log's entries, states spelled out. */
export const shape = (entries: readonly Entry[]): readonly string[] =>
  entries.map((entry) => {
    if (entry.type === 'state')
      return entry.code === undefined ? entry.state : `${entry.state} ${entry.code}`;
    return entry.type;
  });

/** What a task's client reads as its answer. */
export const answerOf = (task: Task): string | undefined => {
  const part = task.artifacts.find(({ artifactId }) => artifactId === 'response')?.parts[0];
  return part?.kind === 'text' ? part.text : undefined;
};

/** Resolves in so many milliseconds. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Rejects when the signal aborts, as whoever waits with it does. */
export const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason));
  });
