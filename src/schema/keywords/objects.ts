import { countAt, type Keyword, membersAt, namesAt, type Place } from '../place.js';
import { isFound, type Run, spend } from '../run.js';
import type { JsonObject, JsonValue } from '../value.js';
import { type Failure, fail, quote, within } from '../violation.js';

/** `properties`, `patternProperties` and `additionalProperties` together, since each needs to know the others' names. */
export const members: Keyword = (place) => {
  const listed = membersAt(place, 'properties').map(([name, node]) => ({
    name,
    check: place.subschema(node, 'properties'),
  }));
  const others = otherMembers(place, new Set(listed.map(({ name }) => name)));
  place.checks.objects.push((object, run) => {
    spend(run, listed.length);
    const { evaluated } = run;
    run.evaluated = undefined;
    let present = 0;
    for (const { name, check } of listed) {
      const member = object.get(name);
      if (member === undefined) continue;
      present += 1;
      const failure = check(member, run);
      if (failure !== undefined) return within(name, failure);
    }
    run.evaluated = evaluated;
    if (evaluated !== undefined) {
      for (const { name } of listed) if (object.has(name)) evaluated.members.add(name);
    }
    return others?.(object, present, run);
  });
};

/** What is asked of members that `properties` does not list, or that it lists and a pattern matches as well. */
function otherMembers(place: Place, listed: ReadonlySet<string>) {
  const patterns = membersAt(place, 'patternProperties').map(([source, node]) => ({
    expression: place.pattern(source),
    check: place.subschema(node, 'patternProperties'),
  }));
  const rest = place.schema.get('additionalProperties');
  const additional = rest === undefined ? undefined : place.subschema(rest, 'additionalProperties');
  if (additional === undefined && patterns.length === 0) return undefined;

  /** Judges one member, and tells whether any schema was for it. */
  function judge(name: string, member: JsonValue, run: Run): Failure | boolean {
    let matched = listed.has(name);
    for (const { expression, check } of patterns) {
      spend(run, 1 + name.length / 4);
      if (!isFound(expression, name)) continue;
      matched = true;
      const failure = check(member, run);
      if (failure !== undefined) return failure;
    }
    if (matched || additional === undefined) return matched;
    return additional(member, run) ?? true;
  }

  return (object: JsonObject, present: number, run: Run): Failure | undefined => {
    const { evaluated } = run;
    if (present < object.size || patterns.length > 0) {
      spend(run, object.size);
      run.evaluated = undefined;
      for (const [name, member] of object) {
        const judged = judge(name, member, run);
        if (typeof judged === 'object') return within(name, judged);
        if (judged) evaluated?.members.add(name);
      }
      run.evaluated = evaluated;
    }
    return undefined;
  };
}

/** Which members must be there. */
export const required: Keyword = (place) => {
  const rules = namesAt(place, 'required').map((name) => missing('required', name));
  if (rules.length === 0) return;
  place.checks.objects.push((object, run) => {
    spend(run, rules.length);
    for (const { name, rule } of rules) if (!object.has(name)) return fail(rule);
    return undefined;
  });
};

/** Which members must be there if another one is. */
export const dependentRequired: Keyword = (place) => {
  const dependents = membersAt(place, 'dependentRequired').map(([name, names]) => ({
    name,
    rules: (Array.isArray(names) ? names : []).map((other) => missing('dependentRequired', String(other))),
  }));
  place.checks.objects.push((object, run) => {
    for (const { name, rules } of dependents) {
      spend(run, 1);
      if (!object.has(name)) continue;
      spend(run, rules.length);
      for (const { name: other, rule } of rules) if (!object.has(other)) return fail(rule);
    }
    return undefined;
  });
};

/** What the whole object must match if it has a certain member. */
export const dependentSchemas: Keyword = (place) => {
  const dependents = membersAt(place, 'dependentSchemas').map(([name, node]) => ({
    name,
    check: place.subschema(node, 'dependentSchemas'),
  }));
  place.checks.objects.push((object, run) => {
    for (const { name, check } of dependents) {
      spend(run, 1);
      const failure = object.has(name) ? check(object, run) : undefined;
      if (failure !== undefined) return failure;
    }
    return undefined;
  });
};

/** What the names must match, as strings. */
export const propertyNames: Keyword = (place) => {
  const node = place.schema.get('propertyNames');
  if (node === undefined) return;
  const check = place.subschema(node, 'propertyNames');
  place.checks.objects.push((object, run) => {
    const { evaluated } = run;
    run.evaluated = undefined;
    for (const name of object.keys()) {
      const failure = check(name, run);
      if (failure !== undefined) return within(name, failure);
    }
    run.evaluated = evaluated;
    return undefined;
  });
};

/** How many members there must be. */
export const minProperties = size('minProperties', 'at least', (count, least) => count >= least);
/** How many members there may be. */
export const maxProperties = size('maxProperties', 'at most', (count, most) => count <= most);

function size(keyword: string, wording: string, holds: (count: number, limit: number) => boolean): Keyword {
  return (place) => {
    const limit = countAt(place, keyword);
    if (limit === undefined) return;
    const rule = {
      keyword,
      message: `must have ${wording} ${limit === 1 ? '1 member' : `${limit} members`}`,
    };
    place.checks.objects.push((object) => (holds(object.size, limit) ? undefined : fail(rule)));
  };
}

const missing = (keyword: string, name: string) => ({
  name,
  rule: { keyword, message: `must have the member ${quote(name)}` },
});
