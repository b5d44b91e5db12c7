// `npm run test:package`: the package as it would be published, checked by publint, installed into an empty project,
// where its command runs and every entry of its exports can be imported.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = fileURLToPath(new URL('..', import.meta.url));
const { name, version, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const project = mkdtempSync(join(tmpdir(), 'kedi-a2a-package-'));
const run = (program, ...args) => execFileSync(program, args, { cwd: project, encoding: 'utf8' }).trim();

try {
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: root, stdio: 'inherit' });

  for (const [entry, target] of Object.entries(exports)) {
    if (typeof target !== 'string' && typeof target.import !== 'string') {
      throw new Error(`The export ${entry} is neither a string nor has a string import.`);
    }
  }

  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', project], {
      cwd: root,
      encoding: 'utf8',
    }),
  );
  const tarball = join(project, filename);
  const bytes = readFileSync(tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) },
    strict: true,
  });
  for (const message of messages) console.error(formatMessage(message, pkg));
  if (messages.length > 0) throw new Error('publint finds fault with the package.');

  writeFileSync(join(project, 'package.json'), '{"type":"module","private":true}');
  run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--omit=dev', tarball);
  const command = join(project, 'node_modules/.bin/kedi-a2a');
  if (run(command, '--version') !== version) throw new Error('The command does not tell its version.');
  run(command, 'agents');
  for (const entry of Object.keys(exports).filter((key) => !key.endsWith('.json'))) {
    const count = run(
      process.execPath,
      '--input-type=module',
      '--eval',
      `console.log(Object.keys(await import(${JSON.stringify(name + entry.slice(1))})).length)`,
    );
    if (!(Number(count) > 0)) throw new Error(`${name}${entry.slice(1)} exports nothing.`);
    console.log(`${name}${entry.slice(1)}: ${count} exports`);
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}
