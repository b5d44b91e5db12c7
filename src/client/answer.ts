import { KediError } from '../domain/errors.js';
import { failureOfCode } from '../protocol/json-rpc.js';
import { readSpans, type Span } from '../schema/document.js';
import { fieldsOf, reasonIn } from './refusal.js';

/**
 * The JSON object of an answer or of an event. An `error` in it becomes the KediError that the peer means: the code
 * that its `google.rpc.ErrorInfo` names (A2A 1.0, 9.5 and 11.6), its sentence, its field violations. Whatever is no
 * answer of A2A: PEER_UNSUITABLE.
 */
export function readAnswer(text: string, { url, status }: Pick<Response, 'url' | 'status'>): Span {
  // A document as deep as is allowed stands some levels down in an answer.
  const read = readSpans(text, { depth: 200 });
  const error = read.ok ? read.span.members.get('error') : undefined;
  if (error !== undefined && error.kind === 'object') throw readError(error, url);
  if (read.ok && read.span.kind === 'object' && status === 200) return read.span;
  const answer = status === 200 ? 'something that is not JSON' : `HTTP ${status}`;
  throw new KediError('PEER_UNSUITABLE', `${url} answered with ${answer}.`, {
    info: { status: String(status) },
  });
}

function readError(error: Span, url: string): KediError {
  const { members } = error;
  const code = reasonIn(error) ?? failureOfCode(Number(members.get('code')?.json)) ?? 'PEER_UNSUITABLE';
  const sentence = members.get('message')?.string || `${url} refused without saying why.`;
  return new KediError(code, sentence, { fields: fieldsOf(error) });
}
