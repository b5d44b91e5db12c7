import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { refuseCostly } from './cost.js';
import { type Refusal, readDocument } from './document.js';
import { isResolved, ownUri, resolve } from './references.js';
import { refuseSchema } from './refuse.js';
import { type Survey, survey } from './survey.js';
import { isObject } from './value.js';

/** A schema that is fit to be compiled, except that its regular expressions have not been tried. */
export interface AcceptedSchema {
  readonly text: JsonText;
  readonly survey: Survey;
}

/** Kedi structured output v1, `maxSchemaBytes`. */
const mostBytes = 32_768;
const deepestText = 200;

/**
 * Reads a schema's text and refuses it where it breaks a rule of JSON, of the meta-schema or of our own: KediError
 * `SCHEMA_…` with the pointer and the reason in one line. Takes time in proportion to the text, whatever it says.
 */
export function acceptSchema(source: string): AcceptedSchema {
  const read = readDocument(source, { depth: deepestText, bytes: mostBytes });
  if (!read.ok) throw unreadable(read);
  const uri = ownUri(read.value);
  if (uri === undefined) refuseSchema('SCHEMA_INVALID', ['$id'], 'must be a URI reference');
  const surveyed = survey(read.value, uri);
  followReferences(surveyed);
  refuseCostly(surveyed);
  return { text: read.json, survey: surveyed };
}

/** About how many bytes of memory an accepted schema takes once it is compiled, rather too many than too few. */
export const weigh = ({ text, survey: { count } }: AcceptedSchema): number => text.length + 1_000 * count;

function unreadable({ fault, reason, offset }: Refusal): KediError {
  const [code, sentence] =
    fault === 'size' || fault === 'depth'
      ? (['SCHEMA_TOO_LARGE', `The schema is ${reason}.`] as const)
      : (['SCHEMA_MALFORMED', `The schema cannot be read: ${reason}, at character ${offset + 1}.`] as const);
  return new KediError(code, sentence, { pointer: '' });
}

/** Every reference must lead somewhere; a schema that only a reference leads to is walked through like the rest. */
function followReferences({ resource, references, has, visit }: Survey): void {
  for (const { to, steps } of references) {
    const target = resolve(to, resource);
    if (!isResolved(target)) refuseSchema(target.code, steps, target.reason);
    const { node } = target;
    if (target.resource === resource && isObject(node) && !has(node)) visit(node, target.steps);
  }
}
