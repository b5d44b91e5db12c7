import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // These need more than Node: each has a script of its own in package.json.
    exclude: ['test/harness/**', 'test/browser/**', 'test/interop/**', 'test/tck/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
  },
});
