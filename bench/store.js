// The engine on its store alone, without HTTP, as ratios of one run: node --expose-gc bench/store.js after a build.
// Rounds of all in turn, medians. What the whole server reaches is for bench/server.js to say.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';

const built = process.env.KEDI_BENCH_DIST ?? new URL('../dist/', import.meta.url).href;
const load = (path) => import(new URL(path, built).href);
const { openStore } = await load('store/index.js');
const { createEngine } = await load('engine/index.js');
const { follow } = await load('domain/follow.js');

const rounds = 7;
const directory = mkdtempSync(join(tmpdir(), 'kedi-bench-store-'));
const logger = { debug() {}, info() {}, warn: console.error, error: console.error };
const store = await openStore({ directory, durability: 'normal', logger });

const raw = Buffer.from(
  JSON.stringify({
    type: 'stream_event',
    event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word ' } },
    session_id: '01890a5d-ac96-774b-bcce-b302099a8059',
  }),
);
const line = { raw, channel: 'stdout', events: [{ type: 'delta', text: 'word ' }] };

/** Says as many words as the prompt asks for; `slowly`: each in a turn of the event loop of its own. */
async function* say({ prompt }) {
  const [count, slowly] = prompt.split(' ');
  for (let said = 0; said < Number(count); said += 1) {
    if (slowly) await new Promise(setImmediate);
    yield line;
  }
  return { kind: 'done' };
}

const engine = createEngine({
  log: store.log,
  sessions: store.sessions,
  agent: { run: say },
  agentKind: 'bench',
  judge: undefined,
  logger,
  bounds: { concurrency: 16 },
});

let orders = 0;

async function ask(prompt) {
  orders += 1;
  const record = await engine.submit({
    principal: 'local',
    contextId: `context ${orders}`,
    contextIsNew: true,
    message: {
      messageId: `message ${orders}`,
      role: 'user',
      parts: [{ kind: 'text', text: prompt }],
      extensions: [],
      referenceTaskIds: [],
    },
    metadata: undefined,
    acceptedOutputModes: [],
    structured: undefined,
    refusal: undefined,
  });
  let entries = 0;
  for await (const more of follow(store.log, record, { signal: new AbortController().signal })) {
    entries += more.length;
  }
  return entries;
}

/** Milliseconds an event, of so many events in all, in answers of so many each. */
async function events(count, { of, slowly }) {
  const start = performance.now();
  for (let done = 0; done < count; done += of) await ask(slowly ? `${of} slowly` : `${of}`);
  return (performance.now() - start) / count;
}

/** Milliseconds a task of one word, so many at a time. */
async function tasks(count, { atATime }) {
  const start = performance.now();
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      for (let done = 0; done < count / atATime; done += 1) await ask('1');
    }),
  );
  return (performance.now() - start) / count;
}

async function read() {
  const { records } = await store.log.list({ principal: 'local', limit: 1_000 });
  const longest = records.reduce((one, other) => (other.length > one.length ? other : one));
  const start = performance.now();
  let entries = 0;
  for (;;) {
    const more = await store.log.read(longest, entries);
    if (more.length === 0) return (performance.now() - start) / entries;
    entries += more.length;
  }
}

const median = (figures) => figures.toSorted((one, other) => one - other)[figures.length >> 1];
const ratio = (over, under) => median(over.map((figure, round) => figure / under[round])).toFixed(2);
const micro = (figures) => `${(median(figures) * 1_000).toFixed(1)} µs`;

async function inTurn(contestants) {
  const figures = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(contestants)) {
      const figure = await run();
      // The first round only warms up.
      if (round >= 0) figures[name].push(figure);
    }
  }
  return figures;
}

const figures = await inTurn({
  short: () => events(8_000, { of: 500, slowly: true }),
  long: () => events(8_000, { of: 8_000, slowly: true }),
  shortBurst: () => events(8_000, { of: 500 }),
  longBurst: () => events(8_000, { of: 8_000 }),
  read,
  alone: () => tasks(160, { atATime: 1 }),
  together: () => tasks(800, { atATime: 16 }),
});
console.log(
  `an event of 8,000 in turns of its own: ${micro(figures.long)}, to one of 500: ${ratio(figures.long, figures.short)}`,
);
console.log(
  `an event of 8,000 in one burst: ${micro(figures.longBurst)}, to one of 500: ${ratio(figures.longBurst, figures.shortBurst)}`,
);
console.log(`an event read back: ${micro(figures.read)}`);
console.log(
  `a task of one word among 16: ${micro(figures.together)}, to one alone: ${ratio(figures.together, figures.alone)}`,
);

const resident = () => {
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
};
await tasks(992, { atATime: 16 });
const before = resident();
await tasks(19_008, { atATime: 16 });
console.log(`resident memory after 20,000 further tasks, to 1,000: +${(resident() - before).toFixed(1)} MB`);

await engine.drain(0);
await store.close();
rmSync(directory, { recursive: true, force: true });
