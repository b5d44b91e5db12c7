// `npm run test:tck`: the official compatibility kit against this server, over every binding. The kit's checkout is in
// TCK_DIR, or beside this project as a2a-tck. A failure that is not in known.js fails, and so does one there that is gone.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { environment, root, run, serveConformance, skip } from '../../scripts/python.js';
import { known } from './known.js';

const kit = resolve(root, process.env.TCK_DIR ?? '../a2a-tck');
if (!existsSync(join(kit, 'run_tck.py'))) {
  skip('the compatibility kit (a2aproject/a2a-tck, branch 1.0-dev) is not here; TCK_DIR names its checkout');
}
const python = environment('tck', [`--editable=${kit}`], { minor: 11 });
if (python === undefined) skip("the kit's packages cannot be had from Python's registry");

const reports = join(root, '.cache/tck-reports');
mkdirSync(reports, { recursive: true });

// What the server does with its abilities, and what it says where it lacks them.
const rounds = [
  { name: 'all', flags: [], select: [] },
  {
    name: 'without-push',
    flags: ['--push', 'off'],
    select: ['-k', 'push_not_supported or push_notification_not'],
  },
];

const failed = new Set();
let bad = 0;
for (const { name, flags, select } of rounds) {
  const server = await serveConformance(flags);
  const report = join(reports, name);
  try {
    await run(
      python,
      [
        ...['-m', 'pytest', 'tests/compatibility/', `--sut-host=${server.url}`, '--tb=line', '-q', '-rs'],
        ...['--webhook-host=127.0.0.1', `--compatibility-report=${report}`, `--junitxml=${report}.xml`],
        ...['-p', 'no:cacheprovider', ...select, ...process.argv.slice(2)],
      ],
      { cwd: kit },
    );
  } finally {
    await server.stop();
  }
  bad += judge(`${report}.xml`);
}
const gone = process.argv.length > 2 ? [] : [...known.keys()].filter((name) => !failed.has(name));
for (const name of gone) console.log(`PASSED though listed in test/tck/known.js: ${name}`);
bad += gone.length;
process.exitCode = bad === 0 ? 0 : 1;

/** Compares what failed with what is known to contradict the specification; how many surprises there are. */
function judge(file) {
  const cases = [
    ...readFileSync(file, 'utf8').matchAll(/<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g),
  ].map(([, attributes = '', body = '']) => ({
    name: `${attribute(attributes, 'classname').split('.').at(-1)}::${attribute(attributes, 'name')}`,
    failed: /<(failure|error)\b/.test(body),
    skipped: /<skipped\b/.test(body),
  }));
  const count = (is) => cases.filter(is).length;
  const surprises = cases.filter(({ name, failed }) => failed && !known.has(name));
  for (const one of cases) if (one.failed) failed.add(one.name);
  const passed = count((one) => !one.failed && !one.skipped);
  console.log(
    `${passed} passed, ${count((one) => one.skipped)} not applicable, ` +
      `${count((one) => one.failed) - surprises.length} contradict the specification (test/tck/README.md), ` +
      `${surprises.length} failed`,
  );
  for (const { name } of surprises) console.log(`FAILED ${name}`);
  // A kit that ran nothing has shown nothing.
  return surprises.length + (passed === 0 ? 1 : 0);
}

function attribute(attributes, name) {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
  return value
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
