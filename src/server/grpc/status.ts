import { encodeGrpcStatusDetails, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { Metadata, status } from '@grpc/grpc-js';
import type { KediError } from '../../domain/errors.js';
import { httpJsonStatus } from '../../protocol/http-json.js';
import type { Identity } from '../auth/index.js';

/** How a call over gRPC ends without a result. */
export interface GrpcStatus extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** The status of an error (A2A 1.0, 10.6), with its reason by name in `google.rpc.ErrorInfo`. */
export function statusOf({ code, message, info, pointer, retryAfterSeconds }: KediError): GrpcStatus {
  const number = codes.get(httpJsonStatus(code).status) ?? status.INTERNAL;
  const metadata = new Metadata();
  const about = { ...info, ...(pointer !== undefined && { pointer }) };
  metadata.set(GRPC_STATUS_DETAILS_BIN, encodeGrpcStatusDetails(number, message, code, about));
  if (retryAfterSeconds !== undefined) metadata.set('retry-after', String(retryAfterSeconds));
  return grpcStatus(number, { details: message, metadata });
}

/** The status of a caller that is not let in. */
export function refusedStatus(refused: Extract<Identity, { readonly ok: false }>): GrpcStatus {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(refused.headers)) metadata.set(name.toLowerCase(), value);
  return grpcStatus(refusals[refused.status], { details: refused.detail, metadata });
}

/** The status of a call that its caller has given up. */
export const cancelledStatus = (): GrpcStatus =>
  grpcStatus(status.CANCELLED, { details: 'The call was canceled.', metadata: new Metadata() });

const grpcStatus = (
  code: number,
  { details, metadata }: { readonly details: string; readonly metadata: Metadata },
): GrpcStatus => Object.assign(new Error(details), { code, details, metadata });

const codes: ReadonlyMap<string, number> = new Map(
  Object.entries(status).flatMap(([name, code]) => (typeof code === 'number' ? [[name, code]] : [])),
);

const refusals = {
  401: status.UNAUTHENTICATED,
  403: status.PERMISSION_DENIED,
  429: status.RESOURCE_EXHAUSTED,
  503: status.UNAVAILABLE,
} as const;
