import type { Outcome, Turn } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { extractDocument } from '../../schema/extract.js';

/**
 * The prompt for an agent that has no way of its own to answer by a schema: what is asked, then the schema's exact
 * text, and on a further attempt what was wrong with the last document. A text request's prompt is returned unchanged.
 */
export function instruct({ prompt, output, refused }: Pick<Turn, 'prompt' | 'output' | 'refused'>): string {
  if (output === undefined) return prompt;
  const paragraphs = [
    prompt,
    'Answer with one JSON document that is valid against the JSON Schema (draft 2020-12) below, and with nothing else: no explanation, no Markdown fence. Write every number exactly as it is meant, with all of its digits; never as a string unless the schema asks for a string.',
    `JSON Schema:\n${output.text}`,
  ];
  if (refused !== undefined) paragraphs.push(...reminder(refused));
  return paragraphs.join('\n\n');
}

/**
 * The one JSON document in the prose that such an agent answered with, its text as it was written; a claim, until it is
 * checked. None, or more than one candidate: KediError RESULT_MISSING with the reason.
 */
export function readAnswer(prose: string): Outcome {
  const found = extractDocument(prose);
  if (!found.ok) throw new KediError('RESULT_MISSING', found.reason);
  return { kind: 'json', document: found.document };
}

/**
 * What an agent is told on a further attempt, whichever way it has to answer by a schema: why its last document was
 * refused, and the document, as paragraphs to follow the prompt.
 */
export function reminder({ reason, document }: NonNullable<Turn['refused']>): readonly string[] {
  return [
    `Your last answer was refused: ${reason}`,
    ...(document === '' ? [] : [`It was:\n${clipped(document)}`]),
    'Answer again, with the whole corrected document.',
  ];
}

/** A model that wrote a megabyte of nonsense need not read all of it again. */
const longestReminder = 8_000;

const clipped = (document: string): string =>
  document.length <= longestReminder ? document : `${document.slice(0, longestReminder)} […]`;
