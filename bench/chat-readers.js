// What 1,000 idle readers of a chat cost in memory, against a bare node:http SSE server: what each adds to the resident
// memory of the process once its garbage is collected.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const readers = 1_000;
const rounds = 5;

const command = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** On SIGUSR2 the process collects its garbage and tells what it holds then. */
const told = `process.on('SIGUSR2', () => { gc(); gc(); setTimeout(() => { gc(); console.error('rss ' + process.memoryUsage.rss()); }, 200); });`;
const flags = ['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(told)}`];

const bareServer = `
  import { createServer } from 'node:http';
  const open = new Set();
  setInterval(() => { for (const response of open) response.write(':\\n\\n'); }, 15_000);
  createServer((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' });
    response.write('retry: 1000\\n\\n');
    open.add(response);
    response.on('close', () => open.delete(response));
  }).listen(0, '127.0.0.1', function () { console.log('listening on http://127.0.0.1:' + this.address().port); });
`;

async function start(args) {
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const url = await said(child.stdout, /listening on (http:\S+)/);
  const rss = async () => {
    child.kill('SIGUSR2');
    return Number(await said(child.stderr, /rss (\d+)/));
  };
  return { child, url, rss };
}

async function said(stream, pattern) {
  let text = '';
  for await (const [chunk] of on(stream)) {
    text += chunk;
    const found = pattern.exec(text);
    if (found !== null) return found[1];
  }
}

/** Events of a stream without taking it over: it is read again later. */
async function* on(stream) {
  while (true) yield await once(stream, 'data');
}

/** Opens the readers, a few at a time as a load balancer would, and resolves when each has had its first bytes. */
async function open(url, path) {
  const { hostname, port } = new URL(url);
  const sockets = [];
  for (let count = 0; count < readers; count += 50) {
    const some = Array.from({ length: 50 }, () => connect(Number(port), hostname));
    for (const socket of some) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: text/event-stream\r\n\r\n`);
      socket.on('error', () => {});
    }
    await Promise.all(some.map((socket) => said(socket, /retry: 1000/)));
    sockets.push(...some);
  }
  return sockets;
}

async function costOf({ child, url, rss }, path) {
  // The first connections bring in code and pools that later ones share.
  for (const socket of await open(url, path)) socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const before = await rss();
  const sockets = await open(url, path);
  const after = await rss();
  for (const socket of sockets) socket.destroy();
  child.kill('SIGKILL');
  await once(child, 'close');
  return (after - before) / readers;
}

async function bare() {
  return costOf(await start(['--input-type=module', '-e', bareServer]), '/');
}

async function ours() {
  const directory = mkdtempSync(join(tmpdir(), 'kedi-a2a-bench-'));
  try {
    const server = await start([
      command,
      'serve',
      '--port',
      '0',
      '--data-dir',
      directory,
      '--allow-unauthenticated',
    ]);
    const response = await fetch(`${server.url}/a2a`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'SendMessage',
        params: {
          message: { messageId: '1', role: 'ROLE_USER', parts: [{ text: '/wait 600' }] },
          configuration: { returnImmediately: true },
        },
      }),
    });
    const { result } = await response.json();
    return await costOf(server, `/api/v1/agent-output/chat?command_id=${result.task.id}&replay=true`);
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

/** One row. */
export async function measureReaders() {
  const costs = { bare: [], ours: [] };
  for (let round = 0; round < rounds; round += 1) {
    costs.bare.push(await bare());
    costs.ours.push(await ours());
  }
  const [own, bareCost] = [median(costs.ours), median(costs.bare)];
  const ratio = own / bareCost;
  return {
    what: '1,000 idle readers of a chat: memory',
    against: 'a bare `node:http` server of events',
    toReach: 'at most 1.5 times',
    reached: ratio <= 1.5,
    measured: `${ratio.toFixed(2)} times (${(own / 1024).toFixed(1)} KB to ${(bareCost / 1024).toFixed(1)} KB a reader)`,
  };
}
