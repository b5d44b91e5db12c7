import fc from 'fast-check';
import type { OutputEvent } from '../../src/domain/agent.js';
import type { Part } from '../../src/domain/message.js';
import type { Entry } from '../../src/domain/task.js';
import { jsonText } from '../../src/schema/document.js';
import { asked } from './log-entries.js';

const at = 1_790_000_000_000;

/** Texts as agents write them: empty, with line endings, NUL, lone surrogates, and ordinary words. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\n', 'a\r\nb', 'data: x\n\n', '\0', '\ud800', 'Hello', ' world'),
);
const parent = fc.option(fc.constantFrom('call-1', 'call-2'), { nil: undefined, freq: 4 });
const json = fc.jsonValue({ maxDepth: 2 }).map(jsonText);

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), text }),
  fc.record({ kind: fc.constant('raw' as const), bytes: fc.uint8Array({ maxLength: 4 }) }),
  fc.record({ kind: fc.constant('data' as const), json }),
);

const event: fc.Arbitrary<OutputEvent> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('delta' as const), text, startsMessage: fc.boolean(), parent }),
  },
  fc.record({ type: fc.constant('tool_call' as const), id: text, name: text, input: json, parent }),
  fc.record({ type: fc.constant('tool_result' as const), id: text, ok: fc.boolean(), text, parent }),
  fc.record({ type: fc.constant('status' as const), status: text, text, parent }),
  fc.record({ type: fc.constant('raw' as const), text, parent }),
  fc.record(
    { type: fc.constant('usage' as const), model: text, usage: json, text },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('artifact' as const),
    artifactId: fc.constantFrom('a1', 'a2'),
    parts: fc.array(part, { maxLength: 2 }),
    append: fc.boolean(),
    lastChunk: fc.boolean(),
  }),
  fc.record({ type: fc.constant('session' as const), id: text }),
);

const line: fc.Arbitrary<Entry> = fc.record({
  type: fc.constant('line' as const),
  at: fc.constant(at),
  raw: fc.uint8Array({ maxLength: 12 }),
  channel: fc.constantFrom('stdout' as const, 'stderr' as const),
  events: fc.option(fc.array(event, { maxLength: 3 }), { nil: undefined, freq: 4 }),
});

const notice: fc.Arbitrary<Entry> = fc.record({
  type: fc.constant('notice' as const),
  at: fc.constant(at),
  status: text,
  text,
});

const run = (attempt: number): Entry => ({ type: 'run', at, attempt });
const asks: Entry = { type: 'state', at, state: 'input-required', text: 'Which?' };

const turn = fc.array(fc.oneof({ weight: 8, arbitrary: line }, notice), { maxLength: 10 });
const end: fc.Arbitrary<Entry> = fc.record({
  type: fc.constant('state' as const),
  at: fc.constant(at),
  state: fc.constantFrom('completed' as const, 'failed' as const, 'canceled' as const, 'rejected' as const),
});

/** Logs of text tasks as an engine writes them: one or more turns with questions and attempts between, then an end. */
export const textLog: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(fc.array(fc.tuple(turn, fc.constantFrom('asks', 'attempt')), { maxLength: 2 }), turn, end)
  .map(([before, last, ending]) => [
    asked(),
    run(1),
    ...before.flatMap(([entries, then], index) =>
      then === 'asks' ? [...entries, asks, asked(), run(1)] : [...entries, run(index + 2)],
    ),
    ...last,
    ending,
  ]);
