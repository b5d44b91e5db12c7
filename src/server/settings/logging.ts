import { choice, type Setting } from '../setting.js';

/** What the operator reads. */
export const loggingSettings = {
  logLevel: choice({
    group: 'Logging',
    words: ['debug', 'info', 'warn', 'error'],
    fallback: 'info',
    help: 'The least level that is logged.',
  }),
  logFormat: choice({
    group: 'Logging',
    words: ['auto', 'json', 'pretty'],
    fallback: 'auto',
    help: 'One JSON object a line, or lines for people; `auto` is the latter on a terminal.',
  }),
} as const satisfies Record<string, Setting>;
