import type { Span } from '../schema/document.js';
import { exactNumber } from '../schema/numbers.js';
import { findTarget } from '../schema/target.js';

/** Numbers that a parser makes something else of: of `1e-400` zero, of `1e400` infinity, which is printed as null. */
export type Extreme = 'tiny' | 'huge';

/** Whether a number of this kind may be allowed at this place of a document. In doubt it is. */
export type Allows = (path: readonly (string | number)[], extreme: Extreme) => boolean;

/**
 * Reads a schema as what it allows where. Each subschema is asked once about a place, so neither fans nor circles of
 * references cost.
 */
export function readAllowances(root: Span): Allows {
  const known = new Map<Span, Allowance>();
  const prefix = longestPrefix(root);

  function allowanceOf(schema: Span): Allowance {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const made = schema.json === 'false' ? nothing : remembering(readOne(schema));
    known.set(schema, made);
    return made;
  }

  function readOne(schema: Span): Allowance {
    const list = (keyword: string): readonly Allowance[] =>
      (schema.members.get(keyword)?.items ?? []).map(allowanceOf);
    const reference = schema.members.get('$ref')?.string;
    const target = reference === undefined ? undefined : findTarget(root, reference);
    // Later, since a schema may refer to the very one that it stands in.
    const applied = later(() =>
      every([
        ...list('allOf'),
        ...['anyOf', 'oneOf'].filter((name) => schema.members.has(name)).map((name) => some(list(name))),
        ...(target === undefined ? [] : [allowanceOf(target)]),
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

  return (path, extreme) => {
    let place = allowanceOf(root);
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

function assertionsAllow(schema: Span, extreme: Extreme): boolean {
  const types = typesOf(schema) ?? ['number'];
  if (!types.includes('number') && !(extreme === 'huge' && types.includes('integer'))) return false;
  const { members } = schema;
  if (!members.has('const') && !members.has('enum')) return true;
  const values = [members.get('const'), ...(members.get('enum')?.items ?? [])];
  return values.some((value) => value !== undefined && isTiny(value, extreme));
}

/** Undefined: any. */
function typesOf({ members }: Span): readonly (string | undefined)[] | undefined {
  const type = members.get('type');
  return type === undefined
    ? undefined
    : type.kind === 'array'
      ? type.items.map(({ string }) => string)
      : [type.string];
}

const longestPrefix = ({ members, items }: Span): number =>
  Math.max(
    members.get('prefixItems')?.items.length ?? 0,
    ...[...members.values(), ...items].map(longestPrefix),
  );

/** A schema cannot list what is infinite as a double. */
const isTiny = ({ kind, json }: Span, extreme: Extreme): boolean =>
  extreme === 'tiny' && kind === 'number' && Number(json) === 0 && exactNumber(json) !== 0;

/** The subschemas for one member or item; those that only may apply are left out, as if they allowed anything. */
function subschemas({ members }: Span, step: string | number): readonly Span[] {
  const present = (span: Span | undefined): readonly Span[] => (span === undefined ? [] : [span]);
  if (typeof step === 'number') {
    const prefix = members.get('prefixItems')?.items ?? [];
    return present(step < prefix.length ? prefix[step] : members.get('items'));
  }
  const named = members.get('properties')?.members.get(step);
  if (named !== undefined || members.has('patternProperties')) return present(named);
  return present(members.get('additionalProperties'));
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
