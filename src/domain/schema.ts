import type { FailureCode } from './errors.js';
import type { JsonText } from './json.js';

/** Where and by which rule a document fails: a JSON pointer into it, the schema's keyword, one line of plain words. */
export interface Violation {
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
  /** UTF-16 offset in the document, where it could not even be read. */
  readonly offset?: number;
}

/** What a schema says of a document: `json` is its text without the white space around it. */
export type Verdict =
  | { readonly ok: true; readonly json: JsonText }
  | {
      readonly ok: false;
      readonly code: Extract<FailureCode, `RESULT_${string}`>;
      readonly violation: Violation;
    };

/** A schema that was accepted, ready to judge documents; `text` is what its client sent. Never throws for a document. */
export interface OutputSchema {
  readonly text: JsonText;
  check(document: string): Promise<Verdict>;
}

/** Accepts or refuses schemas (KediError `SCHEMA_…`), in a worker where one might hang. */
export interface SchemaJudge {
  compile(text: string): Promise<OutputSchema>;
  close(): Promise<void>;
}
