import type { IncomingMessage } from 'node:http';
import { KediError } from '../domain/errors.js';

/** The path and the query of a request's URL; KediError INVALID_PARAMS where it is no URL. */
export function readTarget({ url = '/' }: IncomingMessage): URL {
  try {
    return new URL(url, 'http://localhost');
  } catch {
    throw new KediError('INVALID_PARAMS', 'The URL of the request cannot be read.');
  }
}

/** The value of a parameter; undefined when it is absent, KediError INVALID_PARAMS when it is there twice. */
export function parameter({ searchParams }: URL, name: string): string | undefined {
  const [value, ...more] = searchParams.getAll(name);
  if (more.length > 0) throw invalid(name, 'must be given once');
  return value;
}

/** A parameter that is `true`, `false`, `1` or `0`. */
export function flagParameter(target: URL, name: string): boolean | undefined {
  const value = parameter(target, name);
  if (value === undefined) return undefined;
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  throw invalid(name, 'must be true, false, 1 or 0');
}

/** A parameter that is a whole number from `from` to `to`. */
export function countParameter(
  target: URL,
  name: string,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const value = parameter(target, name);
  if (value === undefined) return undefined;
  const count = /^[0-9]{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (count >= from && count <= to) return count;
  throw invalid(name, `must be a whole number from ${from} to ${to}`);
}

/** The refusal of a parameter; `description` goes on after its name. */
export const invalid = (field: string, description: string): KediError =>
  new KediError('INVALID_PARAMS', `${field} ${description}.`, { fields: [{ field, description }] });
