/** So many requests a minute for each principal, some of them at once. */
export interface RateLimit {
  /** Takes one request of a principal's; 0: it may pass, else after how many seconds it may come again. */
  take(principal: string): number;
}

/** How many principals are remembered; one that is forgotten begins anew. */
const remembered = 10_000;

/** `perMinute` 0: no limit. A bucket holds what may come within ten seconds, and one request at the least. */
export function createRateLimit({
  perMinute,
  now = Date.now,
}: {
  readonly perMinute: number;
  readonly now?: () => number;
}): RateLimit {
  if (perMinute === 0) return { take: () => 0 };
  const perMs = perMinute / 60_000;
  const size = Math.max(1, perMinute / 6);
  // The one that was used longest ago comes first.
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(principal) {
      const at = now();
      const bucket = buckets.get(principal) ?? { left: size, at };
      const left = Math.min(size, bucket.left + (at - bucket.at) * perMs);
      buckets.delete(principal);
      buckets.set(principal, { left: left >= 1 ? left - 1 : left, at });
      if (buckets.size > remembered) {
        const [oldest] = buckets.keys();
        if (oldest !== undefined) buckets.delete(oldest);
      }
      return left >= 1 ? 0 : Math.max(1, Math.ceil((1 - left) / perMs / 1_000));
    },
  };
}
