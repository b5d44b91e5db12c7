// `npm run test:interop`: the official Python SDK's client against this server over every binding and with every scheme of
// credentials, and Kedi itself where a Kedi that speaks A2A can be had.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { environment, root, run, serveConformance, skip } from '../../scripts/python.js';

const sdk = 'a2a-sdk[grpc]==1.3.0';
const secret = 'interop-secret-0123456789';
const schemes = [
  { scheme: undefined, flags: [], credential: undefined },
  { scheme: 'bearer', flags: ['--auth', 'bearer'], credential: secret },
  {
    scheme: 'api_key',
    flags: ['--auth', 'api-key', '--api-key-header', 'X-Interop-Key'],
    credential: secret,
  },
  { scheme: 'basic', flags: ['--auth', 'basic'], credential: `interop:${secret}` },
];

const python = environment('interop', [sdk]);
if (python === undefined) skip(`Python's registry does not give ${sdk}`);
const hasAdapter = (candidate) =>
  spawnSync(candidate, ['-c', 'from kedi.agent_adapter import A2AAdapter']).status === 0;
const kedi = findKedi();

let failed = 0;
for (const { scheme, flags, credential } of schemes) {
  const access = scheme === undefined ? [] : [...flags, '--public-card', '--secret-env', 'INTEROP_SECRET'];
  const against = async (interpreter, script, more = []) => {
    const server = await serveConformance([...access, ...more], { INTEROP_SECRET: credential ?? '' });
    const args = scheme === undefined ? [server.url] : [server.url, scheme, credential];
    try {
      failed += await run(interpreter, [join(root, 'test/interop', script), ...args]);
    } finally {
      await server.stop();
    }
  };
  await against(python, 'sdk.py');
  // Its prompts are its own, so that it is answered by sample data.
  if (kedi !== undefined) await against(kedi, 'kedi_client.py', ['--agent', 'demo', '--agent-options', '{}']);
}
process.exitCode = failed === 0 ? 0 : 1;

/** A Python with Kedi's A2A adapter: that of KEDI_SPEC, of this machine, or of the registry once it has more than a stub. */
function findKedi() {
  if (process.env.KEDI_SPEC === undefined && hasAdapter('python3')) return 'python3';
  const spec = process.env.KEDI_SPEC ?? registryKedi();
  if (spec === undefined) {
    return tellSkipped("Python's registry has no Kedi that speaks A2A, and KEDI_SPEC names none");
  }
  const found = environment('kedi', [spec]);
  if (found === undefined) return tellSkipped(`${spec} cannot be installed`);
  return hasAdapter(found) ? found : tellSkipped(`${spec} has no kedi.agent_adapter.A2AAdapter`);
}

/** Its version 0.1.0 there is empty, and has nothing to do with it. */
function registryKedi() {
  const { stdout } = spawnSync(python, ['-m', 'pip', 'index', 'versions', 'kedi'], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  const [, version] = /^kedi \(([^)]+)\)/.exec(stdout ?? '') ?? [];
  return version === undefined || version === '0.1.0' ? undefined : `kedi[a2a]==${version}`;
}

function tellSkipped(reason) {
  console.log(`SKIPPED interop-kedi: ${reason}`);
  return undefined;
}
