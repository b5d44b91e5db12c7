import type { Span } from '../../schema/document.js';

/**
 * The JSON of a value that the SDK has translated from a text, or to one, of which this is the span. Its numbers are
 * doubles; but metadata and data are documents of somebody else's, and are copied from the same place of the text.
 */
export function graft(value: unknown, span: Span | undefined): string {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => graft(item, span?.items[index])).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return [];
    const written = span?.members.get(name);
    // What is no object as data 0.3 has in an object of its own.
    const isDocument = documents.has(name) && written?.kind === 'object';
    return `${JSON.stringify(name)}:${isDocument ? written.json : graft(member, written)}`;
  });
  return `{${members.join(',')}}`;
}

const documents: ReadonlySet<string> = new Set(['metadata', 'data']);
