import { KediError } from '../domain/errors.js';
import { fetchCard, type PeerCard, type PeerInterface } from './card.js';
import type { Credentials } from './credentials.js';
import { jsonRpcWire } from './json-rpc-wire.js';
import { restWire } from './rest-wire.js';
import type { Road, Wire } from './wire.js';

/** A peer that can be asked: its card, and the road to it. */
export interface Peer {
  readonly card: PeerCard;
  readonly wire: Wire;
  /** The routing name that the chosen interface wants in each request (A2A 1.0, `AgentInterface.tenant`). */
  readonly tenant: string | undefined;
  readonly credentials: Credentials;
}

/**
 * Reads the card at `url` and takes the first interface that this client speaks (JSON-RPC or HTTP+JSON, A2A 1.x). With
 * credentials only one of the card's own origin will do, so that a card cannot send them elsewhere. `extensions` are
 * activated in each request (`A2A-Extensions`). No way to the peer: KediError PEER_UNSUITABLE.
 */
export async function openPeer(
  url: string,
  {
    credentials = { kind: 'none' },
    extensions = [],
    signal,
  }: {
    readonly credentials?: Credentials;
    readonly extensions?: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<Peer> {
  const card = await fetchCard(url, { credentials, signal });
  const unknown = card.required.filter((uri) => !extensions.includes(uri));
  if (unknown.length > 0) {
    throw new KediError('PEER_UNSUITABLE', `${peerName(card)} demands the extension ${unknown.join(', ')}.`);
  }
  const chosen = chooseInterface(card, credentials);
  const headers = {
    'a2a-version': '1.0',
    ...(extensions.length > 0 && { 'a2a-extensions': extensions.join(', ') }),
  };
  const { tenant } = chosen;
  const makeWire = wires[chosen.binding] ?? jsonRpcWire;
  return { card, tenant, credentials, wire: makeWire({ url: chosen.url, tenant, headers, credentials }) };
}

/** The name of a peer for a sentence. */
export const peerName = (card: PeerCard): string => (card.name === '' ? card.url : `"${card.name}"`);

const wires: Readonly<Record<string, (road: Road) => Wire>> = { JSONRPC: jsonRpcWire, 'HTTP+JSON': restWire };

function chooseInterface(card: PeerCard, credentials: Credentials): PeerInterface {
  const spoken = card.interfaces.filter(
    ({ url, binding, version }) =>
      Object.hasOwn(wires, binding) && /^1(\.|$)/.test(version) && URL.canParse(url),
  );
  const origin = new URL(card.url).origin;
  const near = spoken.filter(({ url }) => new URL(url).origin === origin);
  const [chosen] = credentials.kind === 'none' ? [...near, ...spoken] : near;
  if (chosen !== undefined) return chosen;
  const offered = card.interfaces
    .map(({ binding, version, url }) => `${binding} ${version} at ${url}`)
    .join(', ');
  throw new KediError(
    'PEER_UNSUITABLE',
    spoken.length > 0
      ? `${peerName(card)} can only be reached at another origin than its card's, and credentials are not sent there: ${offered}.`
      : `${peerName(card)} offers neither JSON-RPC nor HTTP+JSON of A2A 1.x, but ${offered || 'nothing'}.`,
  );
}
