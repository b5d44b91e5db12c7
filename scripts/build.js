// Compiles src/ to dist/, copies what is not TypeScript, and makes the command executable.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
rmSync('dist', { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '-p', 'tsconfig.json'], { stdio: 'inherit' });
if (existsSync('src/web')) cpSync('src/web', 'dist/web', { recursive: true });
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);
