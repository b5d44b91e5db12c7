import type { Outcome, Turn } from '../../domain/agent.js';
import { KediError } from '../../domain/errors.js';
import { extractIsolated } from '../../schema/index.js';
import { remind } from './remind.js';

/**
 * The prompt for an agent that has no way of its own to answer by a schema: what is asked, then the schema's exact
 * text, and on a further attempt what was wrong with the last document. A text request's prompt is returned unchanged.
 */
export function instruct({ prompt, output, refused }: Pick<Turn, 'prompt' | 'output' | 'refused'>): string {
  if (output === undefined) return prompt;
  const paragraphs = [prompt, instruction, `JSON Schema:\n${output.text}`];
  return remind({ prompt: paragraphs.join('\n\n'), refused });
}

const instruction =
  'Answer with one JSON document that is valid against the JSON Schema (draft 2020-12) below, and with nothing else: no explanation, no Markdown fence. Write every number exactly as it is meant, with all of its digits; never as a string unless the schema asks for a string.';

/**
 * The one JSON document in the prose that such an agent answered with, its text as it was written; a claim, until it is
 * checked. None, or more than one candidate: KediError RESULT_MISSING with the reason.
 */
export async function readAnswer(prose: string): Promise<Outcome> {
  const found = await extractIsolated(prose);
  if (!found.ok) throw new KediError('RESULT_MISSING', found.reason);
  return { kind: 'json', document: found.document };
}
