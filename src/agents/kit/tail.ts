import { stripVTControlCharacters } from 'node:util';

/** Takes lines, and keeps the last of them. */
export interface Tail {
  push(line: Uint8Array): void;
  /** The last lines as plain text, clipped; empty where there was nothing but white space. */
  text(): string;
}

const longestLine = 500;

/** Keeps the last few lines of a program's stderr, for the sentence that says why it failed. */
export function openTail({ lines: most = 10 }: { readonly lines?: number } = {}): Tail {
  const lines: string[] = [];
  return {
    push(line) {
      const text = stripVTControlCharacters(
        Buffer.from(line.subarray(0, 4 * longestLine)).toString(),
      ).trimEnd();
      if (text === '') return;
      lines.push(text.length > longestLine ? `${text.slice(0, longestLine)}…` : text);
      if (lines.length > most) lines.shift();
    },
    text: () => lines.join('\n'),
  };
}
