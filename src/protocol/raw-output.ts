import type { Entry } from '../domain/task.js';

/** Where an agent's lines are read as it wrote them, below the server's origin. */
export const RAW_PATH = '/api/v1/agent-output/stream';

/** Prints the `data` of one line of the raw stream: its bytes as base64, and as text with U+FFFD for what is no UTF-8. */
export function rawData(
  { raw, channel, at }: Extract<Entry, { type: 'line' }>,
  { commandId, line }: { readonly commandId: string; readonly line: number },
): string {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  return JSON.stringify({
    schema: 'agentic.agent_output.v1',
    event_type: 'chunk',
    command_id: commandId,
    stream: channel,
    timestamp_ms: at,
    data_base64: bytes.toString('base64'),
    text: bytes.toString('utf8'),
    line,
  });
}
