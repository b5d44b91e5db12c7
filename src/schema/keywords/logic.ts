import { apart } from '../evaluated.js';
import { type Keyword, listAt, textAt } from '../place.js';
import type { Check } from '../run.js';
import { type Failure, fail } from '../violation.js';
import { explainBranches } from './branches.js';

/** `$ref`, beside which other keywords still count. */
export const reference: Keyword = (place) => {
  const to = textAt(place, '$ref');
  if (to !== undefined) place.checks.anything.push(place.reference(to, { dynamic: false }));
};

/** `$dynamicRef`, whose target is known while compiling. */
export const dynamicReference: Keyword = (place) => {
  const to = textAt(place, '$dynamicRef');
  if (to !== undefined) place.checks.anything.push(place.reference(to, { dynamic: true }));
};

/** Every branch must match. */
export const allOf: Keyword = (place) => {
  for (const node of listAt(place, 'allOf')) place.checks.anything.push(place.subschema(node, 'allOf'));
};

/** At least one branch must match. */
export const anyOf: Keyword = (place) => {
  const branches = listAt(place, 'anyOf').map((node) => apart(place.subschema(node, 'anyOf')));
  const explain = explainBranches(place, 'anyOf');
  place.checks.anything.push((value, run) => {
    const failures: Failure[] = [];
    for (const branch of branches) {
      const failure = branch(value, run);
      if (failure !== undefined) failures.push(failure);
      // Where annotations are asked for, every branch has its say.
      else if (run.evaluated === undefined) return undefined;
    }
    return failures.length < branches.length ? undefined : explain({ value, failures, run });
  });
};

/** One branch must match, and no other. */
export const oneOf: Keyword = (place) => {
  const branches = listAt(place, 'oneOf').map((node) => apart(place.subschema(node, 'oneOf')));
  const explain = explainBranches(place, 'oneOf');
  place.checks.anything.push((value, run) => {
    const failures: Failure[] = [];
    let passed: number | undefined;
    for (const [index, branch] of branches.entries()) {
      const failure = branch(value, run);
      if (failure !== undefined) failures.push(failure);
      else if (passed === undefined) passed = index;
      else {
        const both = `${passed + 1} and ${index + 1}`;
        return fail({ keyword: 'oneOf', message: `must match only one branch of oneOf, not both ${both}` });
      }
    }
    return passed === undefined ? explain({ value, failures, run }) : undefined;
  });
};

/** The schema that must not match. */
export const not: Keyword = (place) => {
  const node = place.schema.get('not');
  if (node === undefined) return;
  const check = place.subschema(node, 'not');
  const rule = { keyword: 'not', message: 'must not match the schema of not' };
  place.checks.anything.push((value, run) => {
    const { evaluated } = run;
    run.evaluated = undefined;
    const failure = check(value, run);
    run.evaluated = evaluated;
    return failure === undefined ? fail(rule) : undefined;
  });
};

/** `if` with `then` and `else`; by itself it does nothing but evaluate. */
export const condition: Keyword = (place) => {
  const node = place.schema.get('if');
  if (node === undefined) return;
  const holds = apart(place.subschema(node, 'if'));
  const branch = (keyword: string): Check | undefined => {
    const chosen = place.schema.get(keyword);
    return chosen === undefined ? undefined : place.subschema(chosen, keyword);
  };
  const [consequence, alternative] = [branch('then'), branch('else')];
  place.checks.anything.push((value, run) =>
    holds(value, run) === undefined ? consequence?.(value, run) : alternative?.(value, run),
  );
};
