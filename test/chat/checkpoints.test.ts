import { describe, expect, it } from 'vitest';
import { type Checkpoint, createCheckpoints } from '../../src/chat/checkpoints.js';
import { type Beginning, openChat } from '../../src/chat/follow.js';
import { unread } from '../../src/chat/project.js';
import type { TaskLog } from '../../src/domain/ports.js';
import type { Frame } from '../../src/protocol/agent-output.js';
import { startChatHost } from '../support/chat-host.js';
import { asked, begun, completed, says } from '../support/log-entries.js';

const key = { principal: 'local', taskId: 'task-1' };
const place = (read: number, seq = read): Checkpoint => ({ read, projection: { ...unread, seq } });

describe('the places that readers have passed', () => {
  it('are found before a frame, and the beginning where there is none', () => {
    const checkpoints = createCheckpoints();
    expect(checkpoints.before(key, { seq: 9, read: 9 })).toEqual(place(0));
    for (const read of [1_000, 2_000, 3_000]) checkpoints.note(key, place(read, read / 2));
    expect(checkpoints.before(key, { seq: 999, read: 9_000 })).toEqual(place(1_000, 500));
    expect(checkpoints.before(key, { seq: 1_000, read: 9_000 })).toEqual(place(2_000, 1_000));
    expect(checkpoints.before(key, { seq: 9_999, read: 2_999 })).toEqual(place(2_000, 1_000));
    expect(checkpoints.before({ ...key, principal: 'alice' }, { seq: 9_999, read: 9_999 })).toEqual(place(0));
  });

  it('are few, however long the log and however many the tasks', () => {
    const checkpoints = createCheckpoints();
    for (let read = 1_000; read <= 1_000_000; read += 1_000) checkpoints.note(key, place(read));
    const found = new Set(
      Array.from(
        { length: 1_000 },
        (_, index) => checkpoints.before(key, { seq: index * 1_000, read: 1e9 }).read,
      ),
    );
    expect(found.size).toBeGreaterThan(20);
    expect(found.size).toBeLessThan(70);
    for (let task = 0; task < 1_000; task += 1)
      checkpoints.note({ ...key, taskId: `task-${task}` }, place(1_000));
    const kept = Array.from({ length: 1_000 }, (_, task) =>
      checkpoints.before({ ...key, taskId: `task-${task}` }, { seq: 1e9, read: 1e9 }),
    ).filter(({ read }) => read > 0);
    expect(kept).toHaveLength(256);
  });

  it('are not kept where a long document would be kept with them', () => {
    const checkpoints = createCheckpoints();
    const holding = (length: number): Checkpoint => ({
      read: 1_000,
      projection: { ...unread, seq: 1_000, held: { content: 'x'.repeat(length) } },
    });
    checkpoints.note(key, holding(1_000_000));
    expect(checkpoints.before(key, { seq: 9_999, read: 9_999 })).toEqual(place(0));
    checkpoints.note(key, holding(100));
    expect(checkpoints.before(key, { seq: 9_999, read: 9_999 })).toEqual(holding(100));
  });
});

describe('a long chat', () => {
  it('is read once, and who comes back near its end reads little and gets the same', async () => {
    const host = await startChatHost();
    await host.open(key, [asked(), begun]);
    for (let block = 0; block < 40; block += 1) {
      await host.store.log.append(
        key,
        Array.from({ length: 500 }, (_, index) => says(`${block * 500 + index} `.repeat(20))),
      );
    }
    await host.store.log.append(key, [completed]);
    const record = await host.store.log.get(key);
    if (record === undefined) throw new Error('the task is gone');

    let reads = 0;
    const log: TaskLog = {
      ...host.store.log,
      read: (of, from) => {
        reads += 1;
        return host.store.log.read(of, from);
      },
    };
    const checkpoints = createCheckpoints();
    const framesFrom = async (from: Beginning): Promise<readonly Frame[]> => {
      const chat = await openChat(log, record, { from, checkpoints, signal: new AbortController().signal });
      if (chat.kind !== 'frames') throw new Error(chat.kind);
      const frames = [...chat.first];
      for await (const some of chat.rest) frames.push(...some);
      return frames;
    };
    const whole = await framesFrom('first');
    expect(whole).toHaveLength(20_001);
    const once = reads;
    for (const from of [19_990, 19_000, 12_345, 0]) {
      reads = 0;
      expect(await framesFrom({ after: from })).toEqual(whole.slice(from + 1));
      if (from === 19_990) expect(reads).toBeLessThan(once / 3);
    }
    reads = 0;
    expect(await framesFrom('now')).toEqual(whole.slice(-1));
    expect(reads).toBeLessThan(once / 3);
  });
});
