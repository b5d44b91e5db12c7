import { A2AService } from '@a2a-js/sdk/server/grpc';
import type { ServiceDefinition } from '@grpc/grpc-js';

/** A member of a `google.protobuf.Struct` with this name, as it stands on the wire. */
const prototypeEntry = Buffer.from('\x0a\x09__proto__');

const tainted = new WeakSet<object>();

/** Whether a request may have had members that the SDK's codecs drop without a word, and so says something else now. */
export const isTainted = (request: unknown): boolean =>
  typeof request === 'object' && request !== null && tainted.has(request);

/** The SDK's definition of the service; what its codecs lose of a request is noted. */
export const definition: ServiceDefinition = Object.fromEntries(
  Object.entries<ServiceDefinition[string]>(A2AService).map(([name, method]) => [
    name,
    {
      ...method,
      requestDeserialize(bytes: Buffer): unknown {
        const request: unknown = method.requestDeserialize(bytes);
        if (bytes.includes(prototypeEntry) && typeof request === 'object' && request !== null)
          tainted.add(request);
        return request;
      },
    },
  ]),
);
