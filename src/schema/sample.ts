import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { type AcceptedSchema, acceptSchema } from './accept.js';
import { type CompiledSchema, compileAccepted } from './compile.js';
import { draft } from './sample/draft.js';

/**
 * Makes a document that is valid by a schema, the same one every time, and of values that show what they are for. It
 * is checked before it is returned; where none is found within a bounded number of tries, `reason` is a sentence.
 */
export function sample(
  schemaText: string,
): { readonly ok: true; readonly json: JsonText } | { readonly ok: false; readonly reason: string } {
  let accepted: AcceptedSchema;
  let compiled: CompiledSchema;
  try {
    accepted = acceptSchema(schemaText);
    compiled = compileAccepted(accepted, {});
  } catch (error) {
    if (error instanceof KediError) return { ok: false, reason: error.message };
    throw error;
  }
  const drafts = draft(accepted);
  let wrong = '';
  let step = drafts.next('');
  while (!step.done) {
    const verdict = compiled.check(step.value);
    if (verdict.ok) return verdict;
    wrong = ` (of the last one, ${verdict.violation.message})`;
    step = drafts.next(verdict.violation.pointer);
  }
  return { ok: false, reason: `No sample was found for this schema: ${step.value}${wrong}.` };
}
