import type { JsonText } from '../../domain/json.js';
import { readSpans, type Span } from '../../schema/document.js';

/** The copy of a schema that a model is given; the schema that judges stays as the client sent it. */
export interface OutgoingSchema {
  readonly text: string;
  /** The document that was asked for, from the one that answers this copy: its exact text. */
  unwrap(document: string): string;
}

/**
 * Adapts a schema to models that take only objects at the root: any other is put under the one property `value`.
 * `$schema` is left out, since some programs know no dialect at all. `closed`: objects take no further properties and
 * require all that they have, as OpenAI's strict mode wants.
 */
export function outgoingSchema(
  schema: JsonText,
  { closed = false }: { readonly closed?: boolean } = {},
): OutgoingSchema {
  const read = readSpans(schema);
  if (!read.ok) return { text: schema, unwrap: (document) => document };
  const root = read.span;
  if (isPlainObject(root)) {
    const text = print(root, { closed, root: '#', omit: ['$schema'] });
    return { text, unwrap: (document) => document };
  }
  // References into the document now start one level deeper.
  const inner = print(root, { closed, root: `#/properties/${wrapper}`, omit: ['$schema', '$id'] });
  const text = `{"type":"object","properties":{"${wrapper}":${inner}},"required":["${wrapper}"],"additionalProperties":false}`;
  return { text, unwrap };
}

const wrapper = 'value';

const opening = new RegExp(`^[ \\t\\r\\n]*\\{[ \\t\\r\\n]*"${wrapper}"[ \\t\\r\\n]*:[ \\t\\r\\n]*`);

/**
 * What stands between the wrapper's braces, unread, since the check reads it: with anything beside the one property
 * that is no JSON, and whatever has no wrapper is no answer to the schema either.
 */
function unwrap(document: string): string {
  const open = opening.exec(document)?.[0].length;
  const brace = endOf(document, document.length) - 1;
  if (open === undefined || document.charAt(brace) !== '}') return document;
  return document.slice(open, endOf(document, brace));
}

/** Where the text before `end` ends without the white space of JSON, which is less than that of JavaScript. */
function endOf(text: string, end: number): number {
  let at = end;
  while (at > 0 && ' \t\r\n'.includes(text.charAt(at - 1))) at -= 1;
  return at;
}

/** Whether the root is an object and nothing else, said in the one way that every model's API understands. */
const isPlainObject = (root: Span): boolean =>
  root.members.get('type')?.string === 'object' &&
  !['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if', 'enum', 'const'].some((keyword) =>
    root.members.has(keyword),
  );

interface Manner {
  readonly closed: boolean;
  /** Where the root of the schema stands in the copy. */
  readonly root: string;
  /** Keywords to leave out of this schema, not of those within. */
  readonly omit: readonly string[];
}

const oneSchema = new Set([
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'unevaluatedItems'],
  ...['unevaluatedProperties', 'not', 'if', 'then', 'else', 'contentSchema'],
]);
const manySchemas = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'properties', 'patternProperties'],
  ...['$defs', 'definitions', 'dependentSchemas'],
]);

function print(schema: Span, manner: Manner): string {
  if (schema.kind !== 'object') return schema.json;
  const members = new Map<string, string>();
  for (const [keyword, span] of schema.members) {
    if (!manner.omit.includes(keyword)) members.set(keyword, printKeyword(keyword, span, manner));
  }
  if (manner.closed) close(schema, members);
  return `{${[...members].map(([keyword, text]) => `${JSON.stringify(keyword)}:${text}`).join(',')}}`;
}

function printKeyword(keyword: string, span: Span, manner: Manner): string {
  const inner = { ...manner, omit: [] };
  if (oneSchema.has(keyword)) return print(span, inner);
  if (manySchemas.has(keyword)) {
    if (span.kind === 'array') return `[${span.items.map((item) => print(item, inner)).join(',')}]`;
    const pairs = [...span.members].map(([name, each]) => `${JSON.stringify(name)}:${print(each, inner)}`);
    return `{${pairs.join(',')}}`;
  }
  if (keyword === '$ref' && manner.root !== '#' && span.string !== undefined) {
    if (span.string === '#') return JSON.stringify(manner.root);
    if (span.string.startsWith('#/')) return JSON.stringify(`${manner.root}${span.string.slice(1)}`);
  }
  return span.json;
}

/** A map of names to values stays as it is: it has no properties to require, and closed it could only be empty. */
function close(schema: Span, members: Map<string, string>): void {
  const properties = schema.members.get('properties');
  const isMap = schema.members.get('additionalProperties')?.kind === 'object';
  if (properties === undefined && (isMap || schema.members.get('type')?.string !== 'object')) return;
  if (!isMap) members.set('additionalProperties', 'false');
  members.set('required', JSON.stringify([...(properties?.members.keys() ?? [])]));
}
