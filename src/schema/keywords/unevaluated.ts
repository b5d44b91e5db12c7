import type { Keyword } from '../place.js';
import { spend } from '../run.js';
import { isArray, isObject } from '../value.js';
import { within } from '../violation.js';

/** What members must match that no other keyword was about. */
export const unevaluatedProperties: Keyword = (place) => {
  const node = place.schema.get('unevaluatedProperties');
  if (node === undefined) return;
  const check = place.subschema(node, 'unevaluatedProperties');
  place.checks.last.push((value, run) => {
    const { evaluated } = run;
    if (!isObject(value) || evaluated === undefined || evaluated.everyMember) return undefined;
    spend(run, value.size);
    run.evaluated = undefined;
    for (const [name, member] of value) {
      const failure = evaluated.members.has(name) ? undefined : check(member, run);
      if (failure !== undefined) return within(name, failure);
    }
    run.evaluated = evaluated;
    evaluated.everyMember = true;
    return undefined;
  });
};

/** What items must match that no other keyword was about. */
export const unevaluatedItems: Keyword = (place) => {
  const node = place.schema.get('unevaluatedItems');
  if (node === undefined) return;
  const check = place.subschema(node, 'unevaluatedItems');
  place.checks.last.push((value, run) => {
    const { evaluated } = run;
    if (!isArray(value) || evaluated === undefined) return undefined;
    spend(run, value.length);
    run.evaluated = undefined;
    for (const [index, item] of value.entries()) {
      if (index < evaluated.leadingItems || evaluated.items.has(index)) continue;
      const failure = check(item, run);
      if (failure !== undefined) return within(index, failure);
    }
    run.evaluated = evaluated;
    evaluated.leadingItems = value.length;
    return undefined;
  });
};
