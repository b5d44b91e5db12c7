import { isArray, isObject, type JsonObject, type JsonValue } from '../value.js';
import { kindsOf } from './kind.js';

/** Follows the `$ref` or `$dynamicRef` of a schema; undefined where it leads out of the document. */
export type Follow = (reference: string) => JsonValue | undefined;

/** Alternatives, each a list of schemas that all have to be met. */
type Choice = readonly (readonly JsonValue[])[];

/**
 * The ways in which one value may meet all of `schemas`, one after the other: each way is a list of schemas whose
 * references, `allOf`, `anyOf`, `oneOf`, conditions and dependencies have been followed, so that only their other
 * keywords are left to be met. That the branches not taken must fail (`oneOf`, `not`, `if`) is for the check to tell.
 */
export function* waysToMeet(
  schemas: readonly JsonValue[],
  {
    follow,
    above,
    spend,
  }: {
    readonly follow: Follow;
    readonly above: ReadonlySet<JsonObject>;
    /** Called for each step, since there may be more ways than anyone can try. */
    readonly spend: () => void;
  },
): Generator<ReadonlySet<JsonObject>> {
  /** Branches that lead back to what is being made come last, so that recursion ends as soon as it may. */
  function inOrder(branches: readonly JsonValue[]): Choice {
    const again = branches.filter((branch) => leadsBack(branch, { follow, above }));
    return [...branches.filter((branch) => !again.includes(branch)), ...again].map((branch) => [branch]);
  }

  function* expand(
    open: readonly JsonValue[],
    { met, choices }: { readonly met: ReadonlySet<JsonObject>; readonly choices: readonly Choice[] },
  ): Generator<ReadonlySet<JsonObject>> {
    spend();
    const all = new Set(met);
    const left = [...choices];
    const queue = [...open];
    for (const schema of queue) {
      if (schema === false) return;
      if (!isObject(schema) || all.has(schema)) continue;
      all.add(schema);
      const target = followed(schema, follow);
      if (target !== undefined) queue.push(target);
      queue.push(...listOf(schema, 'allOf'));
      for (const keyword of ['anyOf', 'oneOf'])
        if (schema.has(keyword)) left.push(inOrder(listOf(schema, keyword)));
      left.push(...conditions(schema), ...dependencies(schema));
    }
    if (kindsOf(all).length === 0) return;
    const [next, ...later] = left;
    if (next === undefined) yield all;
    else for (const option of next) yield* expand(option, { met: all, choices: later });
  }

  yield* expand(schemas, { met: new Set(), choices: [] });
}

/** Whether a schema is one of those `above`, or refers to one. */
export function leadsBack(
  schema: JsonValue,
  { follow, above }: { readonly follow: Follow; readonly above: ReadonlySet<JsonObject> },
): boolean {
  const met = new Set<JsonValue>();
  for (
    let next: JsonValue | undefined = schema;
    isObject(next) && !met.has(next);
    next = followed(next, follow)
  ) {
    if (above.has(next)) return true;
    met.add(next);
  }
  return false;
}

function followed(schema: JsonObject, follow: Follow): JsonValue | undefined {
  const reference = schema.get('$ref') ?? schema.get('$dynamicRef');
  return typeof reference === 'string' ? follow(reference) : undefined;
}

const listOf = (schema: JsonObject, keyword: string): readonly JsonValue[] => {
  const value = schema.get(keyword);
  return isArray(value) ? value : [];
};

function conditions(schema: JsonObject): readonly Choice[] {
  const condition = schema.get('if');
  if (condition === undefined || !(schema.has('then') || schema.has('else'))) return [];
  return [[[condition, schema.get('then') ?? true], [schema.get('else') ?? true]]];
}

/** Either what depends on a member holds, or the member is not there. */
function dependencies(schema: JsonObject): readonly Choice[] {
  const dependent = schema.get('dependentSchemas');
  if (!isObject(dependent)) return [];
  return [...dependent].map(([name, then]) => [[then], [without(name)]]);
}

const without = (name: string): JsonObject => new Map([['properties', new Map([[name, false]])]]);
