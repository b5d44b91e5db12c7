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

test('a name is not taken for another that was read before', () => {
  const read = (name: string) => {
    const scanner = new Scanner(`"${name}":`, undefined);
    return [scanner.name(), scanner.at];
  };
  // More than are kept, of one length; and what a longer one begins with.
  const names = Array.from({ length: 2_000 }, (_, index) => `n${String(index).padStart(5, '0')}`);
  const all = [...names, '', 'n', 'n0000', 'n000001', 'exactly12ch.', 'thirteen ch..', 'é', '😀'];
  for (let times = 0; times < 2; times += 1) {
    for (const name of all) expect(read(name)).toEqual([name, name.length + 2]);
  }
  expect(read('\\u006eame')).toEqual(['name', 11]);
  for (const name of ['n\u0000', 'n\n']) expect(() => read(name)).toThrow('a control character');
  expect(() => new Scanner('"n', undefined).name()).toThrow('the text ends');
});
