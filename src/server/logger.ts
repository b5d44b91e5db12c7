import type { LogFields, Logger } from '../domain/ports.js';

const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

/** What a logger writes to: stderr, or a test's own list of lines. */
export interface LogSink {
  write(text: string): unknown;
  readonly isTTY?: boolean;
}

/**
 * Logs one line an event on `sink`: a JSON object (`time`, `level`, `message`, then the fields), or a line for people.
 * `bound` fields stand on every line. Callers pass ids and figures; no prompt, document or secret is ever a field.
 */
export function createLogger({
  sink,
  level,
  format,
  bound = {},
  now = Date.now,
}: {
  readonly sink: LogSink;
  readonly level: Level;
  readonly format: 'auto' | 'json' | 'pretty';
  readonly bound?: LogFields;
  readonly now?: () => number;
}): Logger {
  const pretty = format === 'pretty' || (format === 'auto' && sink.isTTY === true);
  const write =
    (line: Level) =>
    (message: string, fields: LogFields = {}) => {
      if (levels.indexOf(line) < levels.indexOf(level)) return;
      const event = { time: new Date(now()).toISOString(), level: line, message, ...bound, ...fields };
      sink.write(pretty ? prettyLine(event) : `${JSON.stringify(event)}\n`);
    };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

const colours: Readonly<Record<Level, string>> = {
  debug: '\u001b[2m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};

function prettyLine(
  event: LogFields & { readonly time: string; readonly level: Level; readonly message: string },
) {
  const { time, level, message, ...fields } = event;
  const tail = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(
      ([name, value]) => ` \u001b[2m${name}=\u001b[0m${typeof value === 'string' ? printable(value) : value}`,
    );
  return `${time.slice(11, 19)} ${colours[level]}${level.padEnd(5)}\u001b[0m ${printable(message)}${tail.join('')}\n`;
}

/** A peer's text must not move the operator's cursor or forge a line. */
const printable = (text: string): string =>
  text.replace(/\p{Cc}/gu, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
