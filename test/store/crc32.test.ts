import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32, crc32Here } from '../../src/store/crc32.js';

test('CRC-32 is the one of ISO 3309, whether Node has it or not', () => {
  // The check value of the catalogues.
  expect(crc32Here(Buffer.from('123456789'))).toBe(0xcbf43926);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      expect(crc32(bytes)).toBe(crc32Here(bytes));
    }),
  );
});
