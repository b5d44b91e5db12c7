import { type FailureCode, type FieldViolation, isFailureCode, KediError } from '../domain/errors.js';
import { readRetryAfter } from '../domain/retry-after.js';
import { readSpans, type Span } from '../schema/document.js';
import type { Credentials } from './credentials.js';

/**
 * The error that a response is whose status is a refusal: UNAUTHENTICATED, or RATE_LIMITED with the time to wait, or the
 * code that the peer names. The words are the peer's own where its body has some: a problem document (RFC 9457), or an
 * error of A2A.
 */
export function refusalOf(
  body: string,
  {
    response: { url, status, headers },
    credentials,
  }: { readonly response: Response; readonly credentials: Credentials },
): KediError {
  const read = readSpans(body, { depth: 200 });
  const members = read.ok ? read.span.members : undefined;
  const error = members?.get('error');
  const told = readWords(error?.members.get('message') ?? members?.get('detail'));
  const details = { fields: fieldsOf(error), info: { status: String(status) } };
  const code = reasonIn(error) ?? readCode(members?.get('code'));
  if (status !== TOO_MANY) {
    const sent =
      credentials.kind === 'none' ? 'No credentials were sent.' : 'The credentials sent were refused.';
    const sentence = `${told ?? `${url} answered with HTTP ${status}.`} ${sent}`;
    return new KediError(code ?? 'UNAUTHENTICATED', sentence, details);
  }
  const after = headers.get('retry-after');
  const milliseconds = readRetryAfter(after, Date.now());
  const seconds = milliseconds === undefined ? undefined : Math.ceil(milliseconds / 1_000);
  const wait = seconds === undefined ? '' : ` Try again in ${seconds} s (Retry-After: ${after}).`;
  // No address in it: an agent that stands before the peer passes these words on.
  const sentence = `${told ?? `The agent refuses so many requests (HTTP ${status}).`}${wait}`;
  return new KediError(code ?? 'RATE_LIMITED', sentence, {
    ...details,
    ...(seconds !== undefined && { retryAfterSeconds: seconds }),
  });
}

/** Whether a status refuses its request for want of (other) credentials, or since there are too many requests. */
export const isRefusal = (status: number): boolean => status === 401 || status === 403 || status === TOO_MANY;

const TOO_MANY = 429;

/** The reason that an error of A2A names among its details (`google.rpc.ErrorInfo`), where it is one of our codes. */
export const reasonIn = (error: Span | undefined) =>
  detailsOf(error)
    .filter((detail) => typeOf(detail) === 'google.rpc.ErrorInfo')
    .map((detail) => detail.members.get('reason')?.string ?? '')
    .find(isFailureCode);

/** The fields that an error of A2A finds fault with (`google.rpc.BadRequest`). */
export const fieldsOf = (error: Span | undefined): readonly FieldViolation[] =>
  detailsOf(error)
    .flatMap(({ members }) => members.get('fieldViolations')?.items ?? [])
    .map(({ members }) => ({
      field: members.get('field')?.string ?? '',
      description: members.get('description')?.string ?? '',
    }));

/** JSON-RPC has them under `data`, HTTP+JSON under `details`. */
const detailsOf = (error: Span | undefined): readonly Span[] => [
  ...(error?.members.get('data')?.items ?? []),
  ...(error?.members.get('details')?.items ?? []),
];

const typeOf = (detail: Span): string | undefined =>
  detail.members.get('@type')?.string?.replace(/^.*\//, '');

const readCode = (span: Span | undefined): FailureCode | undefined => {
  const word = span?.string ?? '';
  return isFailureCode(word) ? word : undefined;
};

const readWords = (span: Span | undefined): string | undefined => span?.string?.trim() || undefined;
