import type { IncomingMessage } from 'node:http';
import { KediError } from '../domain/errors.js';

/**
 * The bytes of a request's body. More than `limit` is KediError BODY_TOO_LARGE, at once where the length is announced;
 * a client that breaks off is KediError INVALID_REQUEST.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (settled: () => void): void => {
      request.off('data', take).off('end', end).off('close', broken).off('error', broken);
      settled();
    };
    const tooLarge = (): void => settle(() => reject(bodyTooLarge(limit)));
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) tooLarge();
    };
    const end = (): void =>
      settle(() =>
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
      );
    const broken = (): void =>
      settle(() => reject(new KediError('INVALID_REQUEST', 'The body ended before it was whole.')));
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      reject(bodyTooLarge(limit));
      return;
    }
    request.on('data', take).on('end', end).on('close', broken).on('error', broken);
  });
}

/**
 * Lets the rest of a refused body go by, so that the client can read the answer before the connection closes; a client
 * that sends on is cut off after `bytes` or `milliseconds`.
 */
export function discardBody(
  request: IncomingMessage,
  {
    bytes = 64 * 1024 * 1024,
    milliseconds = 5_000,
  }: { readonly bytes?: number; readonly milliseconds?: number } = {},
): void {
  if (request.complete) return;
  let left = bytes;
  const timer = setTimeout(() => request.destroy(), milliseconds);
  request.on('error', () => {});
  request.once('close', () => clearTimeout(timer));
  request.on('data', (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.destroy();
  });
  request.resume();
}

const bodyTooLarge = (limit: number): KediError =>
  new KediError(
    'BODY_TOO_LARGE',
    `The body is larger than ${limit} bytes, the most that this server takes.`,
    {
      info: { maxBytes: String(limit) },
    },
  );
