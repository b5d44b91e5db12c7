import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { project, unread } from '../../src/chat/project.js';
import type { Entry } from '../../src/domain/task.js';
import { type Frame, frameWriter } from '../../src/protocol/agent-output.js';
import { type DecoderUnderTest, decoders, logOf, recordings } from '../support/decoders.js';

const lineFeed = 0x0a;

/** Bytes as a program might write them: recorded lines, whole, damaged or cut short, anything else, all line endings. */
function bytesOf({ agent }: DecoderUnderTest): fc.Arbitrary<Uint8Array> {
  const recorded = recordings(agent).flatMap(({ bytes }) => linesOf(bytes));
  const whole = fc.constantFrom(...recorded);
  const damaged = fc
    .tuple(whole, fc.nat(), fc.uint8Array({ maxLength: 3 }))
    .map(([line, at, put]) =>
      Buffer.concat([line.subarray(0, at % line.length), put, line.subarray((at % line.length) + 1)]),
    );
  const line = fc.oneof(
    { weight: 4, arbitrary: whole },
    { weight: 2, arbitrary: damaged },
    fc.uint8Array({ maxLength: 20 }),
  );
  const ending = fc.constantFrom('\n', '\r\n', '\n\n', '\r', '').map((text) => Buffer.from(text));
  return fc.array(fc.tuple(line, ending), { maxLength: 12 }).map((pairs) => Buffer.concat(pairs.flat()));
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; ) {
    const end = bytes.indexOf(lineFeed, from);
    if (end === -1) return [...lines, bytes.subarray(from)];
    if (end > from) lines.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return lines;
}

const blocksOf = (bytes: Uint8Array, places: readonly number[]): Uint8Array[] => {
  const cuts = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).sort((one, other) => one - other),
    bytes.length,
  ];
  return cuts.slice(1).map((end, index) => bytes.subarray(cuts[index], end));
};

const framesOf = (entries: readonly Entry[]): readonly Frame[] => project(unread, entries).frames;
const write = frameWriter({ sessionId: 's', commandId: 'c' });

for (const decoder of decoders) {
  describe(`whatever bytes ${decoder.agent} writes`, () => {
    it('wherever they are cut, and however often they are read, the frames are the same', () => {
      fc.assert(
        fc.property(bytesOf(decoder), fc.array(fc.nat(), { maxLength: 8 }), fc.nat(), (bytes, places, at) => {
          const whole = logOf(decoder, [bytes]);
          const frames = framesOf(whole);
          expect(framesOf(logOf(decoder, blocksOf(bytes, places)))).toEqual(frames);
          const cut = at % whole.length;
          const first = project(unread, whole.slice(0, cut));
          expect([...first.frames, ...project(first.after, whole.slice(cut)).frames]).toEqual(frames);
        }),
        { numRuns: 60 },
      );
    });

    it('every line has a frame or is of a silent kind, and every frame is JSON on one line', () => {
      fc.assert(
        fc.property(bytesOf(decoder), (bytes) => {
          const entries = logOf(decoder, [bytes]);
          const frames = framesOf(entries);
          const shown = new Set(frames.slice(0, -1).map(({ line }) => line));
          const lines = entries.flatMap((entry) => (entry.type === 'line' ? [entry.raw] : []));
          lines.forEach((raw, line) => {
            if (shown.has(line)) return;
            const kind = decoder.kindOf(raw);
            expect(
              decoder.silentKinds.some((listed) => `${kind}/`.startsWith(`${listed.split(',')[0]}/`)),
              kind,
            ).toBe(true);
          });
          for (const frame of frames) {
            const text = write(frame);
            expect(/[\r\n]/.test(text)).toBe(false);
            JSON.parse(text);
          }
        }),
        { numRuns: 60 },
      );
    });
  });
}

describe('a line of Claude Code', () => {
  const [claude] = decoders;
  if (claude === undefined) throw new Error('no decoder');

  it('of 20 MB is read whole', () => {
    const text = 'wörd '.repeat(3_400_000);
    const line = JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
    const frames = framesOf(logOf(claude, [Buffer.from(`${line}\r\n`)]));
    expect(frames).toHaveLength(2);
    expect(frames[0]?.body.event === 'delta' && frames[0].body.content === text).toBe(true);
  });

  it('of more than 32 MB is raw in pieces, of which nothing is missing', () => {
    const line = JSON.stringify({ type: 'assistant', message: { content: 'wörd '.repeat(6_000_000) } });
    const frames = framesOf(logOf(claude, blocksOf(Buffer.from(line), [1_000_003, 20_000_001])));
    const bodies = frames.slice(0, -1).map(({ body }) => body);
    expect(bodies.map(({ event }) => event)).toEqual(['raw', 'raw']);
    expect(bodies.map((body) => (body.event === 'raw' ? body.content : '')).join('') === line).toBe(true);
  });
});
