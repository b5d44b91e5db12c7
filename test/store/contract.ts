import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { follow } from '../../src/domain/follow.js';
import type { JsonText } from '../../src/domain/json.js';
import type { TaskLog } from '../../src/domain/ports.js';
import type { Entry, TaskKey, TaskRecord, TaskState } from '../../src/domain/task.js';
import type { Retention, Store } from '../../src/store/index.js';
import { ended, opening, plain, said, taskOf } from './samples.js';

/** A store to be tested, and the way to close it and open it again over the same data. */
export interface Subject {
  readonly store: Store;
  reopen(): Promise<Store>;
  /** Frees all of it. */
  end(): Promise<void>;
}

export interface SubjectOptions {
  readonly retention?: Partial<Retention>;
  readonly now?: () => number;
  readonly appended?: (append: { readonly entries: number; readonly bytes: number }) => void;
}

/** What any store must do, whatever database it stands on (`domain/ports.ts`). */
export function storeContract(name: string, make: (options: SubjectOptions) => Promise<Subject>): void {
  const subjects: Subject[] = [];
  const subject = async (options: SubjectOptions = {}): Promise<Subject> => {
    const made = await make(options);
    subjects.push(made);
    return made;
  };
  const open = async (options: SubjectOptions = {}): Promise<Store> => (await subject(options)).store;

  afterEach(async () => {
    for (const made of subjects.splice(0)) await made.end();
  });

  const never = new AbortController().signal;
  const key: TaskKey = { principal: 'local', taskId: 'task' };

  const readAll = async (log: TaskLog, of: TaskKey = key, from = 0): Promise<readonly Entry[]> => {
    const entries: Entry[] = [];
    for (;;) {
      const more = await log.read(of, from + entries.length);
      if (more.length === 0) return entries;
      entries.push(...more);
    }
  };

  describe(`the log of ${name}`, () => {
    test('gives back every entry exactly, bytes and numbers and all, also after a restart', async () => {
      const made = await subject();
      const exact = '{"id":9007199254740993,"price":78.0,"nul":"\\u0000"}' as JsonText;
      const entries: readonly Entry[] = [
        {
          type: 'message',
          at: 1_700_000_000_000,
          message: {
            messageId: 'm',
            role: 'user',
            parts: [
              { kind: 'text', text: 'nul \0, lone \ud800, line \u2028, 😀', mediaType: 'text/plain' },
              { kind: 'raw', bytes: Uint8Array.of(0, 255, 128), filename: 'x' },
              { kind: 'url', url: 'https://example.org/' },
              { kind: 'data', json: exact, metadata: '{"a":1.0}' as JsonText },
            ],
            contextId: 'context',
            metadata: exact,
            extensions: ['urn:x'],
            referenceTaskIds: ['other'],
          },
          structured: { schema: '{"const":1E400}' as JsonText, resultEncoding: 'json-utf8' },
          metadata: exact,
          acceptedOutputModes: ['application/json'],
        },
        { type: 'run', at: 1_700_000_000_001, attempt: 2, why: 'no' },
        { type: 'notice', at: 3, status: 'begun_anew', text: 'anew' },
        { type: 'line', at: 2, channel: 'stderr', raw: Uint8Array.of(0xc3, 0x28, 0), events: undefined },
        { type: 'line', at: 9, channel: 'stdout', raw: Buffer.from('\ufeffbom\r'), events: [] },
        {
          type: 'line',
          at: 10,
          channel: 'stdout',
          raw: new Uint8Array(0),
          events: [
            { type: 'delta', text: 'a', startsMessage: true, parent: 'p' },
            { type: 'tool_call', id: 't', name: 'n', input: exact },
            { type: 'tool_result', id: 't', ok: false, text: '' },
            { type: 'status', status: 's', text: 't' },
            { type: 'raw', text: '<b>' },
            { type: 'usage', usage: exact, costUsd: '0.10' as JsonText, finishReason: 'stop' },
            {
              type: 'artifact',
              artifactId: 'f',
              parts: [{ kind: 'raw', bytes: Uint8Array.of(7) }],
              append: false,
              lastChunk: true,
            },
            { type: 'session', id: 's' },
          ],
        },
        {
          type: 'artifact',
          at: 11,
          artifact: { artifactId: 'r', parts: [{ kind: 'raw', bytes: Buffer.from(exact) }], extensions: [] },
        },
        { type: 'state', at: 12, state: 'failed', text: 'why', code: 'RESULT_INVALID', pointer: '/a~1b' },
      ];
      await made.store.log.create(taskOf(key), entries);
      expect(plain(await readAll(made.store.log))).toEqual(plain(entries));
      const again = await made.reopen();
      expect(plain(await readAll(again.log))).toEqual(plain(entries));
      expect(await again.log.get(key)).toEqual({
        ...taskOf(key),
        state: 'failed',
        updatedAt: 12,
        length: entries.length,
      });
    });

    test('makes one write a task of all that a turn of the event loop appends', async () => {
      const writes: number[] = [];
      const { log } = await open({ appended: ({ entries }) => writes.push(entries) });
      const other = { ...key, taskId: 'other' };
      await Promise.all([
        log.create(taskOf(key), [opening(1)]),
        log.create(taskOf(other), [opening(1)]),
        log.append(key, [{ type: 'run', at: 2, attempt: 1 }]),
        log.append(key, [said(3, 'a'), said(3, 'b')]),
        log.append(other, [ended(4)]),
      ]);
      expect(writes).toEqual([4, 2]);
      expect(await log.get(key)).toMatchObject({ state: 'working', updatedAt: 2, length: 4 });
      expect(await log.get(other)).toMatchObject({ state: 'completed', updatedAt: 4, length: 2 });
    });

    test('lets state and time follow from the entries', async () => {
      const { log } = await open();
      await log.create(taskOf(key), [opening(1)]);
      const seen: unknown[] = [];
      for (const entry of [
        { type: 'run', at: 2, attempt: 1 } as const,
        said(3, 'x'),
        { type: 'run', at: 4, attempt: 2 } as const,
        ended(5, 'input-required'),
        opening(6),
        { type: 'run', at: 7, attempt: 1 } as const,
        ended(8, 'rejected'),
      ]) {
        await log.append(key, [entry]);
        const record = await log.get(key);
        seen.push([record?.state, record?.updatedAt, record?.length]);
      }
      expect(seen).toEqual([
        ['working', 2, 2],
        ['working', 2, 3],
        ['working', 2, 4],
        ['input-required', 5, 5],
        ['submitted', 6, 6],
        ['working', 7, 7],
        ['rejected', 8, 8],
      ]);
    });

    test('refuses an id that exists, and whoever wrote in the same turn does not suffer', async () => {
      const made = await subject();
      await made.store.log.create(taskOf(key), [opening(1, 'first')]);
      // The store must not owe this to its memory.
      const { log } = await made.reopen();
      const other = { ...key, taskId: 'other' };
      const [again, fine] = await Promise.allSettled([
        log.create(taskOf(key), [opening(1, 'second')]),
        log.create(taskOf(other), [opening(1)]),
      ]);
      expect(again).toMatchObject({ status: 'rejected', reason: { code: 'INTERNAL' } });
      expect(fine.status).toBe('fulfilled');
      expect(plain(await readAll(log))).toEqual(plain([opening(1, 'first')]));
      await expect(log.create(taskOf(key), [opening(1)])).rejects.toMatchObject({ code: 'INTERNAL' });
      await log.append(key, [ended(2)]);
      expect((await log.get(key))?.length).toBe(2);
    });

    test('takes nothing after the end of a task, not even in the same turn', async () => {
      const made = await subject();
      const { log } = made.store;
      await log.create(taskOf(key), [opening(1)]);
      const end = log.append(key, [ended(2)]);
      await expect(log.append(key, [said(3, 'late')])).rejects.toMatchObject({ code: 'INTERNAL' });
      await end;
      await expect(log.append(key, [said(3, 'late')])).rejects.toMatchObject({ code: 'INTERNAL' });
      const again = await made.reopen();
      await expect(again.log.append(key, [said(3, 'late')])).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(await readAll(again.log)).toHaveLength(2);
    });

    test('keeps the order of appends that come while a task is read back from the database', async () => {
      const made = await subject();
      await made.store.log.create(taskOf(key), [opening(0)]);
      const { log } = await made.reopen();
      const appends: Promise<void>[] = [];
      for (let at = 1; at <= 30; at += 1) {
        appends.push(log.append(key, [said(at, `${at}`)]));
        await Promise.resolve();
      }
      await Promise.all(appends);
      expect((await readAll(log)).map((entry) => entry.at)).toEqual(
        Array.from({ length: 31 }, (_, at) => at),
      );
    });

    test('knows no task of another principal, nor one that never was', async () => {
      const { log } = await open();
      await log.create(taskOf(key), [opening(1)]);
      for (const strange of [
        { ...key, principal: 'stranger' },
        { ...key, taskId: 'nobody' },
        { ...key, taskId: 'task\0' },
        { ...key, taskId: '' },
      ]) {
        expect(await log.get(strange)).toBeUndefined();
        expect(await log.read(strange, 0)).toEqual([]);
        await expect(log.append(strange, [said(2, 'x')])).rejects.toMatchObject({ code: 'INTERNAL' });
        await log.grown(strange, 0, never);
      }
      expect((await log.list({ principal: 'stranger', limit: 10 })).total).toBe(0);
    });

    test('keeps tasks of the same id apart by their principal', async () => {
      const { log } = await open();
      const mine = taskOf({ ...key, principal: 'a' });
      const theirs = taskOf({ ...key, principal: 'b' });
      await Promise.all([log.create(mine, [opening(1, 'mine')]), log.create(theirs, [opening(1, 'theirs')])]);
      await log.append(mine, [ended(2)]);
      expect(plain(await readAll(log, theirs))).toEqual(plain([opening(1, 'theirs')]));
      expect((await log.get(theirs))?.state).toBe('submitted');
    });

    test('reads a long log in bounded pieces, from any place', async () => {
      const made = await subject();
      const entries = Array.from({ length: 6_000 }, (_, index) => said(index, `${index} ${'x'.repeat(300)}`));
      await made.store.log.create(taskOf(key), [opening(0)]);
      for (let start = 0; start < entries.length; start += 1_500) {
        await made.store.log.append(key, entries.slice(start, start + 1_500));
      }
      const whole = [opening(0), ...entries];
      for (const opened of [() => made.store, made.reopen]) {
        const { log } = await opened();
        expect((await log.read(key, 0)).length).toBeLessThan(whole.length);
        for (const from of [0, 1, 777, 5_999, 6_000, 6_001, 7_000]) {
          const read = await readAll(log, key, from);
          expect(read.map((entry) => entry.at)).toEqual(whole.slice(from).map((entry) => entry.at));
        }
      }
    });

    test('tells how a task was opened, whatever came after it, live and after a restart', async () => {
      const made = await subject();
      const first = opening(0, 'What is up?');
      await made.store.log.create(taskOf(key), [first, said(1, 'a')]);
      const many = Array.from({ length: 5_000 }, (_, index) => said(index, 'b'.repeat(200)));
      await made.store.log.append(key, many);
      expect(await made.store.log.opening(key)).toEqual(first);
      const again = await made.reopen();
      expect(await again.log.opening(key)).toEqual(first);
      expect(await again.log.opening({ principal: 'stranger', taskId: key.taskId })).toBeUndefined();
    });

    test('holds a line of 20 MB', async () => {
      const made = await subject();
      const raw = Buffer.alloc(20_000_000, '{"a":"é"}\n');
      await made.store.log.create(taskOf(key), [
        opening(1),
        { type: 'line', at: 2, channel: 'stdout', raw, events: undefined },
      ]);
      const { log } = await made.reopen();
      const [, line] = await readAll(log);
      expect(line?.type === 'line' && raw.equals(line.raw)).toBe(true);
    });
  });

  describe(`following a task in ${name}`, () => {
    test('wakes when the log grows, at once where it has, and when the task is gone', async () => {
      let now = 1_000;
      const { log, sweep } = await open({ now: () => now, retention: { ageMs: 10 } });
      await log.create(taskOf(key), [opening(1)]);
      await log.grown(key, 0, never);
      const woken: string[] = [];
      const waiting = log.grown(key, 1, never).then(() => woken.push('grown'));
      await log.append(key, [ended(2, 'input-required')]);
      await waiting;
      expect(woken).toEqual(['grown']);
      const gone = log.grown(key, 2, never);
      now = 2_000;
      await sweep();
      await gone;
      expect(await log.get(key)).toBeUndefined();
    });

    test('rejects with the reason of its signal, before and while it waits', async () => {
      const { log } = await open();
      await log.create(taskOf(key), [opening(1)]);
      await expect(log.grown(key, 1, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
      const client = new AbortController();
      const waiting = log.grown(key, 1, client.signal);
      client.abort(new Error('left'));
      await expect(waiting).rejects.toThrow('left');
    });

    test('ends with the task, for a follower who comes late as well', async () => {
      const made = await subject();
      const { log } = made.store;
      await log.create(taskOf(key), [opening(1)]);
      const live = collect(log, key);
      await log.append(key, [said(2, 'a')]);
      await log.append(key, [ended(3)]);
      expect(await live).toEqual([1, 2, 3]);
      expect(await collect(log, key)).toEqual([1, 2, 3]);
      expect(await collect((await made.reopen()).log, key)).toEqual([1, 2, 3]);
    });

    test('gives no gap and no duplicate, however reading and writing interleave', async () => {
      const { log } = await open();
      let tasks = 0;
      const step = fc.record({
        append: fc.integer({ min: 0, max: 4 }),
        pause: fc.constantFrom('none', 'microtask', 'turn'),
        join: fc.option(fc.nat({ max: 30 }), { nil: undefined }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.boolean(), async (steps, slow) => {
          tasks += 1;
          const of = { ...key, taskId: `task ${tasks}` };
          const writes = [log.create(taskOf(of), [opening(0)])];
          const readers: Promise<unknown>[] = [];
          const expected: number[] = [0];
          const froms: number[] = [];
          for (const { append, pause, join } of steps) {
            const entries = Array.from({ length: append }, (_, index) => said(expected.length + index, 'x'));
            writes.push(log.append(of, entries));
            for (const entry of entries) expected.push(entry.at);
            if (pause === 'microtask') await Promise.resolve();
            if (pause === 'turn') await new Promise(setImmediate);
            if (join !== undefined && (await log.get(of)) !== undefined) {
              froms.push(join);
              readers.push(collect(log, of, { from: join, slow }));
            }
          }
          writes.push(log.append(of, [ended(expected.length)]));
          expected.push(expected.length);
          await Promise.all(writes);
          const heard = await Promise.all(readers);
          expect(heard).toEqual(froms.map((from) => expected.slice(from)));
        }),
        { numRuns: 60 },
      );
    });

    test('feeds a slow follower from the log while a fast one is live', async () => {
      const { log } = await open();
      await log.create(taskOf(key), [opening(0)]);
      const fast = collect(log, key);
      const slow = collect(log, key, { slow: true });
      const text = 'x'.repeat(2_000);
      for (let at = 1; at < 1_500; at += 1) await log.append(key, [said(at, text)]);
      await log.append(key, [ended(1_500)]);
      const all = Array.from({ length: 1_501 }, (_, at) => at);
      expect(await fast).toEqual(all);
      expect(await slow).toEqual(all);
    });
  });

  describe(`the lists of ${name}`, () => {
    const states: readonly TaskState[] = ['completed', 'failed', 'input-required'];

    const fill = async (log: TaskLog, count: number): Promise<readonly TaskRecord[]> => {
      const records = Array.from({ length: count }, (_, index) =>
        taskOf({ taskId: `t${index}` }, { at: index, contextId: `c${index % 4}` }),
      );
      await Promise.all(
        records.map((record, index) => {
          const state = states[index % 3];
          // Many changed at the same time: pages must not lose or repeat any.
          const last: Entry[] =
            state === 'completed' || state === 'failed' || state === 'input-required'
              ? [ended(1_000 + (index >> 3), state)]
              : [];
          return log.create(record, [opening(index), ...last]);
        }),
      );
      const kept: TaskRecord[] = [];
      for (const record of records) {
        const got = await log.get(record);
        if (got !== undefined) kept.push(got);
      }
      return kept;
    };

    const newestFirst = (records: readonly TaskRecord[]): readonly string[] =>
      [...records]
        .sort((one, other) => other.updatedAt - one.updatedAt || (one.taskId < other.taskId ? 1 : -1))
        .map((record) => record.taskId);

    test('pages through all tasks, newest change first, with the total', async () => {
      const { log } = await open();
      const records = await fill(log, 100);
      await log.create(taskOf({ taskId: 'strange', principal: 'stranger' }), [opening(1)]);
      const listed: TaskRecord[] = [];
      let page: string | undefined;
      do {
        const answer = await log.list({ principal: 'local', limit: 7, ...(page !== undefined && { page }) });
        expect(answer.total).toBe(100);
        listed.push(...answer.records);
        page = answer.next;
      } while (page !== undefined);
      expect(listed.map((record) => record.taskId)).toEqual(newestFirst(records));
      expect(listed).toEqual(expect.arrayContaining([...records]));
    });

    test('filters by context, by states and by time, all together', async () => {
      const { log } = await open();
      const records = await fill(log, 60);
      for (const filter of [
        { contextId: 'c1' },
        { states: ['failed'] as const },
        { states: ['failed', 'completed'] as const, contextId: 'c2' },
        { updatedSince: 1_003 },
        { updatedSince: 1_003, contextId: 'c3', states: ['input-required'] as const },
        { states: [] },
      ]) {
        const wanted = records.filter(
          (record) =>
            (filter.contextId === undefined || record.contextId === filter.contextId) &&
            (filter.states === undefined || filter.states.some((state) => state === record.state)) &&
            (filter.updatedSince === undefined || record.updatedAt >= filter.updatedSince),
        );
        const answer = await log.list({ principal: 'local', limit: 100, ...filter });
        expect(answer.records.map((record) => record.taskId)).toEqual(newestFirst(wanted));
        expect(answer.total).toBe(wanted.length);
        expect(answer.next).toBeUndefined();
      }
    });

    test('refuses a page that it never gave', async () => {
      const { log } = await open();
      for (const page of ['', 'x', '%%%', Buffer.from('abc').toString('base64url'), 'MTox=']) {
        const query = { principal: 'local', limit: 1, page };
        await expect(log.list(query)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
        await expect(log.contexts(query)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      }
    });

    test('pages through the contexts, each with its latest task', async () => {
      const { log } = await open();
      await fill(log, 30);
      const first = await log.contexts({ principal: 'local', limit: 3 });
      expect(first.total).toBe(4);
      const rest = await log.contexts({ principal: 'local', limit: 3, page: first.next ?? '' });
      expect(rest.next).toBeUndefined();
      const all = [...first.contexts, ...rest.contexts];
      expect(
        all.map(({ contextId, tasks, createdAt, latest }) => [contextId, tasks, createdAt, latest.taskId]),
      ).toEqual([
        ['c3', 7, 3, 't27'],
        ['c2', 7, 2, 't26'],
        ['c1', 8, 1, 't29'],
        ['c0', 8, 0, 't28'],
      ]);
      expect(all.map((context) => context.updatedAt)).toEqual([1_003, 1_003, 1_003, 1_003]);
      const one = await log.contexts({ principal: 'local', contextId: 'c2', limit: 3 });
      expect(one.contexts.map((context) => context.contextId)).toEqual(['c2']);
      expect((await log.contexts({ principal: 'stranger', limit: 3 })).total).toBe(0);
    });

    test('finds what an earlier server left unfinished, oldest first, of all principals', async () => {
      const made = await subject();
      const { log } = made.store;
      await log.create(taskOf({ taskId: 'b', principal: 'two' }, { at: 2 }), [opening(2)]);
      await log.create(taskOf({ taskId: 'a' }, { at: 1 }), [opening(1), { type: 'run', at: 5, attempt: 1 }]);
      await log.create(taskOf({ taskId: 'c' }, { at: 3 }), [opening(3), ended(4)]);
      const again = await made.reopen();
      const left = await again.log.unfinished(['submitted', 'working']);
      expect(left.map(({ taskId, state, length }) => [taskId, state, length])).toEqual([
        ['a', 'working', 2],
        ['b', 'submitted', 1],
      ]);
      expect(await again.log.unfinished([])).toEqual([]);
    });

    test('answers for 10,000 tasks as for ten', async () => {
      const { log } = await open();
      for (let start = 0; start < 10_000; start += 1_000) {
        await Promise.all(
          Array.from({ length: 1_000 }, (_, index) => {
            const at = start + index;
            return log.create(taskOf({ taskId: `t${at}` }, { at, contextId: `c${at}` }), [
              opening(at),
              ended(at),
            ]);
          }),
        );
      }
      const page = await log.list({ principal: 'local', limit: 50 });
      expect(page.total).toBe(10_000);
      expect(page.records[0]?.updatedAt).toBe(9_999);
      expect((await log.contexts({ principal: 'local', limit: 1 })).total).toBe(10_000);
      expect((await log.get({ ...key, taskId: 't4321' }))?.length).toBe(2);
    });
  });

  describe(`the sessions of ${name}`, () => {
    const context = { principal: 'local', contextId: 'context' };

    test('remembers what each kind of agent calls a context, in one workspace for all', async () => {
      const made = await subject();
      const first = await made.store.sessions.open(context, 'codex');
      expect(first.session).toBeUndefined();
      const workspace = first.workspace();
      expect(first.workspace()).toBe(workspace);
      expect(statSync(workspace).mode & 0o777).toBe(0o700);
      writeFileSync(join(workspace, 'kept'), 'x');
      await first.rename('thread-1');
      await first.rename('thread-2');
      await (await made.store.sessions.open(context, 'acp')).rename('other');

      const again = await made.reopen();
      const codex = await again.sessions.open(context, 'codex');
      expect([codex.session, codex.workspace()]).toEqual(['thread-2', workspace]);
      expect((await again.sessions.open(context, 'acp')).session).toBe('other');
      expect((await again.sessions.open(context, 'demo')).session).toBeUndefined();
      expect(statSync(join(workspace, 'kept')).isFile()).toBe(true);
    });

    test('gives a stranger with the same context id another workspace and no session', async () => {
      const { sessions } = await open();
      const mine = await sessions.open(context, 'codex');
      await mine.rename('thread');
      const theirs = await sessions.open({ ...context, principal: 'stranger' }, 'codex');
      expect(theirs.session).toBeUndefined();
      expect(theirs.workspace()).not.toBe(mine.workspace());
    });
  });

  describe(`the retention of ${name}`, () => {
    test('keeps so many tasks, removes those that changed longest ago with their logs, and never one that runs', async () => {
      const { log, sweep } = await open({ now: () => 1_000, retention: { tasks: 300 } });
      await log.create(taskOf({ taskId: 'running' }, { at: 0 }), [opening(0)]);
      await Promise.all(
        Array.from({ length: 699 }, (_, at) =>
          log.create(taskOf({ taskId: `t${at}` }, { at }), [opening(at), ended(at)]),
        ),
      );
      await sweep();
      const { total, records } = await log.list({ principal: 'local', limit: 1_000 });
      expect(total).toBe(300);
      expect(records.at(-1)?.taskId).toBe('running');
      expect(records.at(-2)?.taskId).toBe('t400');
      expect(await log.get({ ...key, taskId: 't399' })).toBeUndefined();
      expect(await log.read({ ...key, taskId: 't399' }, 0)).toEqual([]);
      // An id that went is free, and so is its log.
      await log.create(taskOf({ taskId: 't399' }, { at: 900 }), [opening(900)]);
      expect(await readAll(log, { ...key, taskId: 't399' })).toHaveLength(1);
    });

    test('removes tasks of age', async () => {
      const { log, sweep } = await open({ now: () => 1_000, retention: { ageMs: 100 } });
      await log.create(taskOf({ taskId: 'old' }), [opening(1), ended(899)]);
      await log.create(taskOf({ taskId: 'young' }), [opening(1), ended(900)]);
      await log.create(taskOf({ taskId: 'running' }), [opening(1)]);
      await sweep();
      const { records } = await log.list({ principal: 'local', limit: 10 });
      expect(records.map((record) => record.taskId)).toEqual(['young', 'running']);
    });

    test('removes an idle session with its workspace, unless one of its tasks waits', async () => {
      let now = 0;
      const { log, sessions, sweep } = await open({ now: () => now, retention: { idleSessionMs: 100 } });
      const use = async (contextId: string) => {
        const session = await sessions.open({ principal: 'local', contextId }, 'codex');
        return { workspace: session.workspace(), session };
      };
      const idle = await use('idle');
      await idle.session.rename('thread');
      const asking = await use('asking');
      const used = await use('used');
      await log.create(taskOf({ taskId: 'q' }, { contextId: 'asking' }), [
        opening(1),
        ended(2, 'input-required'),
      ]);
      now = 90;
      await use('used');
      now = 150;
      await sweep();
      expect(statSync(idle.workspace, { throwIfNoEntry: false })).toBeUndefined();
      expect(statSync(asking.workspace).isDirectory()).toBe(true);
      expect(statSync(used.workspace).isDirectory()).toBe(true);
      const anew = await use('idle');
      expect(anew.session.session).toBeUndefined();
      expect(anew.workspace).not.toBe(idle.workspace);
    });
  });

  describe(`the end of ${name}`, () => {
    test('writes what was given before it closes, and refuses what comes later', async () => {
      const made = await subject();
      const { store } = made;
      const created = store.log.create(taskOf(key), [opening(1)]);
      const closed = store.close();
      await created;
      await expect(store.log.append(key, [ended(2)])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
      expect((await store.check()).ok).toBe(false);
      await closed;
      expect((await (await made.reopen()).log.get(key))?.length).toBe(1);
    });

    test('is ready while it can be written', async () => {
      expect(await (await open()).check()).toEqual({ ok: true });
    });
  });

  async function collect(
    log: TaskLog,
    of: TaskKey,
    { from = 0, slow = false }: { readonly from?: number; readonly slow?: boolean } = {},
  ): Promise<readonly number[]> {
    const heard: number[] = [];
    for await (const entries of follow(log, of, { from, signal: never })) {
      heard.push(...entries.map((entry) => entry.at));
      if (slow) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return heard;
  }
}
