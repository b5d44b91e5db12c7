import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { KediError } from '../domain/errors.js';

/** How long a client may take, in milliseconds. */
export interface Patience {
  readonly headersMs: number;
  /** For the request with its body. */
  readonly requestMs: number;
  /** How often it is looked whether somebody takes longer. */
  readonly checkMs: number;
}

/** Node's server over a handler, with time-outs against clients that send slowly or nothing. */
export function createHttp(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  { headersMs, requestMs, checkMs }: Patience = { headersMs: 20_000, requestMs: 120_000, checkMs: 5_000 },
): Server {
  const server = createServer(
    { keepAlive: true, keepAliveInitialDelay: 30_000, connectionsCheckingInterval: checkMs },
    handler,
  );
  // As many listen to a connection as calls came on it without waiting for each other's answers.
  server.on('connection', (socket) => socket.setMaxListeners(0));
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  // Longer than the idle time of common proxies, so that it is they who close.
  server.keepAliveTimeout = 65_000;
  return server;
}

/** Where a server is to listen. */
export interface Endpoint {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** Resolves to the port once it is bound. Cannot be bound: KediError SETTINGS_INVALID. */
export const listenHttp = (server: Server, endpoint: Endpoint): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(endpoint, error)));
    server.listen(endpoint.port, endpoint.host, () => {
      const address = server.address();
      resolve(address !== null && typeof address === 'object' ? address.port : endpoint.port);
    });
  });

/** Resolves when the port is free and no connection is left; those that stay are cut off after a second. */
export async function closeHttp(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const cutOff = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(cutOff);
}

function cannotListen({ host, port }: Endpoint, error: Error & { readonly code?: string }): KediError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'it is in use by another program; choose another with --port',
    EACCES: 'this user may not bind it; choose one above 1023 with --port',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'there is no host of that name',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return new KediError('SETTINGS_INVALID', `Cannot listen on ${host} port ${port}: ${reason}.`, {
    cause: error,
  });
}
