/** The bytes of an answer as they come; whoever stops reading closes the connection. Throws what breaks it. */
export async function* bytesOf({ body }: Response): AsyncGenerator<Uint8Array, void, void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // It fails where the connection is broken already, and then there is nothing left to close.
    await reader.cancel().catch(() => {});
  }
}
