import { isResolved, resolve } from './references.js';
import { refuseSchema } from './refuse.js';
import type { Survey } from './survey.js';
import { isArray, isObject, type JsonObject, type JsonValue } from './value.js';

const mostSteps = 100_000;
const longestChain = 200;

/** Keywords whose subschemas judge the very value that the schema around them judges. */
const inPlace = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];

/**
 * Refuses a schema by which judging a single value never ends (`$ref` in a circle without a step into the document) or
 * may take more than 100,000 subschemas (references that double at each level): KediError SCHEMA_TOO_COSTLY, before
 * any agent has worked for it.
 */
export function refuseCostly({ resource, references }: Survey): void {
  const costs = new Map<JsonObject, number>();
  const open = new Set<JsonObject>();

  function costOf(node: JsonValue): number {
    if (!isObject(node)) return 1;
    const known = costs.get(node);
    if (known !== undefined) return known;
    if (open.has(node) || open.size > longestChain) return Number.POSITIVE_INFINITY;
    open.add(node);
    let cost = 1;
    for (const part of parts(node)) {
      cost += costOf(part);
      if (cost > mostSteps) break;
    }
    open.delete(node);
    costs.set(node, cost);
    return cost;
  }

  function* parts(node: JsonObject): Generator<JsonValue> {
    for (const keyword of inPlace) {
      const value = node.get(keyword);
      if (isArray(value) || (isObject(value) && keyword === 'dependentSchemas')) yield* value.values();
      else if (value !== undefined) yield value;
    }
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = node.get(keyword);
      const target = typeof reference === 'string' ? resolve(reference, resource) : undefined;
      // The built-in meta-schemas step into the document before they refer to anything again.
      if (target !== undefined && isResolved(target) && target.resource === resource) yield target.node;
    }
  }

  const places = [{ to: '#', steps: [] }, ...references];
  for (const { to, steps } of places) {
    const target = resolve(to, resource);
    const cost = isResolved(target) && target.resource === resource ? costOf(target.node) : 1;
    if (cost === Number.POSITIVE_INFINITY) {
      refuseSchema(
        'SCHEMA_TOO_COSTLY',
        steps,
        'references that lead on without end, or through too many others',
      );
    }
    if (cost > mostSteps) {
      refuseSchema(
        'SCHEMA_TOO_COSTLY',
        steps,
        `judging one value may take more than ${mostSteps} subschemas`,
      );
    }
  }
}
