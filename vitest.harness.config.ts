import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // KEDI_RECORD=1 writes test/fixtures/harness anew instead, from what the programs print now.
    include: [process.env.KEDI_RECORD === '1' ? 'test/harness/record.ts' : 'test/harness/**/*.test.ts'],
    globalSetup: ['test/harness/loopback-only.ts'],
    // An agent program takes up to ten seconds to start, and half a gigabyte while it runs.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    pool: 'forks',
  },
});
