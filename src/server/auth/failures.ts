import { setTimeout as sleep } from 'node:timers/promises';

/** Counts wrong credentials by address: each is answered late, and too many are refused for a while. */
export interface Failures {
  /** Seconds for which this address is refused now; 0: it is not. */
  wait(address: string): number;
  /** Notes one more, waits a little, and says for how many seconds the address is refused now. */
  note(address: string): Promise<number>;
}

/** More than `most` within `windowMs` are refused until the window is over; `addresses` bounds the memory. */
const bounds = { most: 10, windowMs: 60_000, delayMs: 200, addresses: 10_000 } as const;

export function createFailures({ now }: { readonly now: () => number }): Failures {
  // In the order of the first failure, so that the oldest is the first to be forgotten.
  const counts = new Map<string, { since: number; count: number }>();

  const current = (address: string) => {
    const entry = counts.get(address);
    if (entry === undefined || now() - entry.since < bounds.windowMs) return entry;
    counts.delete(address);
    return undefined;
  };

  const wait = (address: string): number => {
    const entry = current(address);
    if (entry === undefined || entry.count <= bounds.most) return 0;
    return Math.max(1, Math.ceil((entry.since + bounds.windowMs - now()) / 1_000));
  };

  return {
    wait,
    async note(address) {
      const entry = current(address) ?? { since: now(), count: 0 };
      entry.count += 1;
      counts.set(address, entry);
      if (counts.size > bounds.addresses) {
        const [oldest] = counts.keys();
        if (oldest !== undefined) counts.delete(oldest);
      }
      const seconds = wait(address);
      // A refused one is answered at once: waiting would cost us more than it costs a flood.
      if (seconds === 0) await sleep(bounds.delayMs);
      return seconds;
    },
  };
}
