// Compiling schemas and judging documents against ajv, hyperjump and cfworker, as ratios of one run:
// npm run bench:schema. A table in docs/performance-schema.md, the figures in docs/performance-schema.json.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Validator } from '@cfworker/json-schema';
import { registerSchema, unregisterSchema, validate } from '@hyperjump/json-schema/draft-2020-12';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { compileSchema } from '../dist/schema/index.js';

const rounds = 7;

/** An ordinary schema of about so many bytes, as a client makes it from its types. */
function schemaOf(bytes) {
  const kinds = [
    (index) => ({ title: `Text ${index}`, type: 'string', minLength: 1, maxLength: 200 }),
    (index) => ({ title: `Count ${index}`, type: 'integer', minimum: 0, maximum: 1_000_000 }),
    (index) => ({ title: `Owner ${index}`, anyOf: [{ type: 'string' }, { type: 'null' }], default: null }),
    (index) => ({ title: `State ${index}`, enum: ['open', 'closed', 'blocked'], type: 'string' }),
    (index) => ({ title: `Scores ${index}`, type: 'array', items: { type: 'number' }, maxItems: 100 }),
    (index) => ({
      title: `Part ${index}`,
      type: 'object',
      properties: { name: { type: 'string' }, value: { type: 'number' } },
      required: ['name'],
      additionalProperties: false,
    }),
  ];
  const schema = { title: '', type: 'object', properties: {}, required: [], additionalProperties: false };
  for (let index = 0; JSON.stringify(schema).length < bytes - 150; index += 1) {
    schema.properties[`field_${index}`] = kinds[index % kinds.length](index);
    if (index % 2 === 0) schema.required.push(`field_${index}`);
  }
  return schema;
}

const documentSchema = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer' },
          name: { type: 'string', minLength: 1 },
          score: { type: 'number', minimum: 0 },
          done: { type: 'boolean' },
          tags: { type: 'array', items: { type: 'string' } },
          note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        },
        required: ['id', 'name', 'score', 'done', 'tags'],
      },
    },
  },
  required: ['summary', 'items'],
  additionalProperties: false,
};

const documentOf = (count) =>
  JSON.stringify({
    summary: 'The contract renews in May.',
    items: Array.from({ length: count }, (_, index) => ({
      id: 100_000 + index,
      name: `Item number ${index}`,
      score: index * 1.25,
      done: index % 2 === 0,
      tags: ['alpha', 'beta'],
      note: index % 3 === 0 ? 'see the annex' : null,
    })),
  });

/** Each compiles a schema's text, or makes of it a function from a document's text to a verdict. */
const ajv = new Ajv2020({ strict: false, logger: false });
let named = 0;
const validators = {
  ours: {
    compile: (text) => compileSchema(text),
    judge: (text) => {
      const { check } = compileSchema(text);
      return (document) => check(document).ok;
    },
  },
  ajv: {
    compile(text) {
      const schema = JSON.parse(text);
      ajv.compile(schema);
      ajv.removeSchema(schema);
    },
    judge: (text) => {
      const check = ajv.compile(JSON.parse(text));
      return (document) => check(JSON.parse(document));
    },
  },
  hyperjump: {
    async compile(text) {
      const uri = register(text);
      await validate(uri);
      unregisterSchema(uri);
    },
    judge: async (text) => {
      const check = await validate(register(text));
      return (document) => check(JSON.parse(document)).valid;
    },
  },
  cfworker: {
    compile: (text) => new Validator(JSON.parse(text), '2020-12'),
    judge: (text) => {
      const validator = new Validator(JSON.parse(text), '2020-12');
      return (document) => validator.validate(JSON.parse(document)).valid;
    },
  },
};

function register(text) {
  named += 1;
  const uri = `https://schema.example/${named}`;
  registerSchema({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...JSON.parse(text) }, uri);
  return uri;
}

/** Microseconds of processor time so far, all threads together: another program's work does not count. */
const used = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Calls `work` for so many milliseconds of processor time at least; the microseconds that one call takes. */
async function time(work, milliseconds) {
  const start = used();
  let calls = 0;
  for (let batch = 1; used() - start < milliseconds * 1_000; batch = Math.min(2 * batch, 64)) {
    for (let index = 0; index < batch; index += 1, calls += 1) {
      const result = work(calls);
      if (result instanceof Promise) await result;
    }
  }
  return (used() - start) / calls;
}

/** Microseconds of one call: the median of rounds in which all take their turn, warmed up on a heap without garbage. */
async function compare(works, milliseconds) {
  const times = new Map(Object.keys(works).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, work] of Object.entries(works)) {
      globalThis.gc?.();
      await time(work, milliseconds);
      times.get(name).push(await time(work, milliseconds));
    }
  }
  return Object.fromEntries([...times].map(([name, list]) => [name, median(list)]));
}

const median = (list) => list.sort((one, other) => one - other)[list.length >> 1];

async function measureCompiling(bytes) {
  const schema = schemaOf(bytes);
  const text = (call) => JSON.stringify({ ...schema, title: `Model ${call}` });
  const works = Object.fromEntries(
    Object.entries(validators).map(([name, { compile }]) => [name, (call) => compile(text(call))]),
  );
  return rows(`Compiling a schema of ${size(text(0))}`, await compare(works, 300), {
    ratio: (ours, theirs) => theirs / ours,
    word: 'faster',
    bound: (name) => (name === 'ajv' ? 20 : undefined),
    reached: (ratio, bound) => ratio >= bound,
  });
}

async function measureJudging(count, mostTimes) {
  const document = documentOf(count);
  const works = {};
  for (const [name, { judge }] of Object.entries(validators)) {
    const check = await judge(JSON.stringify(documentSchema));
    if (!check(document) || check(document.replace('"done":true', '"done":1')))
      throw new Error(`${name} is wrong`);
    works[name] = () => check(document);
  }
  return rows(`Reading and checking a document of ${size(document)}`, await compare(works, 100), {
    ratio: (ours, theirs) => ours / theirs,
    word: 'the time',
    bound: (name) => (name === 'ajv' ? mostTimes : undefined),
    reached: (ratio, bound) => ratio <= bound,
  });
}

function rows(what, { ours, ...others }, { ratio, word, bound, reached }) {
  return Object.entries(others).map(([name, theirs]) => {
    const measured = ratio(ours, theirs);
    const toReach = bound(name);
    return {
      what,
      against: name,
      toReach: toReach === undefined ? '–' : `${toReach} times ${word}`,
      reached: toReach === undefined || reached(measured, toReach),
      measured: `${measured.toPrecision(3)} times ${word}`,
      microseconds: { ours: round(ours), theirs: round(theirs) },
    };
  });
}

const size = (text) =>
  text.length < 1_000 ? `${text.length} bytes` : `${Math.round(text.length / 1_000)} KB`;
const round = (number) => Number(number.toPrecision(3));

const measured = [
  ...(await measureCompiling(1_100)),
  ...(await measureCompiling(32_700)),
  ...(await measureJudging(2, 5)),
  ...(await measureJudging(88, 3)),
];
const cells = ({ what, against, toReach, reached, measured, microseconds: { ours, theirs } }) =>
  `| ${[what, against, toReach, reached ? measured : `**missed:** ${measured}`, `${ours} / ${theirs}`].join(' | ')} |`;
const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`;
const table = `# Performance of schemas

Measured by \`npm run bench:schema\` on ${machine}. All validators take turns in one run; medians of ${rounds} rounds, in
processor time. The others read documents by \`JSON.parse\`. The same figures are in \`performance-schema.json\`.

| What | Against | To reach | Measured | µs, ours / theirs |
|---|---|---|---|---|
${measured.map(cells).join('\n')}
`;
const docs = fileURLToPath(new URL('../docs/', import.meta.url));
mkdirSync(docs, { recursive: true });
writeFileSync(`${docs}performance-schema.md`, table);
writeFileSync(`${docs}performance-schema.json`, `${JSON.stringify({ machine, rows: measured }, null, 2)}\n`);
console.log(table);
if (measured.some(({ reached }) => !reached)) process.exitCode = 1;
