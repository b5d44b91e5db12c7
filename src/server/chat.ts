import { openChat } from '../chat/follow.js';
import { eventWriter, type Frame } from '../protocol/agent-output.js';
import { isSessionName } from '../protocol/sse.js';
import type { ChatExchange, Streaming } from './chat-exchange.js';
import {
  beginningIn,
  readCommandId,
  readResumption,
  retrySoon,
  sendNothing,
  unknownTask,
} from './output-request.js';
import { invalid, parameter, readTarget } from './query.js';

/** The number of the frame that tells of a task that is gone: beyond any other, so that nobody comes back after it. */
const beyondAll = Number.MAX_SAFE_INTEGER;

/** `GET /api/v1/agent-output/chat` (agent-output/v1, clause 3). */
export async function serveChat(exchange: ChatExchange): Promise<Streaming> {
  const { request, response, caller, log, streams, checkpoints } = exchange;
  const target = readTarget(request);
  const commandId = readCommandId(target);
  const named = parameter(target, 'session_id');
  if (named !== undefined && !isSessionName(named)) {
    throw invalid('session_id', 'may have letters, digits, ".", "_" and "-", up to 128 of them');
  }
  const resumption = readResumption(request, target);

  const record = await log.get({ principal: caller.principal, taskId: commandId });
  const sessionId = named ?? record?.contextId ?? (typeof resumption === 'object' ? resumption.session : '');
  const from = beginningIn(sessionId, resumption);
  const resuming = typeof from === 'object';
  if (resuming && from.after === beyondAll) return sendNothing(response);

  const stream = streams.attach(response);
  const chat = record && (await openChat(log, record, { from, checkpoints, signal: stream.signal }));
  if (chat?.kind === 'over') return sendNothing(response);
  if (chat?.kind === 'ahead') throw invalid('Last-Event-ID', 'is the id of an event that does not exist yet');
  if (chat?.kind !== 'frames' && !resuming) throw unknownTask();

  const eventOf = eventWriter({ sessionId, commandId });
  stream.start();
  await stream.write(retrySoon);
  if (chat?.kind !== 'frames') {
    await stream.write(eventOf(interrupted));
    stream.end();
    return undefined;
  }
  await stream.writeAll(chat.first, eventOf);
  const { rest } = chat;
  return async () => {
    for await (const frames of rest) await stream.writeAll(frames, eventOf);
    stream.end();
  };
}

const interrupted: Frame = {
  seq: beyondAll,
  line: 0,
  body: {
    event: 'error',
    error: 'There is no such command any more; send the request again.',
    code: 'STREAM_INTERRUPTED',
    figures: {},
  },
};
