import type { Readable } from 'node:stream';
import { type BytesLine, splitLines } from './lines.js';

/** What a program wrote: a line of it, or with `pieces` some of its bytes as they came, line endings included. */
export interface OutputLine extends BytesLine {
  readonly channel: 'stdout' | 'stderr';
}

/** Both channels of a program as one stream, in the order in which they were read. */
export interface Output {
  /** Ends when both channels are closed, throws the reason when `signal` aborts. To be called once. */
  lines(signal: AbortSignal): AsyncGenerator<OutputLine, void, void>;
  /** Reads on and keeps nothing, so that a program that is being ended does not hang in a write. */
  discard(): void;
  /** The program is over: what is in the pipes is still read, but a stranger that holds them open is not waited for. */
  settle(): void;
  /** Nothing more is read. */
  close(): void;
}

/** How many bytes may wait for a slow reader before the pipes are no longer read. */
const waitingBytes = 1024 * 1024;

/** For how long nothing may come before a pipe is given up whose program is over. */
const idleMs = 250;

/** `pieces`: stdout is not cut into lines but given as it comes, for programs whose output has no lines. */
export function readOutput(
  channels: { readonly stdout: Readable; readonly stderr: Readable },
  { pieces }: { readonly pieces: boolean },
): Output {
  const streams = [channels.stdout, channels.stderr];
  let waiting: OutputLine[] = [];
  let bytesWaiting = 0;
  let open = streams.length;
  let discarding = false;
  let cameLately = false;
  let settling: NodeJS.Timeout | undefined;
  let wake = (): void => {};

  const flow = (): void => {
    // A program's end resumes its streams by itself, so they are paused again with each block.
    const full = bytesWaiting > waitingBytes;
    for (const stream of streams) if (full !== stream.isPaused()) full ? stream.pause() : stream.resume();
  };

  const close = (): void => {
    for (const stream of streams) stream.destroy();
  };

  /** Looks again and again, and gives the pipes up once they have been silent for a while though they were read. */
  const settle = (): void => {
    if (open === 0) return;
    cameLately = false;
    settling = setTimeout(() => {
      // A busy event loop runs its timers before it reads, so it is given the time to read.
      setImmediate(() => (cameLately || streams.some((stream) => stream.isPaused()) ? settle() : close()));
    }, idleMs);
  };

  const listen = (channel: OutputLine['channel'], cut: (bytes: Buffer) => readonly BytesLine[]): void => {
    const stream = channels[channel];
    stream.on('data', (bytes: Buffer) => {
      cameLately = true;
      if (discarding) return;
      for (const line of cut(bytes)) {
        waiting.push({ channel, bytes: line.bytes, whole: line.whole });
        // Not what is held of a line that has no end yet: nobody can take that, so the pipe would stay paused for ever.
        bytesWaiting += line.bytes.length + 1;
      }
      flow();
      wake();
    });
    // A pipe that breaks has ended, whatever the reason: 'close' follows.
    stream.on('error', () => {});
  };

  const listenToLines = (channel: OutputLine['channel']): void => {
    const splitter = splitLines();
    listen(channel, splitter.push);
    channels[channel].on('close', () => {
      if (!discarding) for (const line of splitter.end()) waiting.push({ channel, ...line });
    });
  };

  if (pieces) listen('stdout', (bytes) => [{ bytes, whole: false }]);
  else listenToLines('stdout');
  listenToLines('stderr');
  for (const stream of streams) {
    stream.on('close', () => {
      open -= 1;
      if (open === 0) clearTimeout(settling);
      wake();
    });
  }

  return {
    async *lines(signal) {
      const onAbort = (): void => wake();
      signal.addEventListener('abort', onAbort);
      try {
        while (true) {
          signal.throwIfAborted();
          if (waiting.length === 0) {
            if (open === 0) return;
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
            continue;
          }
          const batch = waiting;
          waiting = [];
          bytesWaiting = 0;
          for (const line of batch) {
            signal.throwIfAborted();
            yield line;
          }
          if (waiting.length === 0) flow();
        }
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    },
    discard() {
      discarding = true;
      waiting = [];
      bytesWaiting = 0;
      flow();
    },
    settle,
    close,
  };
}
