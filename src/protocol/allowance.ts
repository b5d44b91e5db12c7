import { acceptSchema } from '../schema/accept.js';
import { isResolved, resolve } from '../schema/references.js';
import { isArray, isDecimal, isObject, type JsonObject, type JsonValue } from '../schema/value.js';

/** Numbers that a parser makes something else of: of `1e-400` zero, of `1e400` infinity, which is printed as null. */
export type Extreme = 'tiny' | 'huge';

/** Whether a number of this kind may be allowed at this place of a document. In doubt it is. */
export type Allows = (path: readonly (string | number)[], extreme: Extreme) => boolean;

/**
 * Reads a schema, which has been accepted before, as what it allows where. Each subschema is asked once about a place,
 * so neither fans nor circles of references cost.
 */
export function readAllowances(schemaText: string): Allows {
  const { resource } = acceptSchema(schemaText).survey;
  const known = new Map<JsonValue, Allowance>();
  const prefix = longestPrefix(resource.root);

  function allowanceOf(schema: JsonValue): Allowance {
    if (!isObject(schema)) return schema === false ? nothing : anything;
    const before = known.get(schema);
    if (before !== undefined) return before;
    const made = remembering(readOne(schema));
    known.set(schema, made);
    return made;
  }

  function readOne(schema: JsonObject): Allowance {
    const list = (keyword: string): readonly Allowance[] => listIn(schema, keyword).map(allowanceOf);
    // Later, since a schema may refer to the very one that it stands in.
    const applied = later(() =>
      every([
        ...list('allOf'),
        ...['anyOf', 'oneOf'].filter((name) => schema.has(name)).map((name) => some(list(name))),
        ...targetsOf(schema).map(allowanceOf),
      ]),
    );
    return {
      allows: (extreme) => assertionsAllow(schema, extreme) && applied.allows(extreme),
      below: (step) =>
        typesOf(schema)?.includes(typeof step === 'string' ? 'object' : 'array') === false
          ? nothing
          : every([...subschemas(schema, step).map(allowanceOf), applied.below(step)]),
    };
  }

  /** A `$dynamicRef`, and what leads to the built-in meta-schemas, is passed over, as if it allowed anything. */
  function targetsOf(schema: JsonObject): readonly JsonValue[] {
    const reference = schema.get('$ref');
    const target = typeof reference === 'string' ? resolve(reference, resource) : undefined;
    return target !== undefined && isResolved(target) && target.resource === resource ? [target.node] : [];
  }

  return (path, extreme) => {
    let place = allowanceOf(resource.root);
    // What holds for the first item after the longest `prefixItems` holds for all others.
    for (const step of path) place = place.below(typeof step === 'number' ? Math.min(step, prefix) : step);
    return place.allows(extreme);
  };
}

/** What one place allows, and the places below it. */
interface Allowance {
  allows(extreme: Extreme): boolean;
  below(step: string | number): Allowance;
}

const anything: Allowance = { allows: () => true, below: () => anything };
const nothing: Allowance = { allows: () => false, below: () => nothing };

function assertionsAllow(schema: JsonObject, extreme: Extreme): boolean {
  const types = typesOf(schema) ?? ['number'];
  // An integer, too: what was written may have been no integer, and then the document was not valid.
  if (!types.includes('number') && !types.includes('integer')) return false;
  if (!schema.has('const') && !schema.has('enum')) return true;
  // No schema can list a number that is infinite as a double.
  return extreme === 'tiny' && [schema.get('const'), ...listIn(schema, 'enum')].some(isTiny);
}

const isTiny = (value: JsonValue | undefined): boolean =>
  isDecimal(value) && Number(`0.${value.digits}e${value.exponent}`) === 0;

/** Undefined: any. */
function typesOf(schema: JsonObject): readonly JsonValue[] | undefined {
  const type = schema.get('type');
  return type === undefined || isArray(type) ? type : [type];
}

const listIn = (schema: JsonObject, keyword: string): readonly JsonValue[] => {
  const value = schema.get(keyword);
  return isArray(value) ? value : [];
};

const longestPrefix = (value: JsonValue): number =>
  isObject(value)
    ? Math.max(listIn(value, 'prefixItems').length, ...[...value.values()].map(longestPrefix))
    : isArray(value)
      ? Math.max(0, ...value.map(longestPrefix))
      : 0;

/** The subschemas for one member or item; those that only may apply are left out, as if they allowed anything. */
function subschemas(schema: JsonObject, step: string | number): readonly JsonValue[] {
  const present = (value: JsonValue | undefined): readonly JsonValue[] =>
    value === undefined ? [] : [value];
  if (typeof step === 'number') return present(listIn(schema, 'prefixItems')[step] ?? schema.get('items'));
  const properties = schema.get('properties');
  const named = isObject(properties) ? properties.get(step) : undefined;
  if (named !== undefined || schema.has('patternProperties')) return present(named);
  return present(schema.get('additionalProperties'));
}

const every = (parts: readonly Allowance[]): Allowance =>
  remembering({
    allows: (extreme) => parts.every((part) => part.allows(extreme)),
    below: (step) => every(parts.map((part) => part.below(step))),
  });

const some = (parts: readonly Allowance[]): Allowance =>
  remembering({
    allows: (extreme) => parts.some((part) => part.allows(extreme)),
    below: (step) => some(parts.map((part) => part.below(step))),
  });

function later(make: () => Allowance): Allowance {
  let made: Allowance | undefined;
  const get = (): Allowance => {
    made ??= make();
    return made;
  };
  return { allows: (extreme) => get().allows(extreme), below: (step) => get().below(step) };
}

/** A question that comes up again while it is being answered has no bearing on the answer. */
function remembering(inner: Allowance): Allowance {
  const answers = new Map<Extreme, boolean>();
  const places = new Map<string | number, Allowance>();
  return {
    allows(extreme) {
      const before = answers.get(extreme);
      if (before !== undefined) return before;
      answers.set(extreme, true);
      const answer = inner.allows(extreme);
      answers.set(extreme, answer);
      return answer;
    },
    below(step) {
      const before = places.get(step);
      if (before !== undefined) return before;
      places.set(step, anything);
      const place = inner.below(step);
      places.set(step, place);
      return place;
    },
  };
}
