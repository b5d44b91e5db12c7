import * as v1 from '@agentclientprotocol/sdk';
import * as v2 from '@agentclientprotocol/sdk/experimental/v2';
import { isShape, type Shape } from '../kit/json-line.js';

/** The agent's side of a connection, in either version of the protocol. */
export interface Peer {
  /** The result of a request, of which only the shape is looked at; an error of the agent's: RequestError. */
  request(method: string, params: Shape, signal: AbortSignal): Promise<Shape>;
  close(): void;
}

/** Answers a request of the agent's; `undefined` where there is no such method. */
export type Answers = (method: string, params: Shape) => Promise<Shape> | undefined;

/** Connects as a client that answers what the agent asks of it. */
export function connectPeer(
  stream: v1.Stream,
  { version, answers }: { readonly version: 1 | 2; readonly answers: Answers },
): Peer {
  const answer: Answer = ({ method, params }) => {
    const answered = answers(method, isShape(params) ? params : {});
    if (answered === undefined) throw v1.RequestError.methodNotFound(method);
    return answered;
  };
  const { request, close } = version === 1 ? connectV1(stream, answer) : connectV2(stream, answer);
  return {
    async request(method, params, signal) {
      const result = await request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true });
      return isShape(result) ? result : {};
    },
    close,
  };
}

type Answer = (asked: { readonly method: string; readonly params: unknown }) => Promise<Shape>;

interface Connected {
  request(method: string, params: Shape, options: v1.SendRequestOptions): Promise<unknown>;
  close(): void;
}

const info = { name: 'kedi-a2a' };

function connectV1(stream: v1.Stream, answer: Answer): Connected {
  const connection = v1.client(info).onRequest('*', answer).connect(stream);
  return {
    request: (method, params, options) => connection.agent.request(method, params, options),
    close: () => connection.close(),
  };
}

function connectV2(stream: v2.Stream, answer: Answer): Connected {
  const connection = v2.client(info).onRequest('*', answer).connect(stream);
  return {
    request: (method, params, options) => connection.agent.request(method, params, options),
    close: () => connection.close(),
  };
}
