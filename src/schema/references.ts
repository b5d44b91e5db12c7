import { metaschema } from './metaschemas.js';
import type { SchemaCode } from './refuse.js';
import type { Resource } from './survey.js';
import { isArray, isObject, type JsonObject, type JsonValue } from './value.js';

/** Where a reference leads; `dynamicName` is set if it named a `$dynamicAnchor`, which others may then override. */
export interface Target {
  readonly node: JsonObject | boolean;
  readonly resource: Resource;
  readonly steps: readonly string[];
  readonly dynamicName: string | undefined;
}

/** Why it leads nowhere. */
export interface Unresolved {
  readonly code: SchemaCode;
  readonly reason: string;
}

/** For a schema without an `$id`, or with one that is not absolute itself. */
const ownBase = 'schema:///';

/** The URI by which a schema is known to itself: its root's `$id`, without a fragment. Undefined if that is no URI. */
export function ownUri(root: JsonValue): string | undefined {
  const id = isObject(root) ? root.get('$id') : undefined;
  const uri = parseUri(typeof id === 'string' ? id : '', ownBase);
  return uri && withoutFragment(uri);
}

/** Follows a reference from one resource within itself, or to the built-in meta-schemas; nothing is ever fetched. */
export function resolve(reference: string, from: Resource): Target | Unresolved {
  const uri = reference.startsWith('#') ? undefined : parseUri(reference, from.uri);
  const place = uri === undefined ? from.uri : withoutFragment(uri);
  const resource = place === from.uri ? from : metaschema(place);
  if (resource === undefined || (uri === undefined && !reference.startsWith('#'))) {
    return { code: 'SCHEMA_UNSUPPORTED', reason: 'a reference out of the document is not supported' };
  }
  const fragment = decodeFragment((uri?.hash ?? reference).slice(1));
  if (fragment === undefined) return { code: 'SCHEMA_INVALID', reason: 'not a valid reference' };
  return fragment === '' || fragment.startsWith('/')
    ? byPointer(fragment, resource)
    : byAnchor(fragment, resource);
}

/** Whether a reference leads somewhere. */
export const isResolved = (found: Target | Unresolved): found is Target => 'node' in found;

function byPointer(pointer: string, resource: Resource): Target | Unresolved {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  let node: JsonValue | undefined = resource.root;
  for (const step of steps) {
    if (isObject(node)) node = node.get(step);
    else node = isArray(node) && /^(0|[1-9]\d*)$/.test(step) ? node[Number(step)] : undefined;
  }
  return target(node, { resource, steps, dynamicName: undefined });
}

function byAnchor(name: string, resource: Resource): Target | Unresolved {
  const dynamicName = resource.dynamicAnchors.has(name) ? name : undefined;
  return target(resource.anchors.get(name), { resource, steps: [], dynamicName });
}

function target(node: JsonValue | undefined, rest: Omit<Target, 'node'>): Target | Unresolved {
  if (node === undefined) return { code: 'SCHEMA_INVALID', reason: 'a reference to nothing' };
  if (typeof node === 'boolean' || isObject(node)) return { node, ...rest };
  return { code: 'SCHEMA_INVALID', reason: 'a reference to something that is not a schema' };
}

function parseUri(text: string, base: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

const withoutFragment = (uri: URL): string =>
  uri.href.slice(0, uri.href.length - uri.hash.length).replace(/#$/, '');

function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
