import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection on which a test says what it wants. */
export function dial(
  url: string,
  until = onTestFinished,
): { readonly socket: Socket; readonly closed: Promise<string> } {
  const chunks: Buffer[] = [];
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  until(() => void socket.destroy());
  socket.on('error', () => {});
  socket.on('data', (chunk) => chunks.push(chunk));
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
  return { socket, closed };
}

/** All that the server answers until it closes the connection. */
export function exchange(url: string, bytes: string): Promise<string> {
  const { socket, closed } = dial(url);
  socket.write(bytes);
  return closed;
}

/** A POST to JSON-RPC as its bytes; `more` are further header lines. */
export const post = (body: string, more = ''): string =>
  `POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
/** The body of a call. */
export const call = (id: number, method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });
