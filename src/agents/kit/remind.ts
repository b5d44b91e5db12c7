import type { Turn } from '../../domain/agent.js';

/**
 * The prompt for an agent that is given the schema apart from it: what is asked, and on a further attempt why the last
 * document was refused.
 */
export function remind({ prompt, refused }: Pick<Turn, 'prompt' | 'refused'>): string {
  if (refused === undefined) return prompt;
  const last = refused.document;
  return [
    prompt,
    `The document you gave for this was refused: ${refused.reason}`,
    ...(last === '' ? [] : [`It was:\n${clipped(last)}`]),
    'Give the whole corrected document.',
  ].join('\n\n');
}

/** A model that wrote a megabyte of nonsense need not read all of it again. */
const longestReminder = 8_000;

const clipped = (document: string): string =>
  document.length <= longestReminder ? document : `${document.slice(0, longestReminder)} […]`;
