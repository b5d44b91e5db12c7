import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/server/logger.js';

const record = (options: Partial<Parameters<typeof createLogger>[0]> & { readonly isTTY?: boolean }) => {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'debug',
    format: 'auto',
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    ...options,
    sink: { isTTY: options.isTTY ?? false, write: (text) => lines.push(text) },
  });
  return { logger, lines };
};

describe('Logger', () => {
  it('writes one JSON object a line, its bound fields on each', () => {
    const { logger, lines } = record({ bound: { pid: 7 } });
    logger.info('started\nanew', { port: 80, agent: 'demo', nothing: undefined });
    expect(lines).toEqual([
      '{"time":"2026-01-02T03:04:05.006Z","level":"info","message":"started\\nanew","pid":7,"port":80,"agent":"demo"}\n',
    ]);
  });

  it('leaves out what is below its level', () => {
    const { logger, lines } = record({ level: 'warn' });
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    expect(lines.map((line) => /"message":"(.)"/.exec(line)?.[1])).toEqual(['c', 'd']);
  });

  it('writes for people on a terminal, one line an event whatever a field holds', () => {
    const { logger, lines } = record({ isTTY: true });
    logger.warn('odd', { reason: 'a\u001b[2J\u009b\nb' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('03:04:05');
    expect(lines[0]).toContain('a\\u001b[2J\\u009b\\u000ab\n');
  });

  it('writes JSON on a terminal when told to', () => {
    const { logger, lines } = record({ isTTY: true, format: 'json' });
    logger.error('x');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', message: 'x' });
  });
});
