import { at, readJson } from './json.js';

/** Typed results, as the card and the requests name them. */
export const TYPED = 'https://docs.kedi-lang.org/a2a/extensions/structured-output/v1/';

/**
 * The server that this page came from. `ask` gets a credential from whoever sits here, as headers, when the server
 * wants one; it is kept in memory and goes with the page. Addresses are relative, so that a prefix of a proxy stays.
 */
export function connect({ ask }) {
  let credential = {};
  let asking;

  async function request(url, { headers = {}, ...init } = {}) {
    while (true) {
      const used = credential;
      // Without this a browser would ask for a password in a window of its own, and keep it.
      const response = await fetch(url, { ...init, credentials: 'omit', headers: { ...headers, ...used } });
      if (response.status !== 401) return response;
      if (used !== credential) continue;
      asking ??= ask({ challenge: response.headers.get('WWW-Authenticate') ?? '', again: used !== none });
      try {
        credential = await asking;
      } finally {
        asking = undefined;
      }
    }
  }
  const none = credential;

  async function read(url) {
    const response = await request(url);
    const text = await response.text();
    if (!response.ok) throw new Error(problemText(text) ?? `The server answered ${response.status}.`);
    return JSON.parse(text);
  }

  /** A method of A2A over JSON-RPC; `params` is a value of our own. Gives the result as a node, every digit kept. */
  async function call(method, params, { extensions = [] } = {}) {
    const response = await request('a2a', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'A2A-Version': '1.0',
        ...(extensions.length > 0 && { 'A2A-Extensions': extensions.join(', ') }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    const answer = readable(text);
    const result = at(answer, 'result');
    if (result !== undefined) return result;
    const refusal = at(answer, 'error', 'message') ?? at(answer, 'detail');
    throw new Error(refusal?.value ?? `The server answered ${response.status}.`);
  }

  return {
    request,
    call,
    card: () => read('.well-known/agent-card.json'),
    sessions: (page) =>
      read(`api/v1/sessions?limit=30${page === undefined ? '' : `&page=${encodeURIComponent(page)}`}`),
    session: (id, page) =>
      read(
        `api/v1/sessions/${encodeURIComponent(id)}?limit=100${page === undefined ? '' : `&page=${encodeURIComponent(page)}`}`,
      ),
    chatUrl: (commandId) =>
      `api/v1/agent-output/chat?replay=true&command_id=${encodeURIComponent(commandId)}`,
  };
}

/** What a proxy in between answers may be no JSON at all. */
function readable(text) {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** The sentence of a problem document (RFC 9457). */
export function problemText(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return undefined;
  }
}

/** The bytes of a part's `raw`. */
export const bytesOf = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
