import type { FailureCode } from '../domain/errors.js';
import { isFailureCode } from '../domain/errors.js';
import type { Message } from '../domain/message.js';
import { jsonText, readDocument } from '../schema/document.js';
import { KEDI_STRUCTURED_OUTPUT_URI } from './kedi-extension.js';

/** The URI under which the code of a failed text request stands in the metadata of its status message. */
export const FAILURE_URI = 'urn:kedi-a2a-server:failure:v1';

/** Which failure a task ended with, and where in the schema, the document or the request it lies. */
export interface Failure {
  readonly code: FailureCode;
  readonly pointer?: string;
}

/**
 * The extension and the metadata that tell a client's program why a task ended: under the URI of Kedi structured
 * output where the request was a structured one, well-formed or not, and under our own for all others.
 */
export function describeFailure(failure: Failure, { structured }: { readonly structured: boolean }) {
  const uri = structured || isOfTypedRequest(failure) ? KEDI_STRUCTURED_OUTPUT_URI : FAILURE_URI;
  const { code, pointer } = failure;
  return {
    extensions: [uri],
    metadata: jsonText({ [uri]: { code, ...(pointer !== undefined && { pointer }) } }),
  };
}

/** Reads back what `describeFailure` wrote; undefined for a message without it, or with a code unknown here. */
export function readFailure({ metadata }: Pick<Message, 'metadata'>): Failure | undefined {
  const read = metadata === undefined ? undefined : readDocument(metadata);
  if (read?.ok !== true || !(read.value instanceof Map)) return undefined;
  const described = read.value.get(KEDI_STRUCTURED_OUTPUT_URI) ?? read.value.get(FAILURE_URI);
  if (!(described instanceof Map)) return undefined;
  const code = described.get('code');
  const pointer = described.get('pointer');
  if (typeof code !== 'string' || !isFailureCode(code)) return undefined;
  return { code, ...(typeof pointer === 'string' && { pointer }) };
}

/** A refused request has left no trace of its schema in the log; but only what is wrong with its metadata has a place. */
const isOfTypedRequest = ({ code, pointer }: Failure): boolean =>
  code.startsWith('SCHEMA_') ||
  code.startsWith('RESULT_') ||
  (code === 'REQUEST_MALFORMED' && pointer !== undefined);
