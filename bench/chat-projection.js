// Projecting recorded lines to the text of their frames, as a ratio to JSON.parse of the same lines.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const built = process.env.KEDI_BENCH_DIST ?? new URL('../dist/', import.meta.url).href;
const load = (path) => import(new URL(path, built).href);
const { claudeDecoder } = await load('agents/claude-code/decode.js');
const { project, unread } = await load('chat/project.js');
const { eventWriter } = await load('protocol/agent-output.js');

const rounds = 41;

const fixtures = fileURLToPath(new URL('../test/fixtures/harness/claude-code/', import.meta.url));
const recorded = readdirSync(fixtures)
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => linesOf(readFileSync(fixtures + name)));

function linesOf(bytes) {
  return bytes
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line));
}

/** A run of tool calls whose inputs and results are about 9 KB each, as editing a file has them. */
function largeTools(calls) {
  const code = Array.from(
    { length: 130 },
    (_, at) => `  const value${at} = compute(${at}, "caf\u00e9 ${at}\\n", ${at}.5);\n`,
  ).join('');
  return Array.from({ length: calls }, (_, at) => [
    {
      type: 'assistant',
      message: {
        id: `msg_${at}`,
        role: 'assistant',
        model: 'claude-x',
        content: [
          {
            type: 'tool_use',
            id: `t${at}`,
            name: 'Edit',
            input: { file_path: `/workspace/${at}.ts`, new_string: code, line: at },
          },
        ],
      },
      parent_tool_use_id: null,
      session_id: 'e4c1f7f0-6d0c-4b4e-9d58-1f4d2d1e9a10',
    },
    {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: `t${at}`, content: [{ type: 'text', text: code }] }],
      },
      parent_tool_use_id: null,
      session_id: 'e4c1f7f0-6d0c-4b4e-9d58-1f4d2d1e9a10',
    },
  ])
    .flat()
    .map((line) => Buffer.from(JSON.stringify(line)));
}

/** An answer of many tokens, as partial messages bring it. */
function tokens(count) {
  return [
    { type: 'message_start', message: { id: 'msg_1', model: 'claude-x' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...Array.from({ length: count }, (_, at) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: `word${at} ` },
    })),
  ].map((event, at) =>
    Buffer.from(
      JSON.stringify({
        type: 'stream_event',
        event,
        session_id: 'e4c1f7f0-6d0c-4b4e-9d58-1f4d2d1e9a10',
        parent_tool_use_id: null,
        uuid: `0240b900-9d1e-4d3d-8e55-${at}`,
      }),
    ),
  );
}

const parse = (runs) => {
  let count = 0;
  for (const lines of runs)
    for (const line of lines) if (JSON.parse(line.toString('utf8')) !== null) count += 1;
  return count;
};

const projected = (runs) => {
  let length = 0;
  for (const lines of runs) {
    const { decode } = claudeDecoder();
    const write = eventWriter({ sessionId: 'session', commandId: 'command' });
    let at = unread;
    for (const raw of lines) {
      const { after, frames } = project(at, [
        { type: 'line', at: 1, raw, channel: 'stdout', events: decode(raw) },
      ]);
      at = after;
      for (const frame of frames) length += write(frame).length;
    }
  }
  return length;
};

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

/** Processor time, in milliseconds: what else runs on the machine is not in it. */
function timed(work, runs, repeat) {
  const before = process.cpuUsage();
  for (let count = 0; count < repeat; count += 1) work(runs);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The median over rounds, each of which measures both. */
function ratio(runs) {
  const repeat = Math.max(1, Math.round(10 / timed(projected, runs, 3)) * 3);
  const ratios = [];
  for (let round = -10; round < rounds; round += 1) {
    const parsing = timed(parse, runs, repeat);
    const projecting = timed(projected, runs, repeat);
    if (round >= 0) ratios.push(parsing / projecting);
  }
  return +median(ratios).toFixed(2);
}

const corpora = {
  'recorded runs': recorded,
  'token deltas': [tokens(2_000)],
  '9 KB tool calls and results': [largeTools(100)],
  'all together': [...recorded, tokens(2_000), largeTools(100)],
};
/** A row for each corpus; all of them run for a while before, so that none is measured while code is still compiled. */
export function measureProjection() {
  for (const work of [parse, projected]) timed(work, corpora['all together'], 60);
  return Object.entries(corpora).map(([name, runs]) => {
    const measured = ratio(runs);
    return {
      what: `Lines to frames: ${name}`,
      against: '`JSON.parse` of the same lines',
      toReach: 'at least 0.35 of its speed',
      reached: measured >= 0.35,
      measured: `${measured} of it`,
    };
  });
}
