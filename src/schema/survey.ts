import { refuseSchema, type Steps } from './refuse.js';
import { type Shape, shapes } from './shapes.js';
import { isArray, isObject, type JsonObject, type JsonValue } from './value.js';

/** A document of schemas under one URI, with the names that it gives to some of them. */
export interface Resource {
  readonly uri: string;
  readonly root: JsonValue;
  readonly anchors: ReadonlyMap<string, JsonValue>;
  readonly dynamicAnchors: ReadonlyMap<string, JsonValue>;
}

/** What one walk through a schema finds; `references` and `patterns` grow when `visit` is called for further places. */
export interface Survey {
  readonly resource: Resource;
  readonly references: readonly { readonly to: string; readonly steps: Steps }[];
  /** Where each regular expression first stands. */
  readonly patterns: ReadonlyMap<string, Steps>;
  readonly hasFormats: boolean;
  /** How many subschemas there are, the root and every `true` and `false` among them. */
  readonly count: number;
  /** Whether this is a schema that was walked through. */
  has(node: JsonObject): boolean;
  /** Walks through a schema at a place that no keyword leads to, but a reference. */
  visit(node: JsonValue, steps: Steps): void;
}

/** The one dialect of JSON Schema that is spoken here. */
export const dialect = 'https://json-schema.org/draft/2020-12/schema';

const mostSubschemas = 4_000;
const deepestNesting = 64;

/**
 * Checks a whole schema against the meta-schema of draft 2020-12 and our own bounds, reachable or not, and gathers
 * what is needed to compile it. Throws KediError SCHEMA_INVALID, SCHEMA_UNSUPPORTED (another dialect, an `$id` below
 * the root) or SCHEMA_TOO_LARGE, with the pointer.
 */
export function survey(root: JsonValue, uri: string): Survey {
  const anchors = new Map<string, JsonValue>();
  const dynamicAnchors = new Map<string, JsonValue>();
  const references: { to: string; steps: Steps }[] = [];
  const patterns = new Map<string, Steps>();
  const visited = new Set<JsonValue>();
  let steps: (string | number)[] = [];
  let hasFormats = false;
  let count = 0;

  function visit(node: JsonValue, nesting: number): void {
    count += 1;
    if (count > mostSubschemas)
      refuseSchema('SCHEMA_TOO_LARGE', steps, `more than ${mostSubschemas} subschemas`);
    if (nesting > deepestNesting) {
      refuseSchema('SCHEMA_TOO_LARGE', steps, `schemas nested more than ${deepestNesting} levels deep`);
    }
    if (typeof node === 'boolean') return;
    if (!isObject(node)) refuseSchema('SCHEMA_INVALID', steps, 'a schema must be an object, true or false');
    visited.add(node);
    for (const [keyword, value] of node) {
      const shape = shapes.get(keyword);
      if (shape === undefined) continue;
      steps.push(keyword);
      if (!shape.fits(value)) refuseSchema('SCHEMA_INVALID', steps, shape.wording);
      note(keyword, value, node);
      visitHeld(shape, value, nesting + 1);
      steps.pop();
    }
  }

  function visitHeld({ holds }: Shape, value: JsonValue, nesting: number): void {
    if (holds === 'schema') visit(value, nesting);
    if (holds === undefined || holds === 'schema' || !(isArray(value) || isObject(value))) return;
    for (const [step, part] of value.entries()) {
      if (holds === 'members but names' && isArray(part)) continue;
      steps.push(step);
      visit(part, nesting);
      steps.pop();
    }
  }

  function note(keyword: string, value: JsonValue, node: JsonObject): void {
    switch (keyword) {
      case '$id':
        if (node !== root)
          refuseSchema('SCHEMA_UNSUPPORTED', steps, 'an $id below the root is not supported');
        return;
      case '$schema':
        if (value !== dialect && value !== `${dialect}#`) {
          refuseSchema('SCHEMA_UNSUPPORTED', steps, `only the dialect ${dialect} is supported`);
        }
        return;
      case '$anchor':
      case '$dynamicAnchor':
        name(String(value), node, keyword === '$dynamicAnchor');
        return;
      case '$ref':
      case '$dynamicRef':
        references.push({ to: String(value), steps: [...steps] });
        return;
      case 'pattern':
        notePattern(String(value));
        return;
      case 'patternProperties':
        if (isObject(value)) for (const pattern of value.keys()) notePattern(pattern);
        return;
      case 'format':
        hasFormats = true;
    }
  }

  function name(anchor: string, node: JsonObject, isDynamic: boolean): void {
    if ((anchors.get(anchor) ?? node) !== node)
      refuseSchema('SCHEMA_INVALID', steps, 'an anchor given twice');
    anchors.set(anchor, node);
    if (isDynamic) dynamicAnchors.set(anchor, node);
  }

  function notePattern(pattern: string): void {
    if (!patterns.has(pattern)) patterns.set(pattern, [...steps]);
  }

  visit(root, 1);
  return {
    resource: { uri, root, anchors, dynamicAnchors },
    references,
    patterns,
    get hasFormats() {
      return hasFormats;
    },
    get count() {
      return count;
    },
    has: (node) => visited.has(node),
    visit: (node, from) => {
      steps = [...from];
      visit(node, 1);
    },
  };
}
