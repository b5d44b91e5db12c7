import { type ServerResponse, STATUS_CODES } from 'node:http';

/** What is wrong with a request outside A2A: `detail` in plain words, and members of its own (RFC 9457). */
export interface Problem {
  readonly status: number;
  readonly detail: string;
  /** A code for programs, from the table of failures or of the endpoint's own. */
  readonly code?: string;
  readonly requestId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Under which name every error carries the id by which the log knows its request. */
export const requestIdHeader = 'X-Request-Id';

/** Answers with `application/problem+json`, which no cache keeps. */
export function sendProblem(
  response: ServerResponse,
  { status, detail, code, requestId, headers = {} }: Problem,
): void {
  const body = JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    detail,
    code,
    request_id: requestId,
  });
  response.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...(requestId !== undefined && { [requestIdHeader]: requestId }),
    ...headers,
  });
  response.end(body);
}
