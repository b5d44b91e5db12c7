import { KediError } from '../domain/errors.js';

/** Where a page ended, in lists by newest change: the time and the id of its last row. */
export interface Place {
  readonly updatedAt: number;
  readonly id: string;
}

/** The opaque token of a page that begins after this place. */
export const writePage = ({ updatedAt, id }: Place): string =>
  Buffer.from(`${updatedAt}:${id}`, 'utf8').toString('base64url');

/** Reads what `writePage` wrote; anything else: KediError INVALID_PARAMS. */
export function readPage(token: string): Place {
  const text = Buffer.from(token, 'base64url').toString('utf8');
  const [, time, id] = /^(\d{1,15}):([^\0]+)$/s.exec(text) ?? [];
  if (time === undefined || id === undefined || writePage({ updatedAt: Number(time), id }) !== token) {
    throw new KediError('INVALID_PARAMS', 'The page token is not one that this server made.', {
      fields: [{ field: 'pageToken', description: 'It is not a nextPageToken of an earlier answer.' }],
    });
  }
  return { updatedAt: Number(time), id };
}
