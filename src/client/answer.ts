import { type FieldViolation, isFailureCode, KediError } from '../domain/errors.js';
import { failureOfCode } from '../protocol/json-rpc.js';
import { readSpans, type Span } from '../schema/document.js';

/**
 * The JSON object of an answer or of an event. An `error` in it becomes the KediError that the peer means: the code
 * that its `google.rpc.ErrorInfo` names (A2A 1.0, 9.5 and 11.6), its sentence, its field violations. Whatever is no
 * answer of A2A: UNAUTHENTICATED or PEER_UNSUITABLE.
 */
export function readAnswer(text: string, { url, status }: Pick<Response, 'url' | 'status'>): Span {
  // A document as deep as is allowed stands some levels down in an answer.
  const read = readSpans(text, { depth: 200 });
  const error = read.ok ? read.span.members.get('error') : undefined;
  if (error !== undefined && error.kind === 'object') throw readError(error, url);
  if (read.ok && read.span.kind === 'object' && status === 200) return read.span;
  const info = { status: String(status) };
  if (status === 401 || status === 403) {
    throw new KediError('UNAUTHENTICATED', `${url} wants other credentials (HTTP ${status}).`, { info });
  }
  const answer = status === 200 ? 'something that is not JSON' : `HTTP ${status}`;
  throw new KediError('PEER_UNSUITABLE', `${url} answered with ${answer}.`, { info });
}

function readError({ members }: Span, url: string): KediError {
  // JSON-RPC has them under `data`, HTTP+JSON under `details`.
  const details = [...(members.get('data')?.items ?? []), ...(members.get('details')?.items ?? [])];
  const reason = details
    .filter((detail) => typeOf(detail) === 'google.rpc.ErrorInfo')
    .map((detail) => detail.members.get('reason')?.string ?? '')
    .find(isFailureCode);
  const code = reason ?? failureOfCode(Number(members.get('code')?.json)) ?? 'PEER_UNSUITABLE';
  const sentence = members.get('message')?.string || `${url} refused without saying why.`;
  return new KediError(code, sentence, { fields: details.flatMap(readViolations) });
}

const typeOf = (detail: Span): string | undefined =>
  detail.members.get('@type')?.string?.replace(/^.*\//, '');

const readViolations = (detail: Span): readonly FieldViolation[] =>
  (detail.members.get('fieldViolations')?.items ?? []).map(({ members }) => ({
    field: members.get('field')?.string ?? '',
    description: members.get('description')?.string ?? '',
  }));
