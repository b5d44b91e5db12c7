// A process that writes to a store until it is killed, and says on stdout what it was told is durable.
import { writeSync } from 'node:fs';
import { openStore } from '../../dist/store/index.js';

const [, , directory, durability] = process.argv;
const silent = { debug() {}, info() {}, warn() {}, error() {} };
const store = await openStore({ directory, durability, logger: silent });
writeSync(1, 'open\n');

const text = 'x'.repeat(500);
const part = { kind: 'text', text: 'y'.repeat(100_000) };
for (let number = 0; ; number += 1) {
  const key = { principal: 'local', taskId: `task ${number}` };
  const message = { messageId: 'm', role: 'user', parts: [], extensions: [], referenceTaskIds: [] };
  await store.log.create(
    {
      ...key,
      contextId: 'context',
      agentKind: 'demo',
      structured: true,
      state: 'submitted',
      createdAt: number,
      updatedAt: number,
    },
    [{ type: 'message', at: 0, message, acceptedOutputModes: [] }],
  );
  writeSync(1, `${number} 0\n`);
  const appends = [];
  for (let at = 1; at <= 20; at += 1) {
    const raw = Buffer.from(`${at} ${text}`);
    const line = { type: 'line', at, channel: 'stdout', raw, events: [] };
    appends.push(store.log.append(key, [line]).then(() => writeSync(1, `${number} ${at}\n`)));
    if (at % 3 === 0) await appends.at(-1);
  }
  await Promise.all(appends);
  await store.log.append(key, [
    { type: 'artifact', at: 21, artifact: { artifactId: 'a', parts: [part], extensions: [] } },
    { type: 'artifact', at: 22, artifact: { artifactId: 'b', parts: [part], extensions: [] } },
    { type: 'artifact', at: 23, artifact: { artifactId: 'c', parts: [part], extensions: [] } },
    { type: 'state', at: 24, state: 'completed' },
  ]);
  writeSync(1, `${number} 24\n`);
}
