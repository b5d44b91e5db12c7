import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BytesLine, splitLines } from '../../../src/agents/kit/lines.js';

const split = (pieces: readonly Uint8Array[], longest?: number): BytesLine[] => {
  const splitter = splitLines(longest === undefined ? {} : { longest });
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
};

const texts = (lines: readonly BytesLine[]): string[] =>
  lines.map(({ bytes }) => Buffer.from(bytes).toString());

const bytes = (text: string): Buffer => Buffer.from(text);

describe('bytes become lines', () => {
  it('without their endings, \\n and \\r\\n alike, while a lone \\r stays', () => {
    expect(texts(split([bytes('one\ntwo\r\nthr\ree\n')]))).toEqual(['one', 'two', 'thr\ree']);
  });

  it('an empty line is a line, and the last one needs no ending', () => {
    expect(texts(split([bytes('\n\r\n\nlast')]))).toEqual(['', '', '', 'last']);
    expect(split([])).toEqual([]);
    expect(split([bytes('')])).toEqual([]);
  });

  it('the same ones however they are cut, within a character or between \\r and \\n too', () => {
    const stream = fc
      .array(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r', '')),
        {
          maxLength: 12,
        },
      )
      .map((parts) => bytes(parts.join('')));
    fc.assert(
      fc.property(stream, fc.array(fc.nat(200), { maxLength: 30 }), (whole, cuts) => {
        const places = [...new Set(cuts.map((cut) => Math.min(cut, whole.length)))].sort((a, b) => a - b);
        const pieces = [0, ...places].map((place, index) =>
          whole.subarray(place, places[index] ?? whole.length),
        );
        expect(texts(split(pieces))).toEqual(texts(split([whole])));
        const expected = whole.toString('latin1').split('\n');
        const last = expected.pop();
        expect(split([whole]).map((line) => Buffer.from(line.bytes).toString('latin1'))).toEqual([
          ...expected.map((line) => line.replace(/\r$/, '')),
          ...(last === '' ? [] : [last]),
        ]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a line of 20 MB is one line', () => {
    const long = Buffer.alloc(20_000_000, 'x');
    const pieces = Array.from({ length: 306 }, (_, index) =>
      long.subarray(index * 65_536, (index + 1) * 65_536),
    );
    const [line, rest, ...more] = split([...pieces, bytes('\nnext')]);
    expect(line?.whole).toBe(true);
    expect(line?.bytes.length).toBe(20_000_000);
    expect(Buffer.from(rest?.bytes ?? []).toString()).toBe('next');
    expect(more).toEqual([]);
  });

  it('a long line that comes byte by byte costs no more than it should', () => {
    const splitter = splitLines();
    const one = bytes('x');
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 3_000_000; index += 1) splitter.push(one);
    expect(splitter.end()[0]?.bytes.length).toBe(3_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it('a line over the bound comes in pieces, and the next one is whole again', () => {
    const lines = split([bytes('12345678'), bytes('90ab\nnext\n')], 5);
    expect(lines.map(({ bytes, whole }) => [Buffer.from(bytes).toString(), whole])).toEqual([
      ['12345', false],
      ['67890', false],
      ['ab', false],
      ['next', true],
    ]);
  });

  it('a line of exactly the bound is whole, with either ending and with none', () => {
    for (const ending of ['\n', '\r\n', '']) {
      expect(split([bytes(`12345${ending}`)], 5)).toEqual([{ bytes: bytes('12345'), whole: true }]);
    }
  });

  it('pieces lose no byte, hold no more than the bound, and cut no character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 6 }),
        fc.integer({ min: 4, max: 16 }),
        (parts, longest) => {
          const pieces = parts.map((part) => bytes(part.replace(/[\r\n\ufffd]/g, '')));
          const lines = split(pieces, longest);
          expect(Buffer.concat(lines.map((line) => line.bytes))).toEqual(Buffer.concat(pieces));
          for (const line of lines) {
            expect(line.bytes.length).toBeLessThanOrEqual(longest);
            expect(Buffer.from(line.bytes).toString()).not.toContain('\ufffd');
          }
        },
      ),
    );
  });
});
