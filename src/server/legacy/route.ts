import type { IncomingMessage } from 'node:http';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors';
import { ServerCallContext, UnauthenticatedUser } from '@a2a-js/sdk/server';
import { KediError } from '../../domain/errors.js';
import { readCall, writeError, writeResult } from '../../protocol/json-rpc.js';
import { encodeSseData } from '../../protocol/sse.js';
import type { Span } from '../../schema/document.js';
import {
  answerError,
  type BindingSurroundings,
  type Exchange,
  type Route,
  sendJson,
  tell,
} from '../answer.js';
import { wireOf } from '../json-rpc-route.js';
import { requestIdHeader } from '../problem.js';
import { readBody } from '../read-body.js';
import { parseExtensions, readExtensions, versionOf } from '../service-parameters.js';
import { graft } from './graft.js';
import { createRequestHandler, malformed, type Progress } from './request-handler.js';

/** Whether a request speaks A2A 0.3: it says so, or does not say which version, which means 0.3 (A2A 1.0, 3.6.2). */
export const speaksLegacy = (request: IncomingMessage): boolean =>
  /^$|^0\.3(\.\d+)?$/.test(versionOf(request));

/**
 * JSON-RPC of A2A 0.3 for older clients, translated by the SDK. Its types have the numbers of doubles, so metadata and
 * data are taken from the texts; a typed document is bytes in 0.3 too.
 */
export function createLegacyRoute(surroundings: BindingSurroundings): Route {
  return async (request, response, caller) => {
    let exchange: Exchange = { ...surroundings, request, response, caller, wire: wireOf('null') };
    try {
      const body = await readBody(request, surroundings.maxBody);
      const read = readCall(body);
      const id = read.ok ? read.call.id : read.id;
      exchange = { ...exchange, wire: wireOf(id) };
      if (!read.ok) throw read.error;
      const stream = surroundings.streams.attach(response);
      const context = {
        caller,
        extensions: [...readExtensions(request), ...parseExtensions(request.headers[olderName]?.toString())],
        host: request.headers.host,
        gone: () => stream.signal,
      };
      const progress: Progress = { reached: false, failure: undefined, answer: undefined };
      const handler = new LegacyJsonRpcTransportHandler(
        createRequestHandler(surroundings.service, { context, given: read.call.params, progress }),
      );
      const call = new ServerCallContext({ user: new UnauthenticatedUser(), requestedVersion: '0.3' });
      const answered = await handler.handle(waiting(JSON.parse(Buffer.from(body).toString('utf8'))), call);
      if (!(Symbol.asyncIterator in answered)) {
        if (progress.failure !== undefined) throw progress.failure;
        if (isInternal(answered)) {
          throw progress.reached
            ? new KediError('INTERNAL', 'The answer could not be translated.')
            : malformed();
        }
        const named = { [requestIdHeader]: caller.requestId };
        sendJson(response, 200, envelope(id, answered, progress), answered.error === undefined ? {} : named);
        return;
      }
      // What is wrong with the request shows before the first event, and is told as JSON.
      let next = await answered.next();
      stream.start();
      try {
        for (; next.done !== true; next = await answered.next()) {
          await stream.write(encodeSseData(envelope(id, withFinal(next.value, read.call.method), progress)));
        }
      } catch (error) {
        await stream.write(encodeSseData(writeError(id, tell(error, caller, surroundings.logger))));
      } finally {
        await answered.return(undefined);
        stream.end();
      }
    } catch (error) {
      answerError(error, exchange);
    }
  };
}

/** What `A2A-Extensions` was called in 0.3. */
const olderName = 'x-a2a-extensions';

/**
 * A message/send waits for its task unless it says otherwise, as with servers of 0.3; the SDK has it so only where there
 * is no configuration.
 */
function waiting<Call extends LegacyCall>(call: Call): Call {
  const configuration = call?.method === 'message/send' ? call.params?.configuration : undefined;
  if (typeof configuration === 'object' && configuration !== null) configuration.blocking ??= true;
  return call;
}

type LegacyCall = null | {
  readonly method?: unknown;
  readonly params?: null | { readonly configuration?: null | { blocking?: unknown } };
};

/** Whether the SDK met an error that it does not know: before our method was reached, its translator could not read. */
const isInternal = ({ error }: Answered): boolean =>
  isFields(error) && error.code === A2A_ERROR_CODE.INTERNAL_ERROR;

/** The last event of a message's stream says that it is. The SDK knows of ends alone, and a question ends it too. */
function withFinal(answered: Answered, method: string): Answered {
  const { result } = answered;
  if (method !== 'message/stream' || !isFields(result) || !isFields(result.status)) return answered;
  const { state } = result.status;
  const asks = state === 'input-required' || state === 'auth-required';
  return asks && result.kind === 'status-update' ? { result: { ...result, final: true } } : answered;
}

interface Answered {
  readonly result?: unknown;
  readonly error?: unknown;
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** An answer under the id as its client wrote it. */
const envelope = (id: string, answered: Answered, { answer }: Progress): string =>
  answered.error === undefined
    ? writeResult(id, graft(answered.result ?? null, contentOf(answer)))
    : `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(answered.error)}}`;

/** A2A 1.0 has the task, the message or the update in an object that names which it is, and 0.3 has them bare. */
function contentOf(answer: Span | undefined): Span | undefined {
  const [name, content] = [...(answer?.members ?? [])][0] ?? [];
  return name !== undefined && wrappers.has(name) ? content : answer;
}

const wrappers: ReadonlySet<string> = new Set(['task', 'message', 'statusUpdate', 'artifactUpdate']);
