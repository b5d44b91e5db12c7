import { KediError } from '../domain/errors.js';
import { followed } from './evaluated.js';
import { formats } from './formats.js';
import { keywords } from './keywords/table.js';
import type { Checks, Keyword, Place } from './place.js';
import { isResolved, resolve, type Target } from './references.js';
import { refuseSchema, type Steps } from './refuse.js';
import { type Check, enter, inTurn, leave, type Run } from './run.js';
import type { Resource, Survey } from './survey.js';
import { isArray, isNumber, isObject, type JsonObject, type JsonValue } from './value.js';
import { type Failure, fail } from './violation.js';

/** Where subschemas are compiled: in which document, and which of the built-in ones the way there first led into. */
interface Position {
  readonly resource: Resource;
  readonly entry: Resource;
}

/**
 * Turns a surveyed schema into one check made of closures, for what can be reached from its root. Throws KediError
 * SCHEMA_INVALID for a regular expression that does not compile, wherever it stands.
 */
export function assemble(
  { resource: root, patterns }: Survey,
  { assertFormats }: { readonly assertFormats: boolean },
): Check {
  const expressions = new Map([...patterns].map(([source, steps]) => [source, expression(source, steps)]));
  const slots = new Map<Resource, Map<JsonObject, Slot>>();
  const unfilled: (() => void)[] = [];

  function compile(
    node: JsonValue,
    { keyword, at }: { readonly keyword: string; readonly at: Position },
  ): Check {
    if (!isObject(node)) return node === false ? never(keyword) : always;
    const place = placeOf(node, at);
    const used = new Set<Keyword>();
    for (const name of node.keys()) {
      const compileKeyword = keywords.get(name);
      if (compileKeyword !== undefined) used.add(compileKeyword);
    }
    for (const compileKeyword of used) compileKeyword(place);
    return subschema(place.checks);
  }

  function placeOf(schema: JsonObject, at: Position): Place {
    return {
      schema,
      checks: { first: [], anything: [], objects: [], arrays: [], strings: [], numbers: [], last: [] },
      subschema: (node, keyword) => compile(node, { keyword, at }),
      reference(to, { dynamic }) {
        const found = follow(to, at.resource);
        return referTo(dynamic ? override(found, at.entry) : found, at.entry);
      },
      behind(node) {
        const to = isObject(node) ? node.get('$ref') : undefined;
        return typeof to === 'string' ? follow(to, at.resource).node : node;
      },
      pattern: (source) => expressions.get(source) ?? expression(source, []),
      format: (name) => (assertFormats ? formats.get(name) : undefined),
    };
  }

  /** The survey has followed every reference already. */
  function follow(to: string, from: Resource): Target {
    const found = resolve(to, from);
    if (isResolved(found)) return found;
    throw new KediError('INTERNAL', `A reference was lost: ${found.reason}.`);
  }

  /**
   * The dynamic scope of draft 2020-12, section 8.2.3.2, decided while compiling: the outermost document is always the
   * schema itself, and within the built-in ones only the first that was entered can come before the target's own.
   */
  function override(target: Target, entry: Resource): Target {
    const name = target.dynamicName;
    if (name === undefined) return target;
    for (const resource of [root, entry]) {
      const node = resource.dynamicAnchors.get(name);
      if (typeof node === 'boolean' || isObject(node)) return { ...target, node, resource };
    }
    return target;
  }

  /** A reference may lead back into what is being compiled: its check is found in a slot, which is filled later. */
  function referTo({ node, resource }: Target, from: Resource): Check {
    const entry = resource === root || from === root ? resource : from;
    const at = { resource, entry };
    if (!isObject(node)) return compile(node, { keyword: '$ref', at });
    const slot = slots.get(entry)?.get(node) ?? newSlot(node, at);
    return (value, run) => slot.check(value, run);
  }

  function newSlot(node: JsonObject, at: Position): Slot {
    const slot: Slot = { check: always };
    const known = slots.get(at.entry) ?? new Map<JsonObject, Slot>();
    slots.set(at.entry, known.set(node, slot));
    unfilled.push(() => {
      slot.check = compile(node, { keyword: '$ref', at });
    });
    return slot;
  }

  const check = compile(root.root, { keyword: 'false', at: { resource: root, entry: root } });
  for (const fill of unfilled) fill();
  return check;
}

interface Slot {
  check: Check;
}

/** What one schema asks of a value, in order: what is for all kinds of values, for its own kind, and what comes last. */
function subschema({ first, anything, objects, arrays, strings, numbers, last }: Checks): Check {
  const ofAll = inTurn([...first, ...anything]) ?? always;
  const ofObject = inTurn(objects);
  const ofArray = inTurn(arrays);
  const ofString = inTurn(strings);
  const ofNumber = inTurn(numbers);
  const check: Check = (value, run) => {
    enter(run);
    const failure = ofAll(value, run) ?? ofKind(value, run);
    leave(run);
    return failure;
  };
  function ofKind(value: JsonValue, run: Run): Failure | undefined {
    if (typeof value === 'string') return ofString?.(value, run);
    if (isObject(value)) return ofObject?.(value, run);
    if (isArray(value)) return ofArray?.(value, run);
    return isNumber(value) ? ofNumber?.(value, run) : undefined;
  }
  const afterwards = inTurn(last);
  return afterwards === undefined ? check : followed(check, afterwards);
}

const always: Check = () => undefined;

function never(keyword: string): Check {
  const rule = { keyword, message: 'is not allowed' };
  return () => fail(rule);
}

function expression(source: string, steps: Steps): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch {
    refuseSchema('SCHEMA_INVALID', steps, 'not a regular expression of ECMA-262');
  }
}
