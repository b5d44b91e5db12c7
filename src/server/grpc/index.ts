import { setMaxListeners } from 'node:events';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { KediError } from '../../domain/errors.js';
import { definition } from './definition.js';
import { createGrpcHandlers, type GrpcSurroundings } from './handlers.js';

/** The port of the gRPC binding, beside that of HTTP. */
export interface GrpcServer {
  /** `127.0.0.1:8001`, as the card has it (A2A 1.0, 4.4.6). */
  readonly address: string;
  /** Ends all calls and frees the port. */
  close(): Promise<void>;
}

/**
 * Serves A2A over gRPC without TLS: off loopback a proxy in front of it ends TLS, as for HTTP. The port cannot be
 * bound: KediError SETTINGS_INVALID.
 */
export async function listenGrpc(
  surroundings: Omit<GrpcSurroundings, 'closing'>,
  { host, port, maxBody }: { readonly host: string; readonly port: number; readonly maxBody: number },
): Promise<GrpcServer> {
  const server = new Server({
    'grpc.max_receive_message_length': maxBody,
    // A result of 8 MiB is beyond what gRPC sends unless it is told.
    'grpc.max_send_message_length': -1,
    'grpc.keepalive_time_ms': 30_000,
  });
  const closing = new AbortController();
  // Every call that is under way listens.
  setMaxListeners(0, closing.signal);
  server.addService(definition, createGrpcHandlers({ ...surroundings, closing: closing.signal }));
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${name}:${port}`, ServerCredentials.createInsecure(), (error, actual) => {
      if (error === null) resolve(actual);
      else reject(cannotBind(`${name}:${port}`, error));
    });
  });
  return {
    address: `${name}:${bound}`,
    async close() {
      closing.abort();
      const cutOff = setTimeout(() => server.forceShutdown(), 1_000);
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
      clearTimeout(cutOff);
    },
  };
}

const cannotBind = (address: string, cause: Error): KediError =>
  new KediError(
    'SETTINGS_INVALID',
    `Cannot listen for gRPC on ${address}; choose another with --grpc-port.`,
    {
      cause,
    },
  );
