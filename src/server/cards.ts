import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { A2A_PROTOCOL_VERSION } from '@a2a-js/sdk';
import { KediError } from '../domain/errors.js';
import { agentOutputInterface } from '../protocol/agent-output.js';
import {
  type CardInterface,
  type CardSecurity,
  type HandwrittenCard,
  readHandwrittenCard,
  type ServedCard,
  writeCard,
} from '../protocol/card.js';
import { HTTP_JSON_PATH } from './http-json-route.js';
import { JSON_RPC_PATH } from './json-rpc-route.js';
import { cardModes, type Offering } from './offering.js';
import type { Binding } from './setting.js';
import type { Settings } from './settings.js';
import { type CardKey, JWKS_PATH, readCardKey } from './signing/card-key.js';

/** The agent's cards as ProtoJSON, for a client that reached the server under this `Host`. */
export interface Cards {
  /** The one that is discovered. */
  discovered(host: string | undefined): Promise<string>;
  /** The one for clients with credentials (A2A 1.0, 3.1.11); undefined where nobody is asked for any. */
  readonly extended: ((host: string | undefined) => Promise<string>) | undefined;
  /** The key set that proves the cards; undefined where they are not signed. */
  readonly jwks: string | undefined;
}

/**
 * Reads what a person wrote of the cards, and puts it together with the settings. Without a public URL the interfaces
 * have the host and port of the request, which the guard has checked to be of this machine.
 */
export function createCards({
  settings,
  offering,
  security,
  grpcAddress,
}: {
  readonly settings: Pick<
    Settings,
    'publicUrl' | 'bindings' | 'push' | 'card' | 'extendedCard' | 'strictCard' | 'cardKey'
  >;
  readonly offering: Offering;
  readonly security: CardSecurity | undefined;
  /** Where gRPC is served, once it is. */
  readonly grpcAddress: () => string | undefined;
}): Cards {
  const { publicUrl, bindings, cardKey } = settings;
  const key = cardKey === undefined ? undefined : readCardKey(cardKey);
  const strict = settings.strictCard || key !== undefined;
  const write = (handwritten: HandwrittenCard, baseUrl: string): Promise<string> => {
    const interfaces = [
      ...bindings.map((binding) => interfaceOf(binding, { baseUrl, grpcAddress: grpcAddress() })),
      agentOutputInterface(baseUrl, { strict }),
    ];
    return sign(
      writeCard(handwritten, serveCard({ interfaces, offering, security, push: settings.push === 'on' })),
      { key, baseUrl },
    );
  };

  const cardOf = (file: string | undefined) => {
    const handwritten = readHandwritten(file);
    if (publicUrl === undefined) return (host = '') => write(handwritten, `http://${host.toLowerCase()}`);
    let card: Promise<string> | undefined;
    return () => {
      card ??= write(handwritten, publicUrl);
      return card;
    };
  };

  return {
    discovered: cardOf(settings.card),
    extended: security && cardOf(settings.extendedCard ?? settings.card),
    jwks: key?.jwks,
  };
}

const sign = async (
  card: string,
  { key, baseUrl }: { readonly key: CardKey | undefined; readonly baseUrl: string },
): Promise<string> => (key === undefined ? card : key.sign(card, `${baseUrl}${JWKS_PATH}`));

/** The file that the operator names, or the one shipped with this package. */
function readHandwritten(file: string | undefined): HandwrittenCard {
  const path = file ?? fileURLToPath(new URL('../../agent-card.json', import.meta.url));
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KediError('SETTINGS_INVALID', `The agent card cannot be read: ${reason}`, { cause });
  }
  return readHandwrittenCard(text, path);
}

function serveCard({
  interfaces,
  offering,
  security,
  push,
}: {
  readonly interfaces: readonly CardInterface[];
  readonly offering: Offering;
  readonly security: CardSecurity | undefined;
  readonly push: boolean;
}): ServedCard {
  return {
    version: packageVersion,
    interfaces,
    extensions: offering.extensions,
    push,
    extended: security !== undefined,
    security,
    ...cardModes(offering),
  };
}

function interfaceOf(
  binding: Binding,
  { baseUrl, grpcAddress = '' }: { readonly baseUrl: string; readonly grpcAddress: string | undefined },
): CardInterface {
  const protocolVersion = A2A_PROTOCOL_VERSION;
  switch (binding) {
    case 'json-rpc':
      return { url: `${baseUrl}${JSON_RPC_PATH}`, protocolBinding: 'JSONRPC', protocolVersion };
    case 'http-json':
      return { url: `${baseUrl}${HTTP_JSON_PATH}`, protocolBinding: 'HTTP+JSON', protocolVersion };
    case 'json-rpc-0.3':
      return { url: `${baseUrl}${JSON_RPC_PATH}`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' };
    case 'grpc':
      return { url: grpcAddress, protocolBinding: 'GRPC', protocolVersion };
  }
}

const { version: packageVersion }: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
);
