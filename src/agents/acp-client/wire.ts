import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { oneLine } from '../../protocol/sse.js';
import { isShape } from '../kit/json-line.js';
import type { AgentProcess } from '../kit/process.js';

/** A process as the SDK's stream: lines are handed in by whoever reads them, messages go out on its stdin. */
export interface Wire {
  readonly stream: Stream;
  /** Hands in a line of stdout. A banner, and notifications, of which nobody but the decoder makes anything, are left out. */
  deliver(line: Uint8Array): void;
  /** No line will come any more. */
  end(): void;
}

/**
 * `exact`: texts that stand in outgoing messages as the JSON string of their key, and go out as they are; so no digit
 * of a schema is lost on its way.
 */
export function openWire(
  child: Pick<AgentProcess, 'write'>,
  { exact }: { readonly exact: Readonly<Record<string, string>> },
): Wire {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined;
  const readable = new ReadableStream<AnyMessage>({
    start(started) {
      controller = started;
    },
    cancel() {
      controller = undefined;
    },
  });
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      let line = JSON.stringify(message);
      for (const [slot, text] of Object.entries(exact)) {
        line = line.replace(JSON.stringify(slot), () => oneLine(text));
      }
      await child.write(`${line}\n`);
    },
  });
  return {
    stream: { readable, writable },
    deliver(line) {
      const message = parsed(line);
      if (isMessage(message)) controller?.enqueue(message);
    },
    end() {
      controller?.close();
      controller = undefined;
    },
  };
}

function parsed(line: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(line).toString());
  } catch {
    return undefined;
  }
}

const isMessage = (value: unknown): value is AnyMessage =>
  isShape(value) && value.jsonrpc === '2.0' && 'id' in value;
