import { expect, test } from 'vitest';
import { Scanner } from '../../src/schema/scanner.js';

test('a long string that was read before is not taken for another that only looks like it', () => {
  const read = (literal: string) => new Scanner(`${literal} `, undefined).string();
  const long = 'x'.repeat(200);
  const literals = [
    `"\\n${long}"`,
    `"\\n${long}\\u0020"`,
    `"\\n${long} "`,
    // As bytes, half of a surrogate pair is the same as the replacement character.
    `"\\n${long}\ud800"`,
    `"\\n${long}\ufffd"`,
    `"\\n${'y'.repeat(70_000)}"`,
  ];
  for (const one of literals) {
    for (const other of literals) {
      expect(read(one)).toBe(JSON.parse(one));
      expect(read(other)).toBe(JSON.parse(other));
      expect(read(other)).toBe(JSON.parse(other));
    }
  }
});
