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
  let newest: string | undefined;

  function remove(key: string): { readonly value: V; readonly bytes: number } | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    used -= entry.bytes;
    return entry;
  }

  function set(key: string, entry: { readonly value: V; readonly bytes: number }): void {
    remove(key);
    if (entry.bytes > bytes) return;
    entries.set(key, entry);
    newest = key;
    used += entry.bytes;
    for (const oldest of entries.keys()) {
      if (used <= bytes) return;
      remove(oldest);
    }
  }

  return {
    set,
    get(key) {
      const entry = entries.get(key);
      // Mostly it is the one of last time, and stays where it is.
      if (entry !== undefined && key !== newest) set(key, entry);
      return entry?.value;
    },
  };
}
