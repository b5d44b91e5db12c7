// Our own handlers on the SDK's service definition: its adapter writes a stream without waiting for its reader, and goes
// on when its caller is gone.
import { once } from 'node:events';
import type { StreamResponse } from '@a2a-js/sdk';
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerUnaryCall,
  type ServerWritableStream,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { KediError } from '../../domain/errors.js';
import { writeStreamEvent } from '../../protocol/a2a-write.js';
import { paramsOf } from '../../protocol/fields.js';
import { type BindingSurroundings, tell } from '../answer.js';
import type { Caller } from '../caller.js';
import { type Codec, codecs, type MethodCodecs } from '../codecs.js';
import type { Gate } from '../gate.js';
import { findMethod, type Prepared } from '../methods.js';
import { parseForSdk } from '../sdk-answer.js';
import type { CallContext } from '../service.js';
import { checkVersion, extensionsHeader, parseExtensions } from '../service-parameters.js';
import type { ServerTracing } from '../tracing.js';
import { isTainted } from './definition.js';
import { cancelledStatus, type GrpcStatus, refusedStatus, statusOf } from './status.js';

export interface GrpcSurroundings extends Omit<BindingSurroundings, 'streams' | 'maxBody'> {
  readonly gate: Gate;
  readonly requestIds: () => string;
  readonly tracing: ServerTracing | undefined;
  /** Aborts when the server ends: what waits for a task is given up, and the task's end is in the store. */
  readonly closing: AbortSignal;
}

type Call = ServerUnaryCall<unknown, unknown> | ServerWritableStream<unknown, unknown>;

/** The gRPC binding of A2A 1.0 (clause 10), over the same methods as the others, through ProtoJSON. */
export function createGrpcHandlers(surroundings: GrpcSurroundings): UntypedServiceImplementation {
  const { service, logger, extensions: supported } = surroundings;

  /** Everything before the method itself runs; `run` gets what it needs, and errors become a status. */
  async function enter<Request>(
    call: Call,
    {
      method,
      request,
      run,
    }: {
      readonly method: string;
      readonly request: Codec<Request>;
      readonly run: (prepared: Prepared, context: CallContext) => Promise<void>;
    },
  ): Promise<GrpcStatus | undefined> {
    let caller: Caller = { principal: '', requestId: surroundings.requestIds() };
    const gone = new AbortController();
    const end = (): void => gone.abort();
    call.on('cancelled', end);
    // Not AbortSignal.any, by which on Node 20 the signal of the whole server keeps something of every call.
    surroundings.closing.addEventListener('abort', end, { once: true });
    if (surroundings.closing.aborted) end();
    const headers = headersOf(call);
    const span = surroundings.tracing?.serve(`grpc ${method}`, headers);
    let failure: GrpcStatus | undefined;
    try {
      const identity = await surroundings.gate({ headers, address: call.getPeer().replace(/:\d+$/, '') });
      if (!identity.ok) {
        failure = refusedStatus(identity);
        return failure;
      }
      caller = { ...caller, principal: identity.principal };
      checkVersion(parameter(call, 'a2a-version') ?? '');
      if ('request' in call && isTainted(call.request)) {
        throw new KediError(
          'INVALID_PARAMS',
          'A member named __proto__ cannot be read over gRPC; send it as schemaJson or over JSON-RPC.',
        );
      }
      // The call was decoded by this very codec.
      const params = paramsOf(request.toJSON(call.request as Request));
      const prepared = findMethod(method)(params, service);
      const extensions = parseExtensions(parameter(call, 'a2a-extensions'));
      const metadata = new Metadata();
      const active = extensionsHeader([...extensions, ...prepared.named], supported);
      for (const [name, value] of Object.entries(active)) metadata.set(name.toLowerCase(), value);
      call.sendMetadata(metadata);
      const context = { caller, extensions, host: call.getHost(), gone: () => gone.signal };
      const carryOut = () => run(prepared, context);
      await (span === undefined ? carryOut() : span.within(carryOut));
      return undefined;
    } catch (error) {
      // Who has gone is told nothing, and nothing is wrong.
      failure = call.cancelled ? cancelledStatus() : statusOf(tell(error, caller, logger));
      return failure;
    } finally {
      failure?.metadata.set('x-request-id', caller.requestId);
      surroundings.closing.removeEventListener('abort', end);
      span?.end(failure?.details);
    }
  }

  const unary =
    <Request, Result>(
      method: string,
      { request, result }: MethodCodecs<Request, Result>,
    ): handleUnaryCall<Request, Result> =>
    async (call, callback) => {
      let answer: Result | undefined;
      const status = await enter(call, {
        method,
        request,
        run: async (prepared, context) => {
          if (prepared.kind === 'unary')
            answer = result.fromJSON(parseForSdk(await prepared.run(context), 'gRPC'));
        },
      });
      if (status === undefined) callback(null, answer);
      else callback(status);
    };

  const streaming =
    <Request>(
      method: string,
      { request, result }: MethodCodecs<Request, StreamResponse>,
    ): handleServerStreamingCall<Request, StreamResponse> =>
    async (call) => {
      const status = await enter(call, {
        method,
        request,
        run: async (prepared, context) => {
          if (prepared.kind !== 'stream') return;
          for await (const events of prepared.open(context)) {
            for (const event of events) {
              const message = result.fromJSON(parseForSdk(writeStreamEvent(event), 'gRPC'));
              if (!call.write(message)) await once(call, 'drain', { signal: context.gone() });
            }
          }
        },
      });
      if (status === undefined || call.cancelled) call.end();
      else call.emit('error', status);
    };

  return {
    sendMessage: unary('SendMessage', codecs.SendMessage),
    sendStreamingMessage: streaming('SendStreamingMessage', codecs.SendStreamingMessage),
    getTask: unary('GetTask', codecs.GetTask),
    listTasks: unary('ListTasks', codecs.ListTasks),
    cancelTask: unary('CancelTask', codecs.CancelTask),
    subscribeToTask: streaming('SubscribeToTask', codecs.SubscribeToTask),
    createTaskPushNotificationConfig: unary(
      'CreateTaskPushNotificationConfig',
      codecs.CreateTaskPushNotificationConfig,
    ),
    getTaskPushNotificationConfig: unary(
      'GetTaskPushNotificationConfig',
      codecs.GetTaskPushNotificationConfig,
    ),
    listTaskPushNotificationConfigs: unary(
      'ListTaskPushNotificationConfigs',
      codecs.ListTaskPushNotificationConfigs,
    ),
    deleteTaskPushNotificationConfig: unary(
      'DeleteTaskPushNotificationConfig',
      codecs.DeleteTaskPushNotificationConfig,
    ),
    getExtendedAgentCard: unary('GetExtendedAgentCard', codecs.GetExtendedAgentCard),
  };
}

/** A service parameter (10.2). */
function parameter(call: Call, name: string): string | undefined {
  const values = call.metadata.get(name);
  return values.length === 0 ? undefined : values.join(',');
}

const headersOf = (call: Call): Record<string, string> =>
  Object.fromEntries(Object.entries(call.metadata.getMap()).map(([name, value]) => [name, value.toString()]));
