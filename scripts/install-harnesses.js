// Installs the pinned agent programs that `npm run test:harness` runs, each into a folder of its own under the cache.
// It installs and nothing else: whoever runs one of them does it in a network namespace that has loopback alone.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = process.env.KEDI_HARNESS_CACHE ?? join(root, '.cache/harness');
const harnesses = JSON.parse(readFileSync(join(root, 'scripts/harnesses.json'), 'utf8'));

const wanted = process.argv.slice(2);
for (const harness of harnesses) {
  if (wanted.length > 0 && !wanted.includes(harness.name)) continue;
  const { name, package: packageName, version } = harness;
  try {
    const was = await install(harness);
    console.log(`${name}: ${packageName} ${version} ${was}`);
  } catch (error) {
    // A folder with half a program in it would be taken for an installed one.
    rmSync(join(cache, name), { recursive: true, force: true });
    console.error(`${name}: ${packageName} ${version} cannot be had: ${firstLine(error)}`);
    process.exitCode = 1;
  }
}

async function install({ name, package: packageName, version, postinstall, with: others = [] }) {
  const folder = join(cache, name);
  const marker = join(folder, 'installed');
  if (read(marker) === version) return 'is there';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  const options = { cwd: folder, timeout: 300_000, maxBuffer: 64 * 1024 * 1024 };
  // Scripts stay off for the whole tree; a program that needs its own to find its binary has it named in the list.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  await run('npm', ['install', ...flags, `${packageName}@${version}`, ...others], options);
  const home = join(folder, 'node_modules', packageName);
  const installed = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')).version;
  if (installed !== version) throw new Error(`the registry gave ${installed}`);
  if (postinstall !== undefined) await run(process.execPath, [postinstall], { ...options, cwd: home });
  writeFileSync(marker, version);
  return 'installed';
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function firstLine(error) {
  const text = String(error?.stderr || error?.message || error).trim();
  return text.split('\n', 1)[0];
}
