/** The JSON at a URL, read loosely: for what a test is about to compare anyway. */
export const fetchJson = async (url: string, init: RequestInit = {}) =>
  JSON.parse(await (await fetch(url, init)).text());

/** The answer to one call of JSON-RPC. */
export const callJson = (url: string, method: string, params: unknown) =>
  fetchJson(`${url}/a2a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
