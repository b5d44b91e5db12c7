import { type Check, type Run, spend } from './run.js';

/** The annotations of JSON Schema that matter to a verdict: which members and items of one value were evaluated. */
export interface Evaluated {
  everyMember: boolean;
  readonly members: Set<string>;
  /** How many items from the first on. */
  leadingItems: number;
  /** Further items, which `contains` matched. */
  readonly items: Set<number>;
}

/** A check that may fail without failing the schema around it: what it evaluated counts only where it passes. */
export const apart =
  (check: Check): Check =>
  (value, run) => {
    const { evaluated } = run;
    run.evaluated = evaluated && nothingEvaluated();
    const failure = check(value, run);
    const own = run.evaluated;
    run.evaluated = evaluated;
    if (failure === undefined) merge(run, own);
    return failure;
  };

/** A check followed by one that sees what it evaluated, and nothing that others did before. */
export const followed =
  (check: Check, last: Check): Check =>
  (value, run) => {
    const { evaluated } = run;
    run.evaluated = nothingEvaluated();
    const failure = check(value, run) ?? last(value, run);
    const own = run.evaluated;
    run.evaluated = evaluated;
    if (failure === undefined) merge(run, own);
    return failure;
  };

const nothingEvaluated = (): Evaluated => ({
  everyMember: false,
  members: new Set(),
  leadingItems: 0,
  items: new Set(),
});

function merge(run: Run, from: Evaluated | undefined): void {
  const into = run.evaluated;
  if (into === undefined || from === undefined) return;
  spend(run, from.members.size + from.items.size);
  into.everyMember ||= from.everyMember;
  into.leadingItems = Math.max(into.leadingItems, from.leadingItems);
  for (const name of from.members) into.members.add(name);
  for (const index of from.items) into.items.add(index);
}
