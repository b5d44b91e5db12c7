import type { Span } from '../schema/document.js';
import { exactNumber } from '../schema/numbers.js';
import { findTarget } from '../schema/target.js';

/** Numbers that a parser makes something else of: of `1e-400` zero, of `1e400` infinity, which is printed as null. */
export type Extreme = 'tiny' | 'huge';

/** Which of them a schema may allow at one place of a document, and at the places below it. In doubt it allows them. */
export interface Allowance {
  allows(extreme: Extreme): boolean;
  below(step: string | number): Allowance;
}

/** What a schema allows that says nothing. */
export const anything: Allowance = { allows: () => true, below: () => anything };

const nothing: Allowance = { allows: () => false, below: () => nothing };

/** Reads a schema as what it allows; each subschema is asked once, so neither fans nor circles of references cost. */
export function readAllowance(root: Span): Allowance {
  const known = new Map<Span, Allowance>();

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
      below: (step) => every([...subschemas(schema, step).map(allowanceOf), applied.below(step)]),
    };
  }

  return allowanceOf(root);
}

function assertionsAllow({ members }: Span, extreme: Extreme): boolean {
  const type = members.get('type');
  const types = type?.items.map(({ string }) => string) ?? [];
  if (type !== undefined) types.push(type.string);
  const typeAllows =
    type === undefined || types.includes('number') || (extreme === 'huge' && types.includes('integer'));
  const values = [members.get('const'), ...(members.get('enum')?.items ?? [])];
  const listed = members.has('const') || members.has('enum');
  return typeAllows && (!listed || values.some((value) => value !== undefined && isTiny(value, extreme)));
}

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
