import { resolve } from 'node:path';
import { isAllowEntry } from './push/destination.js';
import { readDuration, readSize } from './units.js';

/**
 * One row of the table of settings. A value is text wherever it comes from (flag, environment, file, and the default),
 * so there is one reader, and one sentence when it is wrong.
 */
export interface Setting<Value = unknown> {
  readonly group: 'Agent' | 'Network' | 'Access' | 'Storage' | 'Limits' | 'Logging';
  readonly help: string;
  /** How help names the value; absent for a switch, which may stand without one. */
  readonly value?: string;
  /** Undefined: there is no default, and the setting may be absent. */
  readonly fallback: string | undefined;
  /** How the config file writes it, where not as one plain value; elsewhere a list has commas, an object is JSON. */
  readonly shape?: 'list' | 'object';
  /** Throws an Error that says what is expected; paths are resolved against `directory`. */
  read(text: string, directory: string): Value;
}

type Described = Omit<Setting, 'read' | 'fallback' | 'value'> & { readonly fallback: string };

/** A size in bytes within bounds that are written as sizes are. */
export const size = (row: Described & { readonly from: string; readonly to: string }) =>
  ({
    ...row,
    value: 'SIZE',
    read: within(row, readSize, 'a size such as 64KiB, 1MiB or plain bytes'),
  }) as const;

/** A duration in milliseconds. */
export const duration = (row: Described & { readonly from: string; readonly to: string }) =>
  ({
    ...row,
    value: 'TIME',
    read: within(row, readDuration, 'a time such as 500ms, 30s, 5m, 1h or 7d'),
  }) as const;

/** A whole number. */
export const count = (row: Described & { readonly from: string; readonly to: string }) =>
  ({ ...row, value: 'NUMBER', read: within(row, readCount, 'a whole number') }) as const;

/** One of several words. */
export const choice = <const Word extends string>(row: Described & { readonly words: readonly Word[] }) =>
  ({
    ...row,
    value: row.words.join('|'),
    read: (text: string): Word => {
      const word = row.words.find((candidate) => candidate === text.trim().toLowerCase());
      if (word === undefined) throw new Error(`one of ${row.words.join(', ')} is expected`);
      return word;
    },
  }) as const;

/** A yes or no. As a flag it may stand alone, which means yes. */
export const toggle = (row: Omit<Described, 'fallback'>) =>
  ({
    ...row,
    fallback: 'no',
    read: (text: string): boolean => {
      const word = text.trim().toLowerCase();
      if (['yes', 'true', 'on', '1'].includes(word)) return true;
      if (['no', 'false', 'off', '0'].includes(word)) return false;
      throw new Error('yes or no is expected');
    },
  }) as const;

/** A file or directory; relative ones start where the setting is written: at the config file, else where we run. */
export const readPath = (text: string, directory: string): string => {
  if (text.trim() === '') throw new Error('a path is expected');
  return resolve(directory, text);
};

/** A word that is not empty, such as a host or the name of a kind. */
export const readWord = (text: string): string => {
  const word = text.trim();
  if (word === '' || /\s/.test(word)) throw new Error('one word is expected');
  return word;
};

/** Names with commas between them. */
export const readWords = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** `a b` as OAuth writes it (RFC 6749, 3.3), or `a,b`. */
export const readScopes = (text: string): readonly string[] => readWords(text.replace(/\s+/g, ','));

/** A binding of A2A 1.0 that can be served. */
export type Binding = (typeof bindings)[number];

const bindings = ['json-rpc', 'http-json', 'grpc', 'json-rpc-0.3'] as const;

/** `json-rpc,http-json`: one binding or more, in the order in which the card prefers them. */
export const readBindings = (text: string): readonly Binding[] => {
  const words = readWords(text.toLowerCase());
  const known = bindings.filter((binding) => words.includes(binding));
  if (known.length === 0 || known.length < new Set(words).size) {
    throw new Error(`one or more of ${bindings.join(', ')} are expected`);
  }
  return [...known].sort((one, other) => words.indexOf(one) - words.indexOf(other));
};

/** `10.0.0.0/8,hooks.internal`: where notifications may go. */
export const readDestinations = (text: string): readonly string[] => {
  const entries = readWords(text);
  const wrong = entries.find((entry) => !isAllowEntry(entry));
  if (wrong !== undefined)
    throw new Error(`networks, addresses or host names are expected, and "${wrong}" is none`);
  return entries;
};

/** An http or https URL, as it is written. */
export const readUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error('an absolute http or https URL is expected');
  }
  return text.trim();
};

/** `https://agents.example.org/team`, without the trailing slash. */
export const readPublicUrl = (text: string): string => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash + url.username !== '') {
    throw new Error('an absolute http or https URL without query or credentials is expected');
  }
  return url.href.replace(/\/+$/, '');
};

/** `https://app.example.org,http://localhost:3000`: origins as a browser sends them. */
export const readOrigins = (text: string): readonly string[] =>
  readWords(text).map((item) => {
    const url = URL.canParse(item) ? new URL(item) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== `${url.origin}/`) {
      throw new Error(`origins such as https://app.example.org are expected, and "${item}" is none`);
    }
    return url.origin;
  });

const readCount = (text: string): number | undefined =>
  /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : undefined;

const within =
  (
    row: { readonly from: string; readonly to: string },
    read: (text: string) => number | undefined,
    expected: string,
  ) =>
  (text: string): number => {
    const quantity = read(text);
    if (quantity === undefined) throw new Error(`${expected} is expected`);
    if (quantity < (read(row.from) ?? 0) || quantity > (read(row.to) ?? Number.POSITIVE_INFINITY)) {
      throw new Error(`it must lie between ${row.from} and ${row.to}`);
    }
    return quantity;
  };
