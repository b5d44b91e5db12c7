/** Writes to stdout or stderr and resolves once the text has left this process, so that nothing is cut off at exit. */
export const write = (stream: NodeJS.WriteStream, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    if (text === '') return resolve();
    stream.write(text, (error) => (error instanceof Error ? reject(error) : resolve()));
  });
