/** The most recently used values, as many as fit into `bytes` by what their keepers say that they weigh. */
export interface Cache<V> {
  get(key: string): V | undefined;
  set(key: string, entry: { readonly value: V; readonly bytes: number }): void;
}

/** An empty cache of so many bytes. */
export function createCache<V>(bytes: number): Cache<V> {
  /** The least recently used first. */
  const entries = new Map<string, { readonly value: V; readonly bytes: number }>();
  let used = 0;
  /** Mostly it is the one that is asked for next; to compare a long key costs less than to look it up. */
  let newest: { readonly key: string; readonly value: V } | undefined;

  function remove(key: string): { readonly value: V; readonly bytes: number } | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    if (newest?.key === key) newest = undefined;
    used -= entry.bytes;
    return entry;
  }

  function set(key: string, entry: { readonly value: V; readonly bytes: number }): void {
    remove(key);
    if (entry.bytes > bytes) return;
    entries.set(key, entry);
    newest = { key, value: entry.value };
    used += entry.bytes;
    for (const oldest of entries.keys()) {
      if (used <= bytes) return;
      remove(oldest);
    }
  }

  return {
    set,
    get(key) {
      if (newest?.key === key) return newest.value;
      const entry = entries.get(key);
      if (entry !== undefined) set(key, entry);
      return entry?.value;
    },
  };
}
