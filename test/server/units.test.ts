import { describe, expect, it } from 'vitest';
import { readDuration, readSize } from '../../src/server/units.js';

describe('Units', () => {
  it.each([
    ['0', 0],
    ['512', 512],
    ['512B', 512],
    ['1KiB', 1024],
    ['1.5 mib', 1.5 * 1024 ** 2],
    ['8MB', 8_000_000],
    ['2GiB', 2 * 1024 ** 3],
  ])('read the size %s', (text, bytes) => {
    expect(readSize(text)).toBe(bytes);
  });

  it.each(['', '-1', '1e3', '1 2', 'MiB', '1KiBs', '0.1B', '99999999999999GiB', '1constructor'])(
    'know that "%s" is no size',
    (text) => {
      expect(readSize(text)).toBeUndefined();
    },
  );

  it.each([
    ['0', 0],
    ['500ms', 500],
    ['30s', 30_000],
    ['1.5h', 5_400_000],
    ['7 d', 7 * 86_400_000],
  ])('read the time %s', (text, milliseconds) => {
    expect(readDuration(text)).toBe(milliseconds);
  });

  it.each(['', '30', '30 s s', '1y', '-1s', 'toString'])('know that "%s" is no time', (text) => {
    expect(readDuration(text)).toBeUndefined();
  });
});
