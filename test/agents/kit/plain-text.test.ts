import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/agents/kit/plain-text.js';

const deltas = (pieces: readonly Uint8Array[]): string[] => {
  const text = plainText();
  return pieces
    .flatMap((piece) => text.push(piece))
    .map((event) => (event.type === 'delta' ? event.text : `unexpected ${event.type}`));
};

const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const sorted = [...new Set(places.map((place) => Math.min(place, bytes.length)))].sort((a, b) => a - b);
  return [0, ...sorted].map((place, index) => bytes.subarray(place, sorted[index] ?? bytes.length));
};

describe("a program's plain text", () => {
  it('streams as it is written, whether or not a line is finished', () => {
    expect(deltas(['to', ' be\n', 'or', '\n'].map((text) => Buffer.from(text)))).toEqual([
      'to',
      ' be',
      '\nor',
    ]);
  });

  it('loses the line breaks at its very end, and no others', () => {
    expect(deltas([Buffer.from('\n\none\r\n\n'), Buffer.from('\n'), Buffer.from('two\n\r\n')])).toEqual([
      '\n\none',
      '\r\n\n\ntwo',
    ]);
    expect(deltas([Buffer.from('\n\n')])).toEqual([]);
  });

  it('is the same text wherever it is cut, within a character too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r\n', '\ufeff'))),
        fc.array(fc.nat(100)),
        (parts, places) => {
          const whole = parts.join('');
          expect(deltas(cut(Buffer.from(whole), places)).join('')).toBe(whole.replace(/[\r\n]+$/, ''));
        },
      ),
    );
  });

  it('shows a byte that is no UTF-8 as U+FFFD', () => {
    expect(deltas([Buffer.from([0x61, 0xff, 0x62])])).toEqual(['a\ufffdb']);
  });

  it('of nothing but line breaks, megabytes of them, is soon done', () => {
    const breaks = Buffer.alloc(65_536, '\n');
    const started = performance.now();
    expect(deltas([...Array.from({ length: 500 }, () => breaks), Buffer.from('x')])[0]?.length).toBe(
      500 * 65_536 + 1,
    );
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
