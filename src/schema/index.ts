import type { Verdict } from '../domain/schema.js';
import { type JudgingOptions, refuseLarge } from './compile.js';
import { extractDocument } from './extract.js';
import { createIsolate } from './isolate.js';

export { KediError } from '../domain/errors.js';
export type { JsonText } from '../domain/json.js';
export type { OutputSchema, SchemaJudge, Verdict, Violation } from '../domain/schema.js';
export { type CompiledSchema, compileSchema, type JudgingOptions } from './compile.js';
export {
  type Bounds,
  type Decimal,
  type JsonValue,
  type Refusal,
  readDocument,
  readSpans,
  type Span,
} from './document.js';
export { extractDocument } from './extract.js';
export { createJudge, type JudgeOptions } from './judge.js';
export { sample } from './sample.js';

/**
 * Compiles a schema and judges a document by it, both in a worker that is killed if it hangs: for schemas of strangers,
 * whose patterns may. Throws KediError `SCHEMA_…` if the schema is refused.
 */
export async function checkIsolated(
  schema: string,
  document: string,
  options: JudgingOptions = {},
): Promise<Verdict> {
  return refuseLarge(document, options) ?? (await shared.check(schema, { document, options }));
}

/**
 * The one JSON document in an agent's prose, as `extractDocument` finds it; in the worker where the prose is long, and
 * to read it for one candidate after the other might take a second.
 */
export async function extractIsolated(prose: string): Promise<ReturnType<typeof extractDocument>> {
  return prose.length > longestInline ? shared.extract(prose) : extractDocument(prose);
}

/** A sample of a schema, as `sample` makes it, in the worker: for schemas of strangers it may try for a second. */
export const sampleIsolated = (schema: string): ReturnType<typeof shared.sample> => shared.sample(schema);

const longestInline = 32_768;

/** Starts its threads with the first job, and never keeps the process alive. */
const shared = createIsolate();
