// Load for the bench of the server: raw sockets that cost little, so that it is the server that is measured.
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';

/** The bytes of a call of JSON-RPC, as they go over the wire. */
export function callBytes(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return Buffer.from(
    `POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/**
 * Answered requests, and how many a second: as many connections as said, each sending the next request when the last was answered.
 * Ends after `seconds`, or after `total` requests. Every connection's first answer must hold `expect`.
 */
export async function throughput({
  port,
  request,
  expect,
  connections = 16,
  seconds = Infinity,
  total = Infinity,
}) {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const start = performance.now();
  const end = start + seconds * 1_000;
  let sent = 0;
  let answered = 0;
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise((resolve, reject) => {
          let first = true;
          const next = () => {
            if (sent >= total || performance.now() >= end) return resolve();
            sent += 1;
            socket.write(request);
          };
          readAnswers(socket, (body) => {
            answered += 1;
            if (first && !body().includes(expect)) return reject(new Error(`unexpected answer: ${body()}`));
            first = false;
            next();
          });
          socket.on('error', reject);
          next();
        }),
    ),
  );
  const took = performance.now() - start;
  for (const socket of sockets) socket.destroy();
  return { answered, perSecond: (answered / took) * 1_000 };
}

/** Milliseconds until the stream of a call has said `until`, or `limit` if it has not by then. */
export async function streamTime({ port, request, until, limit = Infinity }) {
  const socket = await open(port);
  const start = performance.now();
  try {
    return await new Promise((resolve, reject) => {
      let tail = '';
      let timer;
      if (limit !== Infinity) timer = setTimeout(() => resolve(limit), limit);
      socket.on('data', (chunk) => {
        tail = tail.slice(-200) + chunk.toString('latin1');
        if (!tail.includes(until)) return;
        clearTimeout(timer);
        resolve(performance.now() - start);
      });
      socket.on('close', () => reject(new Error(`the stream ended without ${until}: ${tail}`)));
      socket.on('error', reject);
      socket.write(request);
    });
  } finally {
    socket.destroy();
  }
}

export const median = (figures) => {
  const sorted = [...figures].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

function open(port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Tells of each whole answer; `body` makes its text, which is not needed of most. */
function readAnswers(socket, told) {
  let pending = Buffer.alloc(0);
  let end = -1;
  let start = 0;
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    if (end < 0) {
      const head = pending.indexOf('\r\n\r\n');
      if (head < 0) return;
      const [, length] = /content-length: (\d+)/i.exec(pending.latin1Slice(0, head)) ?? [];
      if (length === undefined) throw new Error(`an answer without a length: ${pending}`);
      start = head + 4;
      end = start + Number(length);
    }
    if (pending.length < end) return;
    const [answer, from] = [pending, start];
    pending = Buffer.alloc(0);
    end = -1;
    told(() => answer.toString('utf8', from));
  });
}
