import type { JsonText } from '../domain/json.js';
import type { Verdict, Violation } from '../domain/schema.js';
import { type AcceptedSchema, acceptSchema } from './accept.js';
import { assemble } from './assemble.js';
import { type Refusal, readDocument } from './document.js';
import { newRun, TooCostly } from './run.js';
import { toViolation } from './violation.js';

/** How documents are judged. */
export interface JudgingOptions {
  /** Whether `format` is asserted; by default it is an annotation, as draft 2020-12 says. */
  readonly assertFormats?: boolean;
  /** The largest document, in bytes of UTF-8; 8 MiB by default. */
  readonly documentBytes?: number;
  /** How much work the judging of a document may be, in look-ups of a name; 500,000, and 4 a character, by default. */
  readonly fuel?: number;
}

/** A schema of draft 2020-12 that was accepted. */
export interface CompiledSchema {
  readonly text: JsonText;
  /** Judges the text of a document. Never throws for a document, and never takes long but for a regular expression. */
  check(document: string): Verdict;
}

/**
 * Compiles a schema to judge documents by, exactly; throws KediError `SCHEMA_…` with pointer and reason if it is
 * refused. A schema of a stranger's that has patterns is better judged by `checkIsolated`.
 */
export const compileSchema = (text: string, options: JudgingOptions = {}): CompiledSchema =>
  compileAccepted(acceptSchema(text), options);

/** The same, for a schema that `acceptSchema` has read already. */
export function compileAccepted(
  { text, survey }: AcceptedSchema,
  { assertFormats = false, documentBytes = mostBytes, fuel = 500_000 }: JudgingOptions,
): CompiledSchema {
  const check = assemble(survey, { assertFormats });
  return {
    text,
    check(document) {
      const read = readDocument(document, { bytes: documentBytes });
      if (!read.ok) return unreadable(read);
      try {
        const failure = check(read.value, newRun(fuel, document.length));
        if (failure === undefined) return { ok: true, json: read.json };
        return { ok: false, code: 'RESULT_INVALID', violation: toViolation(failure) };
      } catch (error) {
        // A RangeError: the stack, or a text made for comparison, has come to its end before the fuel.
        if (!(error instanceof TooCostly || error instanceof RangeError)) throw error;
        return tooCostly(error.message);
      }
    },
  };
}

/** The verdict on a document that need not be looked into to see that it is too large; undefined for any other. */
export const refuseLarge = (
  document: string,
  { documentBytes = mostBytes }: JudgingOptions,
): Verdict | undefined =>
  document.length > documentBytes
    ? refused('RESULT_TOO_LARGE', { keyword: 'size', message: `larger than ${documentBytes} bytes` })
    : undefined;

/** The verdict on a document that takes more work than it may. */
export const tooCostly = (reason: string): Verdict =>
  refused('RESULT_TOO_COSTLY', { keyword: 'cost', message: reason });

function unreadable({ fault, reason, offset }: Refusal): Verdict {
  if (fault === 'size') return refused('RESULT_TOO_LARGE', { keyword: fault, message: reason });
  const code = fault === 'depth' ? 'RESULT_TOO_LARGE' : 'RESULT_MALFORMED';
  return refused(code, { keyword: fault, message: `${reason}, at character ${offset + 1}`, offset });
}

/** A document is refused as a whole, before or without any rule of its schema; `keyword` then says why. */
const refused = (code: ResultCode, violation: Omit<Violation, 'pointer'>): Verdict => ({
  ok: false,
  code,
  violation: { pointer: '', ...violation },
});

type ResultCode = Extract<Verdict, { ok: false }>['code'];

const mostBytes = 8 * 1_024 * 1_024;
