import { type NumberedLine, openRaw } from '../chat/raw.js';
import { rawData } from '../protocol/raw-output.js';
import { encodeSse, writeCursor } from '../protocol/sse.js';
import type { ChatExchange, Streaming } from './chat-exchange.js';
import {
  beginningIn,
  readCommandId,
  readResumption,
  retrySoon,
  sendNothing,
  unknownTask,
} from './output-request.js';
import { countParameter, invalid, parameter, readTarget } from './query.js';

/** `GET /api/v1/agent-output/stream`: a task's lines as the agent wrote them, with `{session}-{line}` as their ids. */
export async function serveRaw({
  request,
  response,
  caller,
  log,
  streams,
}: ChatExchange): Promise<Streaming> {
  const target = readTarget(request);
  const commandId = readCommandId(target);
  const channel = readChannel(target);
  const limit = countParameter(target, 'limit', { from: 0, to: 1_000_000_000 });
  const resumption = readResumption(request, target);

  const record = await log.get({ principal: caller.principal, taskId: commandId });
  if (record === undefined) throw unknownTask();
  const session = record.contextId;
  const from = beginningIn(session, resumption);

  const stream = streams.attach(response);
  const lines = await openRaw(log, record, { from, channel, limit, signal: stream.signal });
  if (lines === undefined) return sendNothing(response);

  const eventOf = ({ line, replayed, entry }: NumberedLine): string =>
    encodeSse({
      event: replayed ? 'agent_output.replay' : 'agent_output',
      id: writeCursor({ session, seq: line }),
      data: rawData(entry, { commandId, line }),
    });
  stream.start();
  await stream.write(retrySoon);
  return async () => {
    for await (const batch of lines) await stream.writeAll(batch, eventOf);
    stream.end();
  };
}

function readChannel(target: URL): 'stdout' | 'stderr' | undefined {
  const channel = parameter(target, 'stream')?.trim().toLowerCase();
  if (channel === undefined || channel === '') return undefined;
  if (channel === 'stdout' || channel === 'stderr') return channel;
  throw invalid('stream', 'must be stdout or stderr');
}
