import type { Turn } from '../../domain/agent.js';
import { chatMessages } from '../kit/chat-messages.js';
import { instruct } from '../kit/instruct.js';
import type { OutgoingSchema } from '../kit/outgoing-schema.js';
import { remind } from '../kit/remind.js';
import type { OpenaiSettings } from './options.js';

/**
 * The body of a request, as text: the schema, where there is one for `response_format`, stands in it as it was written,
 * so that no number of it changes on the way out.
 */
export async function writeBody(
  turn: Turn,
  { settings, schema }: { readonly settings: OpenaiSettings; readonly schema: OutgoingSchema | undefined },
): Promise<string> {
  const { model, system, members, native, strict } = settings;
  const prompt = native ? remind(turn) : instruct(turn);
  const messages = chatMessages({ system, history: await turn.history(), prompt });
  const body: Readonly<Record<string, unknown>> = {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...members,
  };
  const texts = Object.entries(body).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`],
  );
  if (schema !== undefined) {
    texts.push(
      `"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":${strict},"schema":${schema.text}}}`,
    );
  }
  return `{${texts.join(',')}}`;
}

/** The headers of a request; the key is read anew for each. */
export function writeHeaders({ headers, key, keyHeader }: OpenaiSettings): Readonly<Record<string, string>> {
  const secret = key?.();
  return {
    accept: 'text/event-stream',
    ...(secret !== undefined &&
      (keyHeader === undefined
        ? { authorization: `Bearer ${secret}` }
        : { [keyHeader.toLowerCase()]: secret })),
    ...headers,
    'content-type': 'application/json',
  };
}
