import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createJournal, journalFile } from '../../src/store/journal.js';
import { createJournalReader } from '../../src/store/journal-reader.js';
import type { StoredStep } from '../../src/store/journal-record.js';
import { temporaryDirectory } from '../support/temporary.js';

const flushed = vi.hoisted(() => ({
  times: 0,
  /** What the directory named each time that it was synced. */
  directories: [] as (readonly string[])[],
}));
const disk = vi.hoisted(() => ({ broken: false }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const opened = new Map<number, string>();
  const refuse = () => {
    throw Object.assign(new Error('the disk is broken'), { code: 'EIO' });
  };
  return {
    ...fs,
    fdatasync: (descriptor: number, done: (error: Error | null) => void) => {
      flushed.times += 1;
      fs.fdatasync(descriptor, done);
    },
    /** A broken disk takes half of what it is given. */
    writeSync: (descriptor: number, bytes: Buffer, from: number, length: number, place: number) => {
      if (!disk.broken) return fs.writeSync(descriptor, bytes, from, length, place);
      fs.writeSync(descriptor, bytes, from, Math.floor(length / 2), place);
      return refuse();
    },
    ftruncateSync: (descriptor: number, length: number) =>
      disk.broken ? refuse() : fs.ftruncateSync(descriptor, length),
    openSync: (...given: Parameters<typeof fs.openSync>) => {
      const descriptor = fs.openSync(...given);
      opened.set(descriptor, String(given[0]));
      return descriptor;
    },
    fsyncSync: (descriptor: number) => {
      fs.fsyncSync(descriptor);
      flushed.directories.push(fs.readdirSync(opened.get(descriptor) ?? ''));
    },
  };
});

const step = (sql: string, ...values: (string | number)[]): StoredStep => ({ statement: { sql }, values });

const id = '0123456789abcdef';
const open = (directory: string, durability: 'normal' | 'full' = 'normal') => {
  const journal = createJournal({ directory, id, start: 0, durability });
  onTestFinished(() => journal.close());
  return journal;
};

/** Everything whole that is in a journal from this place on, and where that ends. */
function readAll(directory: string, start = 0) {
  const reader = createJournalReader({ directory, id });
  const steps: StoredStep[] = [];
  let at = start;
  for (let next = reader.readChecked(at); next !== undefined; next = reader.readChecked(at)) {
    steps.push(...next.steps);
    at = next.end;
  }
  reader.close();
  return { steps, at };
}

const values = fc.array(
  fc.oneof(
    fc.maxSafeInteger(),
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', minLength: 50, maxLength: 200 }),
    fc.string({ unit: fc.constantFrom('"', '\\', '\n', '+', '😀', 'é'), minLength: 50, maxLength: 200 }),
  ),
);
const transactions = fc.array(
  fc.array(
    fc.tuple(fc.constantFrom('insert one', 'update "two"'), values).map(([sql, all]) => step(sql, ...all)),
  ),
  { maxLength: 5 },
);

test('a journal gives back every transaction exactly, in order', async () => {
  await fc.assert(
    fc.asyncProperty(transactions, async (given) => {
      const directory = await temporaryDirectory();
      const journal = createJournal({ directory, id, start: 7, durability: 'normal' });
      for (const steps of given) await journal.append(steps);
      journal.close();
      expect(readAll(directory, 7)).toEqual({ steps: given.flat(), at: journal.end() });
    }),
    { numRuns: 200 },
  );
});

test('wherever a journal is cut or damaged, what was whole before that place is there, and nothing behind it', async () => {
  const directory = await temporaryDirectory();
  const journal = open(directory);
  const given = [step('a', 1, 'x'.repeat(70)), step('b', 'é'), step('c', 'last')];
  const ends = [0];
  for (const one of given) {
    await journal.append([one]);
    ends.push(journal.end());
  }
  const file = join(directory, readdirSync(directory)[0] ?? '');
  const whole = readFileSync(file);
  const wholeBefore = (place: number) => ends.filter((end) => end <= place).length - 1;
  for (let length = 0; length < whole.length; length += 1) {
    writeFileSync(file, whole.subarray(0, length));
    expect(readAll(directory).steps).toEqual(given.slice(0, wholeBefore(length)));
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(length) ^ 0x55, length);
    writeFileSync(file, damaged);
    expect(readAll(directory).steps).toEqual(given.slice(0, wholeBefore(length)));
  }
  // As a file system may leave it after the loss of power.
  writeFileSync(file, Buffer.concat([whole, Buffer.alloc(1_000)]));
  expect(readAll(directory)).toEqual({ steps: given, at: whole.length });
});

test('a journal goes on in another file when one is large, and what is behind is removed file by file', async () => {
  const directory = await temporaryDirectory();
  const journal = open(directory);
  const large = 'x'.repeat(5 * 1024 * 1024);
  const ends: number[] = [];
  for (let count = 0; count < 9; count += 1) {
    await journal.append([step('a', count, large)]);
    ends.push(journal.end());
  }
  const files = readdirSync(directory);
  expect(files.length).toBe(3);
  for (const name of files) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  expect(readAll(directory).steps.map((one) => one.values[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);

  const reader = createJournalReader({ directory, id });
  reader.remove((ends[3] ?? 0) - 1);
  expect(readdirSync(directory)).toEqual(files);
  reader.remove(ends[5] ?? 0);
  expect(readdirSync(directory)).toEqual(files.slice(1));
  expect(reader.read(ends[7] ?? 0)?.steps[0]?.values[0]).toBe(8);
  // Back to the file before, for what could not be taken over.
  expect(reader.read(ends[5] ?? 0)?.steps[0]?.values[0]).toBe(6);
  reader.close();
});

test('an append that fails leaves nothing behind', async ({ skip }) => {
  const directory = await temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return skip('this process may not mount a small disk');
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory], { stdio: 'ignore' });
  });
  const journal = open(directory);
  await journal.append([step('a', 'first')]);
  const end = journal.end();
  await expect(journal.append([step('b', 'x'.repeat(2 * 1024 * 1024))])).rejects.toMatchObject({
    code: 'ENOSPC',
  });
  expect(journal.end()).toBe(end);
  expect(statSync(join(directory, readdirSync(directory)[0] ?? '')).size).toBe(end);
  await journal.append([step('c', 'next')]);
  expect(readAll(directory).steps).toEqual([step('a', 'first'), step('c', 'next')]);
});

test('each append is flushed to the disk where durability is full, and none where it is normal', async () => {
  for (const [durability, flushes] of [
    ['normal', 0],
    ['full', 3],
  ] as const) {
    const journal = open(await temporaryDirectory(), durability);
    flushed.times = 0;
    for (let count = 0; count < 3; count += 1) await journal.append([step('a', count)]);
    expect(flushed.times).toBe(flushes);
  }
});

test('where durability is full a file is in its directory for good before anything in it is durable', async () => {
  const large = 'x'.repeat(16 * 1024 * 1024);
  for (const [durability, syncs] of [
    ['normal', [0, 0, 0]],
    ['full', [1, 2, 2]],
  ] as const) {
    const directory = await temporaryDirectory();
    const journal = open(directory, durability);
    flushed.directories.length = 0;
    for (const [index, value] of [large, 'a', 'b'].entries()) {
      await journal.append([step('a', value)]);
      expect(flushed.directories.length).toBe(syncs[index]);
    }
    if (durability === 'full') expect(flushed.directories.at(-1)).toEqual(readdirSync(directory));
  }
});

test('nothing is written behind what a failed append has left, and could not be taken away', async ({
  skip,
}) => {
  if (!existsSync('/dev/full')) return skip('only Linux has a device that is full and cannot be truncated');
  const directory = await temporaryDirectory();
  symlinkSync('/dev/full', journalFile({ directory, id }, 0));
  const journal = open(directory);
  await expect(journal.append([step('a')])).rejects.toMatchObject({ code: 'ENOSPC' });
  for (let times = 0; times < 2; times += 1) {
    await expect(journal.append([step('b')])).rejects.toMatchObject({ syscall: 'ftruncate' });
  }
  expect(journal.end()).toBe(0);
});

test('what a failed append has left, and could not be taken away, is taken away before the next', async () => {
  const directory = await temporaryDirectory();
  const journal = open(directory);
  await journal.append([step('a', 'first')]);
  disk.broken = true;
  onTestFinished(() => {
    disk.broken = false;
  });
  for (const name of ['b', 'c']) {
    await expect(journal.append([step(name, 'x'.repeat(1_000))])).rejects.toMatchObject({ code: 'EIO' });
  }
  disk.broken = false;
  await journal.append([step('d', 'next')]);
  expect(readAll(directory)).toEqual({
    steps: [step('a', 'first'), step('d', 'next')],
    at: journal.end(),
  });
  expect(statSync(journalFile({ directory, id }, 0)).size).toBe(journal.end());
});
