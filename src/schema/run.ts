import type { Evaluated } from './evaluated.js';
import type { JsonValue } from './value.js';
import type { Failure } from './violation.js';

/** The judging of one document: what is left of its fuel, how deep it is, and what has been evaluated so far. */
export interface Run {
  fuel: number;
  depth: number;
  /** Which parts of the present value were evaluated; undefined while no `unevaluated…` keyword asks for it. */
  evaluated: Evaluated | undefined;
}

/**
 * Judges one value by one rule. Who survives the failure of a check (`anyOf`, `not`, `contains`) sets `run.evaluated`
 * to what it was before, since the check may have left it in any state.
 */
export type Check<T = JsonValue> = (value: T, run: Run) => Failure | undefined;

/** A document of so many characters may use `fuel`, and a little more for each of them. */
export const newRun = (fuel: number, characters: number): Run => ({
  fuel: fuel + 4 * characters,
  depth: 0,
  evaluated: undefined,
});

/** Thrown by `spend` and `enter`; the judging of this document ends without a verdict. */
export class TooCostly extends Error {}

/** How many subschemas may be at work inside each other: far more than 128 levels of a document need, far below the stack. */
const deepest = 1_000;

/** Charges for work that grows with the document or the schema: one unit is about the price of looking up a name. */
export function spend(run: Run, units: number): void {
  run.fuel -= units;
  if (run.fuel < 0) throw new TooCostly('more work than a document of this size may cause');
}

/** Charges for one call of a subschema, and counts it until `leave`. */
export function enter(run: Run): void {
  spend(run, 1);
  run.depth += 1;
  if (run.depth > deepest) throw new TooCostly(`more than ${deepest} subschemas inside each other`);
}

/** Ends what `enter` began. */
export function leave(run: Run): void {
  run.depth -= 1;
}

/** Whether an expression is found in a text. The engine compiles it when it first runs, and may give up only then. */
export function isFound(expression: RegExp, text: string): boolean {
  try {
    return expression.test(text);
  } catch (cause) {
    throw new TooCostly('a pattern beyond what the regular expressions of this machine can do', { cause });
  }
}

/** One check that makes all of `checks` in turn; undefined if there are none. */
export function inTurn<T>(checks: readonly Check<T>[]): Check<T> | undefined {
  const [first, second] = checks;
  if (first === undefined || second === undefined) return first;
  if (checks.length === 2) return (value, run) => first(value, run) ?? second(value, run);
  return (value, run) => {
    for (const check of checks) {
      const failure = check(value, run);
      if (failure !== undefined) return failure;
    }
    return undefined;
  };
}
