// `npm run serve:conformance -- [FLAGS OF serve]`: the test agent of the compatibility kit behind all three bindings, with
// a card that has no key beyond A2A's own. Where it listens is the line `listening on http://…` on stdout.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'test/support/conformance-agent.ts');
const built = join(root, '.cache/conformance');
mkdirSync(built, { recursive: true });
const path = join(built, 'conformance-agent.mjs');
writeFileSync(path, (await transformWithOxc(readFileSync(source, 'utf8'), source)).code);

const dataDir = mkdtempSync(join(tmpdir(), 'kedi-a2a-conformance-'));
const server = spawn(
  process.execPath,
  [
    ...[
      join(root, 'dist/cli/main.js'),
      'serve',
      '--strict-card',
      '--allow-unauthenticated',
      '--data-dir',
      dataDir,
    ],
    ...['--agent', 'module', '--agent-options', JSON.stringify({ path })],
    ...[
      '--bindings',
      'json-rpc,http-json,grpc',
      '--grpc-port',
      '0',
      '--allow-webhooks',
      '127.0.0.0/8,localhost,example.com',
    ],
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('close', (code) => {
  rmSync(dataDir, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
