// `npm run serve:conformance -- [FLAGS OF serve]`: the test agent of the compatibility kit behind all three bindings, with
// a card that has no key beyond A2A's own. Where it listens is the line `listening on http://…` on stdout.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'test/support/conformance-agent.ts');
const home = mkdtempSync(join(tmpdir(), 'kedi-a2a-conformance-'));
const path = join(home, 'conformance-agent.mjs');
writeFileSync(path, (await transformWithOxc(readFileSync(source, 'utf8'), source)).code);
const flags = {
  '--data-dir': join(home, 'data'),
  '--agent': 'module',
  '--agent-options': JSON.stringify({ path }),
  '--bindings': 'json-rpc,http-json,grpc',
  '--grpc-port': '0',
  // The kit's receiver of notifications, and the name it registers and never listens on.
  '--allow-webhooks': '127.0.0.0/8,localhost,example.com',
};

const server = spawn(
  process.execPath,
  [
    ...[join(root, 'dist/cli/main.js'), 'serve', '--strict-card', '--allow-unauthenticated'],
    ...[...Object.entries(flags).flat(), ...process.argv.slice(2)],
  ],
  { stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.kill(signal));
server.on('close', (code) => {
  rmSync(home, { recursive: true, force: true });
  process.exitCode = code ?? 1;
});
