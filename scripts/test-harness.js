// `npm run test:harness`: installs the pinned agent programs, then runs their tests in a network namespace that has
// loopback alone, since an agent program with a network would call home. Further arguments go to vitest.
import { spawnSync } from 'node:child_process';
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
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.harness.config.ts'];
const { status } = run('unshare', [
  ...namespace,
  ...['sh', '-c', inside, 'sh', process.execPath, ...vitest, ...process.argv.slice(2)],
]);
process.exit(status ?? 1);
