import type { JsonObject, JsonValue } from '../value.js';
import type { ParsedPattern } from './parse-pattern.js';

/** A place of the document that is being made. */
export interface Site {
  readonly pointer: string;
  /** What the place is called, for values that read well: the name of the member, or of the list around it. */
  readonly name: string;
  /** Which of several like places it is, from 0: the items of a list differ. */
  readonly turn: number;
  readonly depth: number;
  /** The schemas of the places above, to notice recursion. */
  readonly above: ReadonlySet<JsonObject>;
}

/** What the makers of arrays and objects need from the whole. */
export interface Maker {
  /** Makes a value that meets all of `schemas` as far as can be seen from here; throws Misfit if none is left. */
  make(schemas: readonly JsonValue[], site: Site): string;
  /** From now on another value is made for this place, and whatever is made for the places below it. */
  change(pointer: string): void;
  /** Whether the document is still small enough for what need not be there. */
  isRoomy(site: Site): boolean;
  /** Whether a value for these schemas may have to hold another one like those above it. */
  leadsBack(schemas: readonly JsonValue[], above: ReadonlySet<JsonObject>): boolean;
  /** What a regular expression of the schema consists of; undefined where it is nested too deep. */
  parse(pattern: string): ParsedPattern | undefined;
  /** Whether a regular expression of the schema matches; none is tried on a text where it might take long. */
  matches(pattern: string, text: string): boolean;
  /** In characters, whatever a schema demands. */
  readonly longestText: number;
}

/** What is being tried does not work: the next alternative is for the place above. */
export class Misfit extends Error {}
