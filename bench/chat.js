// The chat's figures, each a ratio of two things measured in turn in one run, medians: npm run bench:chat. A table in
// docs/performance-chat.md, the figures in docs/performance-chat.json.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { measureProjection } from './chat-projection.js';
import { measureReaders } from './chat-readers.js';

const rows = [...measureProjection(), await measureReaders()];
const cells = ({ what, against, toReach, reached, measured }) =>
  `| ${[what, against, toReach, reached ? measured : `**missed:** ${measured}`].join(' | ')} |`;
const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
const table = `# Performance of the chat

Measured by \`npm run bench:chat\` on ${machine}. Ratios of two things measured in turn, medians; the same figures are in
\`performance-chat.json\`.

| What | Against | To reach | Measured |
|---|---|---|---|
${rows.map(cells).join('\n')}
`;
const docs = fileURLToPath(new URL('../docs/', import.meta.url));
mkdirSync(docs, { recursive: true });
writeFileSync(`${docs}performance-chat.md`, table);
writeFileSync(`${docs}performance-chat.json`, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
console.log(table);
if (rows.some(({ reached }) => !reached)) process.exitCode = 1;
