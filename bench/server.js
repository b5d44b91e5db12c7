// The server against the SDK's handler, bare node:http and itself, as ratios of one run: npm run bench. Rounds of all
// contestants in turn, medians; a table in docs/performance.md, the figures in docs/performance.json. Beside requests a
// second stands the server's own processor time, which tells the same where the machine has other work to do.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { callBytes, median, streamTime, throughput } from './server-load.js';

const rounds = 5;
/** One process optimizes better than another of the same program, by a tenth: requests are measured in so many of each. */
const starts = 3;
const seconds = 1.2;

async function start(kind) {
  const peers = fileURLToPath(new URL('server-peers.js', import.meta.url));
  const child = fork(peers, [kind], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [{ port }] = await once(child, 'message');
  return {
    port,
    async memory() {
      child.send('memory');
      const [{ memory }] = await once(child, 'message');
      return memory;
    },
    async processor() {
      child.send('processor');
      const [{ processor }] = await once(child, 'message');
      return processor;
    },
    async stop() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

const message = (text, extensions = []) => ({
  messageId: '01890a5d-ac96-774b-bcce-b302099a8059',
  role: 'ROLE_USER',
  parts: [{ text }],
  extensions,
});

const text = callBytes('SendMessage', {
  message: message('Say this back to me, word for word, if you please.'),
});
const chunks = (count) => callBytes('SendStreamingMessage', { message: message(`chunks ${count}`) });

/** A schema of about 1 KB, by which the document of `server-peers.js` is valid. */
const schema = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Summary',
  type: 'object',
  properties: {
    summary: { title: 'Summary', description: 'x'.repeat(350), type: 'string', minLength: 1 },
    items: {
      title: 'Items',
      type: 'array',
      items: { $ref: '#/$defs/Item' },
      minItems: 1,
      maxItems: 100,
    },
  },
  required: ['summary', 'items'],
  additionalProperties: false,
  $defs: {
    Item: {
      title: 'Item',
      type: 'object',
      properties: {
        id: { title: 'Id', type: 'integer', minimum: 0 },
        name: { title: 'Name', type: 'string', maxLength: 80 },
        price: { title: 'Price', type: 'number', exclusiveMinimum: 0 },
      },
      required: ['id', 'name', 'price'],
      additionalProperties: false,
    },
  },
});

const kedi = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';
const typed = callBytes('SendMessage', {
  message: message('Say this back to me, word for word, if you please.', [kedi]),
  configuration: { acceptedOutputModes: ['application/json'] },
  metadata: { kediStructuredOutput: { version: 1, resultEncoding: 'json-utf8', schemaJson: schema } },
});

const expect = 'TASK_STATE_COMPLETED';

/** Runs every contestant once a round, in turn, and gives the figures of each. */
async function inTurn(contestants) {
  const figures = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) figures[name].push(await run());
  }
  return figures;
}

/** The median of the ratios within each round: what disturbs a round disturbs both. */
const ratio = (over, under) => median(over.map((figure, round) => figure / under[round]));

/** Before the bench adds to it: what else the machine had to do. */
const [otherWork = 0] = loadavg();
let ours;
let sdk;
let bare;
const results = [];
const record = (row) => {
  results.push(row);
  console.error(`${row.what}: ${row.figure} (to reach: ${row.reach})`);
};

/** Answered requests a second of the clock, and a second of the server's processor time. */
const load = async (server, request) => {
  const before = await server.processor();
  const { answered, perSecond } = await throughput({ port: server.port, request, expect, seconds });
  return { perSecond, perProcessorSecond: (answered / ((await server.processor()) - before)) * 1e6 };
};
const requests = { ours: [], sdk: [], bare: [], typed: [] };
for (let begun = 0; begun < starts; begun += 1) {
  await Promise.all([ours, sdk, bare].map((server) => server?.stop()));
  ours = await start('ours');
  sdk = await start('sdk');
  bare = await start('bare');
  for (const { port } of [ours, sdk, bare]) await throughput({ port, request: text, expect, seconds: 2 });
  await throughput({ port: ours.port, request: typed, expect, seconds: 2 });
  const figures = await inTurn({
    ours: () => load(ours, text),
    sdk: () => load(sdk, text),
    bare: () => load(bare, text),
    typed: () => load(ours, typed),
  });
  for (const [name, more] of Object.entries(figures)) requests[name].push(...more);
}
const rate = (figures) =>
  `${Math.round(median(figures.map(({ perSecond }) => perSecond))).toLocaleString('en')}/s`;
const times = (figure) => `${figure.toFixed(2)} times`;
const byClock = (over, under) =>
  ratio(
    over.map(({ perSecond }) => perSecond),
    under.map(({ perSecond }) => perSecond),
  );
const byProcessor = (over, under) =>
  ratio(
    over.map(({ perProcessorSecond }) => perProcessorSecond),
    under.map(({ perProcessorSecond }) => perProcessorSecond),
  );
const compare = (over, under) => ({
  figure: `${times(byClock(over, under))} (${times(byProcessor(over, under))} by processor time)`,
  absolute: `${rate(over)} to ${rate(under)}`,
});
record({
  what: 'Blocking text `SendMessage`, 16 connections, durable store as shipped',
  against: "the SDK's DefaultRequestHandler with its in-memory store, on express",
  reach: 'at least 3 times',
  ...compare(requests.ours, requests.sdk),
  reached: byClock(requests.ours, requests.sdk) >= 3,
});
record({
  what: 'The same',
  against: 'bare `node:http` that parses and answers the same JSON',
  reach: 'at least 0.15, 0.3 is the aim',
  ...compare(requests.ours, requests.bare),
  reached: byClock(requests.ours, requests.bare) >= 0.15,
});
record({
  what: 'Typed `SendMessage` (1 KB schema seen before, 1 KB document)',
  against: 'the same text request here',
  reach: 'at least 0.7 times',
  ...compare(requests.typed, requests.ours),
  reached: byClock(requests.typed, requests.ours) >= 0.7,
});

const stream = (port, count, limit) => streamTime({ port, request: chunks(count), until: expect, limit });
/** Microseconds an event of the clock and of processor time, for answers of so many chunks, 8,000 chunks in all. */
const cost = async (count) => {
  const before = await ours.processor();
  let took = 0;
  for (let done = 0; done < 8_000; done += count) took += await stream(ours.port, count);
  return { clock: (took * 1_000) / 8_000, processor: ((await ours.processor()) - before) / 8_000 };
};
await cost(8_000);
const streams = await inTurn({ long: () => cost(8_000), short: () => cost(500) });
const costOf = (figures, measure) => figures.map((figure) => figure[measure]);
const growth = ratio(costOf(streams.long, 'processor'), costOf(streams.short, 'processor'));
const micros = (figures) => `${median(costOf(figures, 'processor')).toFixed(1)} µs`;
record({
  what: 'A streamed answer of 8,000 chunks',
  against: 'one of 500: processor time an event',
  reach: 'at most 1.3 times',
  figure: `${times(growth)} (${times(ratio(costOf(streams.long, 'clock'), costOf(streams.short, 'clock')))} by the clock)`,
  absolute: `${micros(streams.long)} to ${micros(streams.short)} an event`,
  reached: growth <= 1.3,
});

// The SDK's handler would take minutes for all rounds: it is cut off at 60 times our own time of the round.
let last = 0;
const long = await inTurn({
  ours: async () => {
    last = await stream(ours.port, 4_000);
    return last;
  },
  sdk: () => stream(sdk.port, 4_000, last * 60),
});
const faster = ratio(long.sdk, long.ours);
record({
  what: '4,000 chunks',
  against: "the SDK's handler",
  reach: 'at least 50 times faster',
  figure: faster >= 59 ? 'more than 60 times (cut off there)' : times(faster),
  absolute: `${Math.round(median(long.ours))} ms to ${faster >= 59 ? 'more than ' : ''}${Math.round(median(long.sdk))} ms`,
  reached: faster >= 50,
});
await Promise.all([ours.stop(), sdk.stop(), bare.stop()]);

const fresh = await start('ours');
await throughput({ port: fresh.port, request: text, expect, total: 1_000 });
const early = await fresh.memory();
await throughput({ port: fresh.port, request: text, expect, total: 19_000 });
const late = await fresh.memory();
await fresh.stop();
const megabytes = (bytes) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
record({
  what: 'Resident memory after 20,000 tasks',
  against: 'after 1,000',
  reach: 'at most 30 MB more',
  figure: `${megabytes(late - early)} more`,
  absolute: `${megabytes(late)} to ${megabytes(early)}`,
  reached: late - early <= 30 * 1024 * 1024,
});

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`;
const table = [
  '| What | Against | To reach | Measured | Figures |',
  '|---|---|---|---|---|',
  ...results.map(
    ({ what, against, reach, figure, absolute, reached }) =>
      `| ${what} | ${against} | ${reach} | ${reached ? '' : '**missed:** '}${figure} | ${absolute} |`,
  ),
].join('\n');
const docs = new URL('../docs/', import.meta.url);
mkdirSync(docs, { recursive: true });
writeFileSync(
  new URL('performance.json', docs),
  `${JSON.stringify({ version, machine, otherWork, rounds, starts, results }, null, 2)}\n`,
);
writeFileSync(
  new URL('performance.md', docs),
  `# Performance

Measured by \`npm run bench\` on ${machine}, with a load average of ${otherWork.toFixed(1)} before it began. Server and
load share the machine, so the ratios say something, and the absolute figures little. Each ratio is the median of
${rounds} rounds in which both were measured in turn, and for requests of as many in each of ${starts} starts of all servers;
the same figures are in \`performance.json\`.

${table}
`,
);
console.log(table);
