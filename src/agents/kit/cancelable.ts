/**
 * Work that has to be told to stop by its signal, and takes its own time to do so, as lines: whoever turns away from it
 * before its end aborts that signal, and waits until it has stopped.
 */
export async function* cancelable<Item, Told, End>(
  start: (signal: AbortSignal) => AsyncGenerator<Item, End, void>,
  { signal, tell }: { readonly signal: AbortSignal; readonly tell: (item: Item) => Iterable<Told> },
): AsyncGenerator<Told, End, void> {
  const leaving = new AbortController();
  const running = start(AbortSignal.any([signal, leaving.signal]));
  let over = false;
  try {
    for (;;) {
      over = true;
      const step = await running.next();
      if (step.done) return step.value;
      over = false;
      yield* tell(step.value);
    }
  } finally {
    if (!over) {
      leaving.abort();
      await stopped(running);
    }
  }
}

async function stopped(running: AsyncGenerator<unknown, unknown, void>): Promise<void> {
  try {
    while ((await running.next()).done !== true);
  } catch {
    // It was told to stop, and says so.
  }
}
