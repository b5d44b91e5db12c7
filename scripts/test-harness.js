// `npm run test:harness`: installs the pinned agent programs, then runs their tests in a network namespace that has
// loopback alone, since an agent program with a network would call home. Further arguments go to vitest.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const run = (program, args, env = {}) =>
  spawnSync(program, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });

// The user's own namespace is tried first; where that is refused, one of a mapped user.
const namespaces = [['-n'], ['-r', '-n']];
const namespace = namespaces.find(
  (flags) => spawnSync('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up']).status === 0,
);
if (namespace === undefined) {
  console.error(
    'SKIPPED: no network namespace can be made here, and no agent program is run outside of one.',
  );
  console.log('0 passed, 0 failed, 1 skipped');
  process.exit(0);
}

// What cannot be installed is skipped by its own tests, which say so.
run(process.execPath, ['scripts/install-harnesses.js']);
const inside = 'ip link set lo up && exec "$@"';
const report = 'node_modules/.cache/harness-report.json';
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.harness.config.ts'];
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
rmSync(join(root, report), { force: true });
const { status } = run('unshare', [
  ...namespace,
  ...['sh', '-c', inside, 'sh', process.execPath, ...vitest, ...reporters, ...process.argv.slice(2)],
]);
const tests = counted(join(root, report));
if (tests !== undefined)
  console.log(`harness: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped`);
process.exit(status ?? 1);

function counted(file) {
  if (!existsSync(file)) return undefined;
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests };
}
