import { AgentCard } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { KediError } from '../../domain/errors.js';
import { writeStreamEvent } from '../../protocol/a2a-write.js';
import type { Params } from '../../protocol/fields.js';
import { readEnvelope, readSpans, type Span } from '../../schema/document.js';
import { type Codec, codecs, type MethodCodecs } from '../codecs.js';
import { findMethod } from '../methods.js';
import { parseForSdk } from '../sdk-answer.js';
import type { CallContext, Service } from '../service.js';
import { graft } from './graft.js';

/** How far a request came, since the SDK's translators say of every error that they do not know that it is internal. */
export interface Progress {
  /** Whether its params could be read as those of A2A 1.0. */
  reached: boolean;
  /** What our method threw. */
  failure: unknown;
  /** The answer, or the event, in the text of A2A 1.0 of which it was translated. */
  answer: Span | undefined;
}

/** Our methods as the interface to which the SDK's translators of older versions speak, for one request's context. */
export function createRequestHandler(
  service: Service,
  {
    context,
    given,
    progress,
  }: {
    readonly context: CallContext;
    /** The params as the client wrote them. */
    readonly given: Params | undefined;
    readonly progress: Progress;
  },
): A2ARequestHandler {
  /** The params of our own reader; what the translator made of a wrong type may be no message at all. */
  const read = <Request>(value: Request, request: Codec<Request>): Params => {
    const translated = readEnvelope(graft(toJson(value, request), given?.span), { depth: 1_000 });
    // A flaw in metadata is the reader's to judge, and must be there again; elsewhere the translator has passed it over.
    if (!translated.ok || translated.flaws.length !== (given?.flaws.length ?? 0)) throw malformed();
    return translated;
  };

  /** Reads what our method gave, and notes it. */
  const translate = <Result>(text: string, result: Codec<Result>): Result => {
    const spans = readSpans(text, { depth: 1_000 });
    progress.answer = spans.ok ? spans.span : undefined;
    return result.fromJSON(parseForSdk(text, 'A2A 0.3'));
  };

  const noted = (error: unknown): unknown => {
    progress.failure = error;
    return error;
  };

  const unary = async <Request, Result>(
    method: string,
    { value, request, result }: Asked<Request, Result>,
  ): Promise<Result> => {
    progress.reached = true;
    try {
      const prepared = findMethod(method)(read(value, request), service);
      if (prepared.kind !== 'unary') throw new KediError('INTERNAL', `${method} is a stream.`);
      return translate(await prepared.run(context), result);
    } catch (error) {
      throw noted(error);
    }
  };

  async function* stream<Request, Event>(method: string, { value, request, result }: Asked<Request, Event>) {
    progress.reached = true;
    try {
      const prepared = findMethod(method)(read(value, request), service);
      if (prepared.kind !== 'stream') throw new KediError('INTERNAL', `${method} is no stream.`);
      for await (const events of prepared.open(context)) {
        for (const event of events) yield translate(writeStreamEvent(event), result);
      }
    } catch (error) {
      throw noted(error);
    }
  }

  return {
    getAgentCard: async () => AgentCard.fromJSON({ capabilities: { streaming: true } }),
    async sendMessage(value) {
      const { payload } = await unary('SendMessage', { value, ...codecs.SendMessage });
      if (payload === undefined) throw noted(new KediError('INTERNAL', 'SendMessage gave no answer.'));
      return payload.value;
    },
    sendMessageStream: (value) => stream('SendStreamingMessage', { value, ...codecs.SendStreamingMessage }),
    resubscribe: (value) => stream('SubscribeToTask', { value, ...codecs.SubscribeToTask }),
    getTask: (value) => unary('GetTask', { value, ...codecs.GetTask }),
    cancelTask: (value) => unary('CancelTask', { value, ...codecs.CancelTask }),
    listTasks: (value) => unary('ListTasks', { value, ...codecs.ListTasks }),
    createTaskPushNotificationConfig: (value) =>
      unary('CreateTaskPushNotificationConfig', { value, ...codecs.CreateTaskPushNotificationConfig }),
    getTaskPushNotificationConfig: (value) =>
      unary('GetTaskPushNotificationConfig', { value, ...codecs.GetTaskPushNotificationConfig }),
    listTaskPushNotificationConfigs: (value) =>
      unary('ListTaskPushNotificationConfigs', { value, ...codecs.ListTaskPushNotificationConfigs }),
    async deleteTaskPushNotificationConfig(value) {
      await unary('DeleteTaskPushNotificationConfig', { value, ...codecs.DeleteTaskPushNotificationConfig });
    },
    async getAuthenticatedExtendedAgentCard() {
      progress.reached = true;
      try {
        return AgentCard.fromJSON(JSON.parse(await service.extendedCard(context)));
      } catch (error) {
        throw noted(error);
      }
    },
  };
}

function toJson<Request>(value: Request, request: Codec<Request>): unknown {
  try {
    return request.toJSON(value);
  } catch (cause) {
    throw malformed(cause);
  }
}

/** What the translator hands over, and how it and the answer are read and written. */
interface Asked<Request, Result> extends MethodCodecs<Request, Result> {
  readonly value: Request;
}

/** The refusal of params that the translator of A2A 0.3 cannot make out. */
export const malformed = (cause?: unknown): KediError =>
  new KediError('INVALID_PARAMS', 'The params do not have the shape that A2A 0.3 gives them.', { cause });
