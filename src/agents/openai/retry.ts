import { readRetryAfter } from '../../domain/retry-after.js';

/** The longest that is waited because an endpoint asks for it. */
const longestMs = 60_000;

/** Whether a refusal may pass by itself; an endpoint may say so in `x-should-retry`. */
export function isPassing({ status, headers }: Pick<Response, 'status' | 'headers'>): boolean {
  const told = headers.get('x-should-retry');
  if (told === 'true' || told === 'false') return told === 'true';
  return status === 429 || status >= 500;
}

/**
 * Milliseconds to wait before the next try: what the endpoint asks for in `Retry-After` (RFC 9110, 10.2.3: seconds or a
 * date), at most a minute; else half a second, doubled with each try up to 8 s, and up to a quarter less, so that many
 * who were refused together do not come back together.
 */
export function waitBefore(
  tried: number,
  { headers, now, random = Math.random }: { headers: Headers; now: number; random?: () => number },
): number {
  const asked = readRetryAfter(headers.get('retry-after'), now);
  if (asked !== undefined) return Math.min(asked, longestMs);
  return Math.round(Math.min(500 * 2 ** tried, 8_000) * (1 - random() / 4));
}
