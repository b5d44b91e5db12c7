import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KediError } from '../../src/domain/errors.js';
import type { SchemaJudge } from '../../src/domain/schema.js';
import { createJudge } from '../../src/schema/judge.js';
import { fairTime } from './fair-time.js';
import { hostileCases } from './hostile-cases.js';

/**
 * Milliseconds for which this thread was at work so far: where the system tells, without those in which other
 * processes had the processor.
 */
function busyTime(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

/** The longest time for which nothing else could run in this thread, in milliseconds, until it is asked. */
function watchStalls(): () => number {
  let last = busyTime();
  let longest = 0;
  const note = () => {
    const now = busyTime();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(note, 2);
  return () => {
    note();
    clearInterval(timer);
    return longest;
  };
}

async function outcome(judge: SchemaJudge, { schema, document }: { schema: string; document: string }) {
  try {
    const verdict = await (await judge.compile(schema)).check(document);
    return verdict.ok ? 'valid' : verdict.code;
  } catch (error) {
    if (!(error instanceof KediError)) throw error;
    return error.code;
  }
}

/** Not SCHEMA_TOO_LARGE, RESULT_MALFORMED or INTERNAL, with which nothing would be shown. */
const answers = [
  'valid',
  'RESULT_INVALID',
  'RESULT_TOO_COSTLY',
  'RESULT_TOO_LARGE',
  'SCHEMA_TOO_COSTLY',
  'SCHEMA_UNSUPPORTED',
  'SCHEMA_MALFORMED',
];

describe('whatever a stranger sends', () => {
  let judge: SchemaJudge;
  beforeAll(async () => {
    judge = createJudge();
    // The workers are warm, as they are in a server that has judged before.
    await outcome(judge, { schema: '{"pattern":"a"}', document: '"a"' });
  });
  afterAll(() => judge.close());

  test.each(hostileCases)('$name: an answer, and others are served meanwhile', async ({ make }) => {
    const hostile = make();
    const stalls = watchStalls();
    const start = performance.now();
    const result = await outcome(judge, hostile);
    const took = performance.now() - start;
    const stall = stalls();
    expect(answers).toContain(result);
    expect(stall).toBeLessThan(100);
    expect(took).toBeLessThan(fairTime(hostile.document.length > 1_000_000 ? 5_000 : 1_000));
  });
});
