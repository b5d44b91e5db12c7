import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCheckpoints } from '../../src/chat/checkpoints.js';
import { type Beginning, openChat } from '../../src/chat/follow.js';
import { project, unread } from '../../src/chat/project.js';
import { openRaw } from '../../src/chat/raw.js';
import type { Entry, TaskRecord } from '../../src/domain/task.js';
import type { Frame } from '../../src/protocol/agent-output.js';
import { createLogger } from '../../src/server/logger.js';
import { openStore, type Store } from '../../src/store/index.js';
import { textLog } from '../support/arbitrary-log.js';
import { temporaryDirectory } from '../support/temporary.js';

let store: Store;
beforeAll(async () => {
  const directory = await temporaryDirectory(afterAll);
  const logger = createLogger({ sink: process.stderr, level: 'error', format: 'json' });
  store = await openStore({ directory, durability: 'normal', logger });
});
afterAll(() => store.close());

const { signal } = new AbortController();
let tasks = 0;

/** A task whose first `present` entries are there; the others come in blocks of `block` while somebody reads. */
async function written(
  entries: readonly Entry[],
  { present, block }: { readonly present: number; readonly block: number },
): Promise<{ readonly record: TaskRecord; readonly rest: () => Promise<void> }> {
  tasks += 1;
  const key = { principal: 'local', taskId: `task-${tasks}` };
  const before = entries.slice(0, present);
  await store.log.create(
    {
      ...key,
      contextId: 'context',
      agentKind: 'demo',
      structured: false,
      state: 'submitted',
      createdAt: tasks,
      updatedAt: tasks,
    },
    before,
  );
  const record = await store.log.get(key);
  if (record === undefined) throw new Error('the task is gone');
  return {
    record,
    rest: async () => {
      for (let from = present; from < entries.length; from += block) {
        await store.log.append(key, entries.slice(from, from + block));
      }
    },
  };
}

async function chatFrom(record: TaskRecord, from: Beginning): Promise<Frame[] | string> {
  const chat = await openChat(store.log, record, { from, checkpoints: createCheckpoints(), signal });
  if (chat.kind !== 'frames') return chat.kind;
  const frames: Frame[] = [...chat.first];
  for await (const some of chat.rest) frames.push(...some);
  return frames;
}

const cuts = fc.record({
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  block: fc.integer({ min: 1, max: 9 }),
});
const place = (entries: readonly Entry[], share: number): number =>
  Math.max(1, Math.round(share * entries.length));

it('gives from any cursor the frames of a whole replay, live or not', async () => {
  await fc.assert(
    fc.asyncProperty(textLog, cuts, fc.nat(), async (entries, { share, block }, at) => {
      const present = place(entries, share);
      const whole = project(unread, entries).frames;
      const had = project(unread, entries.slice(0, present)).frames.length;
      const { record, rest } = await written(entries, { present, block });
      const cursor = (at % (whole.length + 2)) - 1;
      const reading = chatFrom(record, cursor === -1 ? 'first' : { after: cursor });
      const [read] = await Promise.all([reading, rest()]);
      if (cursor < had && cursor < whole.length - 1) expect(read).toEqual(whole.slice(cursor + 1));
      else expect(read).toBe(present === entries.length ? 'over' : 'ahead');
    }),
    { numRuns: 150 },
  );
});

it('gives from now on the end of a whole replay, with the same numbers', async () => {
  await fc.assert(
    fc.asyncProperty(textLog, cuts, async (entries, { share, block }) => {
      const present = place(entries, share);
      const whole = project(unread, entries).frames;
      const had = project(unread, entries.slice(0, present)).frames.length;
      const { record, rest } = await written(entries, { present, block });
      const [read] = await Promise.all([chatFrom(record, 'now'), rest()]);
      expect(read).toEqual(whole.slice(present === entries.length ? -1 : had));
    }),
    { numRuns: 100 },
  );
});

it('gives the lines as they were written, from any line on', async () => {
  await fc.assert(
    fc.asyncProperty(
      textLog,
      cuts,
      fc.integer({ min: -1, max: 12 }),
      async (entries, { share, block }, after) => {
        const lines = entries.filter((entry) => entry.type === 'line');
        const present = place(entries, share);
        const { record, rest } = await written(entries, { present, block });
        const opened = await openRaw(store.log, record, {
          from: after === -1 ? 'first' : { after },
          channel: undefined,
          limit: undefined,
          signal,
        });
        const writing = rest();
        const read: Entry[] = [];
        for await (const some of opened ?? []) {
          for (const { entry, line } of some) {
            expect(line).toBe(read.length + after + 1);
            read.push(entry);
          }
        }
        await writing;
        expect(read).toEqual(lines.slice(after + 1));
      },
    ),
    { numRuns: 100 },
  );
});
