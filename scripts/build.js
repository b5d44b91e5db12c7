// Compiles src/ to dist/, copies what is not TypeScript, and makes the command executable.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

// Built beside the old one and then swapped in, so that a server that starts meanwhile finds a whole dist/.
const fresh = `dist.${process.pid}`;
const old = `${fresh}.old`;
const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
try {
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.json', '--outDir', fresh], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) {
    process.exitCode = 1;
  } else {
    if (existsSync('src/web')) cpSync('src/web', join(fresh, 'web'), { recursive: true });
    chmodSync(join(fresh, 'cli/main.js'), 0o755);
    if (existsSync('dist')) renameSync('dist', old);
    renameSync(fresh, 'dist');
  }
} finally {
  for (const directory of [fresh, old]) rmSync(directory, { recursive: true, force: true });
}
