import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeSse,
  encodeSse,
  oneLine,
  readCursor,
  type SseEvent,
  writeCursor,
} from '../../src/protocol/sse.js';

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function decode(text: string, size = 1_000): Promise<SseEvent[]> {
  const events: SseEvent[] = [];
  for await (const event of decodeSse(inPieces(text, size))) events.push(event);
  return events;
}

describe('server-sent events', () => {
  it('read back as they were written, wherever the bytes are cut', async () => {
    const field = fc.stringMatching(/^[a-z0-9._-]{1,20}$/);
    const event = fc.record({ event: field, id: field, data: fc.string({ unit: 'grapheme' }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 5 }),
        fc.integer({ min: 1, max: 9 }),
        async (events, size) => {
          const text = events.map(encodeSse).join('');
          const expected = events.map((one) => ({ ...one, data: one.data.replace(/\r\n?/g, '\n') }));
          expect(await decode(text, size)).toEqual(expected);
        },
      ),
    );
  });

  it('keep each line of data, whichever line endings it had', async () => {
    const [event] = await decode(encodeSse({ data: 'a\nb\rc\r\nd\n' }));
    expect(event?.data).toBe('a\nb\nc\nd\n');
  });

  it.each(['a\nb', 'a\rb', 'a\0b'])(
    'refuse an id or a name that would forge or lose an event: %j',
    (text) => {
      expect(() => encodeSse({ id: text, data: '' })).toThrow(/line ending or NUL/);
      expect(() => encodeSse({ event: text, data: '' })).toThrow(/line ending or NUL/);
    },
  );

  it('leave out an event that was cut off before its end', async () => {
    expect(await decode('data: whole\n\ndata: cut')).toHaveLength(1);
  });

  it('are refused when one of them is over the bound', async () => {
    const events = decodeSse(inPieces(`data: ${'x'.repeat(5_000)}`, 100), { maximum: 1_000 });
    await expect(events.next()).rejects.toMatchObject({ code: 'PEER_UNSUITABLE' });
  });

  it('carry JSON on one line, equal to what it was', () => {
    expect(oneLine('{\r\n "a": 78.0\n}')).toBe('{   "a": 78.0 }');
  });
});

describe('a cursor', () => {
  it('reads back as it was written, hyphens in its session included', () => {
    const session = fc.stringMatching(/^[A-Za-z0-9._-]{1,128}$/);
    fc.assert(
      fc.property(session, fc.nat({ max: Number.MAX_SAFE_INTEGER }), (name, seq) => {
        expect(readCursor(writeCursor({ session: name, seq }))).toEqual({ session: name, seq });
      }),
    );
  });

  it('has a last number that everyone can count to', () => {
    expect(readCursor('s-9007199254740991')?.seq).toBe(Number.MAX_SAFE_INTEGER);
    expect(readCursor('s-9007199254740992')).toBeUndefined();
  });

  it.each([
    '',
    '-',
    '-1',
    's-',
    's-01',
    's--',
    's-1.5',
    's-1e3',
    's 1-2',
    's-1\n',
    'ü-1',
    `${'x'.repeat(129)}-1`,
  ])('is nothing else: %j', (text) => {
    expect(readCursor(text)).toBeUndefined();
  });
});
