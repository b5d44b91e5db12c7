import { describe, expect, it } from 'vitest';
import { openTail } from '../../../src/agents/kit/tail.js';

const tailOf = (lines: readonly string[], options?: { lines: number }): string => {
  const tail = openTail(options);
  for (const line of lines) tail.push(Buffer.from(line));
  return tail.text();
};

describe('the last lines of stderr', () => {
  it('are kept, the earlier ones are not, and empty ones do not count', () => {
    expect(tailOf(['one', 'two', '', 'three', '  '], { lines: 2 })).toBe('two\nthree');
    expect(tailOf([])).toBe('');
  });

  it('are plain text of a bounded length, whatever the program wrote', () => {
    expect(tailOf(['\u001b[31mred\u001b[0m'])).toBe('red');
    expect(tailOf(['x'.repeat(10_000_000)])).toBe(`${'x'.repeat(500)}…`);
  });
});
