import type { FinishReason, Line, OutputEvent } from '../../domain/agent.js';
import type { JsonText } from '../../domain/json.js';
import type { Part } from '../../domain/message.js';

/** Writes the lines of one turn; every line carries the events that it means. */
export interface StreamJson {
  /** A piece of the answer; `startsMessage` where a new message of the agent's begins. */
  delta(text: string, options?: { readonly startsMessage?: boolean; readonly parent?: string }): Line;
  toolCall(call: Omit<Extract<OutputEvent, { type: 'tool_call' }>, 'type'>): Line;
  toolResult(result: Omit<Extract<OutputEvent, { type: 'tool_result' }>, 'type'>): Line;
  status(status: string, text: string): Line;
  /** What a reader may want to see but is not part of the answer (a model's thinking). */
  thinking(text: string): Line;
  artifact(artifact: Omit<Extract<OutputEvent, { type: 'artifact' }>, 'type'>): Line;
  /** What the agent calls this conversation from now on. */
  session(id: string): Line;
  /** The end of the agent's own run: what it cost and why it ended. */
  result(end: {
    readonly finishReason: FinishReason;
    readonly model?: string;
    readonly usage?: JsonText;
    readonly costUsd?: JsonText;
  }): Line;
}

/**
 * Lines in the manner of Claude Code's stream-json, for agents that have none of their own: newline-delimited JSON that
 * a client of the raw stream can read with what it has for Claude Code. `sessionId` names the conversation in them.
 */
export function streamJson({ sessionId }: { readonly sessionId: string }): StreamJson {
  const session = JSON.stringify(sessionId);

  /** `body` is the inside of an object, already JSON, so that numbers in it stay as they were written. */
  const line = (body: string, { parent, events }: { parent?: string; events: OutputEvent[] }): Line => ({
    // Three times as fast as a TextEncoder on lines as short as these.
    raw: Buffer.from(
      `{${body},"session_id":${session},"parent_tool_use_id":${parent === undefined ? 'null' : JSON.stringify(parent)}}`,
    ),
    channel: 'stdout',
    events,
  });

  const block = (type: 'assistant' | 'user', content: string): string =>
    `"type":"${type}","message":{"role":"${type}","content":[${content}]}`;

  return {
    delta: (text, options = {}) =>
      line(
        `"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":${JSON.stringify(text)}}}`,
        { ...options, events: [{ type: 'delta', text, ...options }] },
      ),
    toolCall: (call) =>
      line(
        block(
          'assistant',
          `{"type":"tool_use","id":${JSON.stringify(call.id)},"name":${JSON.stringify(call.name)},"input":${call.input}}`,
        ),
        { ...parentOf(call), events: [{ type: 'tool_call', ...call }] },
      ),
    toolResult: (result) =>
      line(
        block(
          'user',
          `{"type":"tool_result","tool_use_id":${JSON.stringify(result.id)},"content":${JSON.stringify(result.text)},"is_error":${!result.ok}}`,
        ),
        { ...parentOf(result), events: [{ type: 'tool_result', ...result }] },
      ),
    status: (status, text) =>
      line(
        `"type":"system","subtype":"status","status":${JSON.stringify(status)},"message":${JSON.stringify(text)}`,
        { events: [{ type: 'status', status, text }] },
      ),
    thinking: (text) =>
      line(block('assistant', `{"type":"thinking","thinking":${JSON.stringify(text)}}`), {
        events: [{ type: 'raw', text }],
      }),
    artifact: (artifact) =>
      line(
        `"type":"system","subtype":"artifact","artifact_id":${JSON.stringify(artifact.artifactId)},"name":${JSON.stringify(artifact.name ?? null)},"parts":[${artifact.parts.map(partText).join(',')}],"append":${artifact.append},"last_chunk":${artifact.lastChunk}`,
        { events: [{ type: 'artifact', ...artifact }] },
      ),
    session: (id) =>
      line(`"type":"system","subtype":"init","agent_session_id":${JSON.stringify(id)}`, {
        events: [{ type: 'session', id }],
      }),
    result: ({ finishReason, model, usage, costUsd }) =>
      line(
        [
          `"type":"result","subtype":"${finishReason === 'error' ? 'error_during_execution' : 'success'}","is_error":${finishReason === 'error'}`,
          `"finish_reason":"${finishReason}"`,
          ...(model === undefined ? [] : [`"model":${JSON.stringify(model)}`]),
          ...(usage === undefined ? [] : [`"usage":${usage}`]),
          ...(costUsd === undefined ? [] : [`"total_cost_usd":${costUsd}`]),
        ].join(','),
        {
          events: [
            {
              type: 'usage',
              finishReason,
              ...(model === undefined ? {} : { model }),
              ...(usage === undefined ? {} : { usage }),
              ...(costUsd === undefined ? {} : { costUsd }),
            },
          ],
        },
      ),
  };
}

const parentOf = ({ parent }: { readonly parent?: string }): { parent?: string } =>
  parent === undefined ? {} : { parent };

/** A part as A2A's ProtoJSON has it, without the metadata. */
function partText(part: Part): string {
  const keys = [
    contentText(part),
    ...(part.mediaType === undefined ? [] : [`"mediaType":${JSON.stringify(part.mediaType)}`]),
    ...(part.filename === undefined ? [] : [`"filename":${JSON.stringify(part.filename)}`]),
  ];
  return `{${keys.join(',')}}`;
}

function contentText(part: Part): string {
  switch (part.kind) {
    case 'text':
      return `"text":${JSON.stringify(part.text)}`;
    case 'raw':
      return `"raw":"${Buffer.from(part.bytes).toString('base64')}"`;
    case 'url':
      return `"url":${JSON.stringify(part.url)}`;
    case 'data':
      return `"data":${part.json}`;
  }
}
