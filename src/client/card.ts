import { KediError } from '../domain/errors.js';
import type { JsonText } from '../domain/json.js';
import { readSpans, type Span } from '../schema/document.js';
import type { Credentials } from './credentials.js';
import { fetchPeer, readBody } from './http.js';

const WELL_KNOWN = '/.well-known/agent-card.json';

/** One way to reach a peer (A2A 1.0, `AgentInterface`). */
export interface PeerInterface {
  readonly url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, or the URI of a custom one. */
  readonly binding: string;
  readonly version: string;
  readonly tenant: string | undefined;
}

/** What a peer tells about itself (A2A 1.0, `AgentCard`), as far as a client acts on it; `json` is the card itself. */
export interface PeerCard {
  readonly url: string;
  readonly json: JsonText;
  readonly span: Span;
  readonly name: string;
  readonly streaming: boolean;
  readonly interfaces: readonly PeerInterface[];
  /** The parameters of each extension by its URI; undefined where it declares none. */
  readonly extensions: ReadonlyMap<string, Span | undefined>;
  /** Extensions that a client must know to talk to this peer at all. */
  readonly required: readonly string[];
}

/**
 * Fetches the card of the peer at `url`: the base of a server, the URL of a card (it ends in `.json`), or any URL of a
 * server whose card stands at its root. No card there, or none that can be read: KediError PEER_UNSUITABLE; one that is
 * kept from us: UNAUTHENTICATED.
 */
export async function fetchCard(
  url: string,
  { credentials, signal }: { readonly credentials: Credentials; readonly signal: AbortSignal },
): Promise<PeerCard> {
  let status: number | undefined;
  for (const place of cardPlaces(url)) {
    const response = await fetchPeer(place, {
      method: 'GET',
      headers: { accept: 'application/json', 'a2a-version': '1.0' },
      credentials,
      signal,
    });
    const body = await readBody(response, signal);
    if (response.status === 200) return readCard(body, place);
    status = response.status;
    if (status !== 404) break;
  }
  throw new KediError('PEER_UNSUITABLE', `There is no agent card for ${url}: HTTP ${status}.`, {
    info: { status: String(status) },
  });
}

/** Reads a card that came from `url`; what is wrong with it in detail is for `checkCard`. */
export function readCard(text: string, url: string): PeerCard {
  const result = readSpans(text);
  if (!result.ok) {
    throw new KediError('PEER_UNSUITABLE', `The agent card at ${url} is not JSON: ${result.reason}.`);
  }
  const { span } = result;
  if (span.kind !== 'object') {
    throw new KediError('PEER_UNSUITABLE', `The agent card at ${url} is not a JSON object.`);
  }
  const capabilities = span.members.get('capabilities');
  const extensions = capabilities?.members.get('extensions')?.items ?? [];
  return {
    url,
    json: span.json,
    span,
    name: span.members.get('name')?.string ?? '',
    streaming: capabilities?.members.get('streaming')?.json === 'true',
    interfaces: (span.members.get('supportedInterfaces')?.items ?? []).map(readInterface),
    extensions: new Map(
      extensions.map((extension) => [
        extension.members.get('uri')?.string ?? '',
        extension.members.get('params'),
      ]),
    ),
    required: extensions
      .filter((extension) => extension.members.get('required')?.json === 'true')
      .map((extension) => extension.members.get('uri')?.string ?? ''),
  };
}

const readInterface = ({ members }: Span): PeerInterface => ({
  url: members.get('url')?.string ?? '',
  binding: members.get('protocolBinding')?.string ?? '',
  version: members.get('protocolVersion')?.string ?? '',
  tenant: members.get('tenant')?.string || undefined,
});

/** Where the card of a URL may be, the likeliest first. */
function cardPlaces(url: string): readonly string[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new KediError('SETTINGS_INVALID', `"${url}" is not an http or https URL.`);
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new KediError(
      'SETTINGS_INVALID',
      'Credentials do not belong into a URL; name them by an environment variable.',
    );
  }
  if (parsed.pathname.endsWith('.json')) return [parsed.href];
  const below = `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}${WELL_KNOWN}`;
  return [...new Set([below, `${parsed.origin}${WELL_KNOWN}`])];
}
