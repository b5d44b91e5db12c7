import type { Span } from './document.js';

/**
 * The subschema that a `$ref` names, as a span of the schema's text: by pointer or by anchor, with the root's own `$id`
 * before it or not. Undefined where the document has no such place. For those who read a schema and do not judge by it.
 */
export function findTarget(root: Span, reference: string): Span | undefined {
  const hash = reference.indexOf('#');
  const address = hash < 0 ? reference : reference.slice(0, hash);
  if (address !== '' && !isOwnAddress(address, root.members.get('$id')?.string)) return undefined;
  const fragment = hash < 0 ? '' : decode(reference.slice(hash + 1));
  if (fragment === '') return root;
  if (fragment?.startsWith('/')) return findByPointer(root, fragment);
  return fragment === undefined ? undefined : findByAnchor(root, fragment);
}

function isOwnAddress(address: string, id: string | undefined): boolean {
  if (id === undefined) return false;
  if (!URL.canParse(id)) return address === id;
  return URL.canParse(address, id) && new URL(address, id).href === new URL(id).href.replace(/#$/, '');
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function findByPointer(root: Span, pointer: string): Span | undefined {
  let found: Span | undefined = root;
  for (const token of pointer.slice(1).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    found = found?.kind === 'array' ? found.items[Number(name)] : found?.members.get(name);
  }
  return found;
}

/** Keywords whose values are documents and not schemas. */
const documents: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

function findByAnchor(span: Span, name: string): Span | undefined {
  if (span.members.get('$anchor')?.string === name || span.members.get('$dynamicAnchor')?.string === name)
    return span;
  for (const [keyword, member] of span.members) {
    const found = documents.has(keyword) ? undefined : findByAnchor(member, name);
    if (found !== undefined) return found;
  }
  for (const item of span.items) {
    const found = findByAnchor(item, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
