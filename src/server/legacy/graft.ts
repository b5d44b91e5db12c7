import type { Span } from '../../schema/document.js';
import { documents } from '../sdk-answer.js';

/**
 * The JSON of a value that the SDK has translated from a text, or to one, of which this is the span. Its numbers are
 * doubles; but metadata and data are documents of somebody else's, and are copied from the same place of the text.
 */
export function graft(value: unknown, span: Span | undefined): string {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => graft(item, span?.items[index])).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  // What is no object as data 0.3 has in one of its own, which the metadata says: these two the SDK has made anew.
  const isWrapped =
    ('metadata' in value && says(value.metadata)) ||
    span?.members.get('metadata')?.members.has(wrapped) === true;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return [];
    const written = span?.members.get(name);
    const isDocument = !isWrapped && documents.has(name) && written?.kind === 'object';
    return `${JSON.stringify(name)}:${isDocument ? written.json : graft(member, written)}`;
  });
  return `{${members.join(',')}}`;
}

const wrapped = 'data_part_compat';

const says = (metadata: unknown): boolean =>
  typeof metadata === 'object' && metadata !== null && wrapped in metadata;
