import type { Binding } from '../bindings/binding.js';

/** One thing that a specification asks of a server, in our words. */
export interface Requirement {
  /** `A2A-3.1.1-a`: the specification, the clause, a letter. */
  readonly id: string;
  /** Where it is written. */
  readonly clause: string;
  readonly sentence: string;
}

/** One that is verified over each binding, or over those it is about. */
export interface BindingRequirement extends Requirement {
  readonly bindings?: readonly Binding['name'][];
}

/** One that tests of single parts verify already: `at` names them, a file below test/ and a title in it. */
export interface CitedRequirement extends Requirement {
  readonly at: readonly (readonly [file: string, title: string])[];
}
