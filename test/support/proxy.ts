import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A wire between a client and a server of the test that can be cut. */
export interface Proxy {
  readonly url: string;
  /** Where connections made from now on lead. */
  lead(target: string): void;
  /** Breaks off every connection there is; with `refuse` the next ones too, until `mend`. */
  cut(options?: { readonly refuse?: boolean }): void;
  mend(): void;
  /** How many connections were made so far. */
  connections(): number;
}

/** Starts a proxy on a free port of loopback that passes bytes on as they are. */
export async function startProxy(target: string): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let leadsTo = new URL(target);
  let refusing = false;
  let made = 0;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  };
  const server = createServer((client) => {
    keep(client);
    if (refusing) return client.destroy();
    made += 1;
    const upstream = connect(Number(leadsTo.port), leadsTo.hostname);
    keep(upstream);
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  const cut = ({ refuse = false } = {}): void => {
    refusing = refuse;
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(async () => {
    cut();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    lead: (next) => {
      leadsTo = new URL(next);
    },
    cut,
    mend: () => {
      refusing = false;
    },
    connections: () => made,
  };
}
