import type { Json } from '../../support/a2a-host.js';

/** One binding of A2A as the conformance suite drives it: ProtoJSON in and out, whatever is on the wire. */
export interface Binding {
  readonly name: 'JSON-RPC' | 'HTTP+JSON' | 'gRPC';
  /** One operation by the name that A2A gives it (5.3). */
  call(method: string, params: object, options?: CallOptions): Promise<Answer>;
  /** The events of a streaming operation; a refusal is thrown as a `Refused`. */
  stream(method: string, params: object, options?: CallOptions): AsyncGenerator<Json, void, void>;
  close(): void;
}

export interface CallOptions {
  /** Service parameters (3.2.6); `a2a-version` is 1.0 unless it is here. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export type Answer =
  | { readonly ok: true; readonly result: Json; readonly contentType?: string }
  | { readonly ok: false; readonly error: WireError };

/** An error as its binding shows it: the code in the words of that binding, and what `google.rpc.ErrorInfo` says. */
export interface WireError {
  readonly code: number | string;
  readonly message: string;
  readonly reason: string | undefined;
  readonly domain: string | undefined;
}

export class Refused extends Error {
  constructor(readonly error: WireError) {
    super(error.message);
  }
}

export const headersOf = ({ headers }: CallOptions): Record<string, string> => ({
  'a2a-version': '1.0',
  ...headers,
});

/** What the details of an error, in ProtoJSON, say in their `google.rpc.ErrorInfo`. */
export function errorInfoOf(details: Json): Pick<WireError, 'reason' | 'domain'> {
  const info = (details ?? []).find(
    (detail: Json) => detail['@type'] === 'type.googleapis.com/google.rpc.ErrorInfo',
  );
  return { reason: info?.reason, domain: info?.domain };
}
