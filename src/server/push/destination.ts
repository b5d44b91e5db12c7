import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { KediError } from '../../domain/errors.js';

/** Where notifications may be sent: never to an address that is not public, unless the operator allowed it. */
export interface Destinations {
  /**
   * Refuses a webhook when it is registered: not http(s), credentials in it, plain http to the world, or a host that is
   * or resolves to an address that is not public. KediError INVALID_PARAMS, naming the field `url`.
   */
  check(url: string): Promise<void>;
  /** For the connection itself: resolves, checks every address, and connects to a checked one and no other. */
  readonly lookup: LookupFunction;
  /** Whether a host written as an address, which no lookup ever sees, may be connected to. */
  allowsLiteral(hostname: string): boolean;
}

type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveAll: Resolve = (hostname) => dns.lookup(hostname, { all: true, verbatim: true });

/** `allow`: networks (`10.0.0.0/8`), addresses, or host names; a name is allowed wherever it resolves to. */
export function createDestinations({
  allow,
  resolve = resolveAll,
}: {
  readonly allow: readonly string[];
  readonly resolve?: Resolve;
}): Destinations {
  const networks = allow.flatMap((entry) => readNetwork(entry) ?? []);
  const names = new Set(
    allow.filter((entry) => readNetwork(entry) === undefined).map((name) => name.toLowerCase()),
  );

  const isAllowed = (literal: string): boolean => {
    const parsed = ipaddr.process(literal);
    return networks.some(
      ({ address, bits }) => address.kind() === parsed.kind() && parsed.match(address, bits),
    );
  };
  const mayConnect = (address: string): boolean => isPublic(address) || isAllowed(address);

  async function resolveChecked(hostname: string): Promise<readonly LookupAddress[]> {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw new Error(`${hostname} has no address.`);
    if (!names.has(hostname.toLowerCase()) && !addresses.every(({ address }) => mayConnect(address))) {
      throw new Error(`${hostname} resolves to an address that is not public.`);
    }
    return addresses;
  }

  return {
    allowsLiteral: (hostname) => names.has(hostname) || mayConnect(bare(hostname)),
    lookup(hostname, options, callback) {
      resolveChecked(hostname).then(
        (addresses) => {
          const family = options.family === 4 || options.family === 6 ? options.family : undefined;
          const usable = addresses.filter((one) => family === undefined || one.family === family);
          const [first] = usable;
          if (first === undefined) callback(new Error(`${hostname} has no address of that family.`), '', 0);
          else if (options.all === true) callback(null, [...usable]);
          else callback(null, first.address, first.family);
        },
        (error: Error) => callback(error, '', 0),
      );
    },
    async check(text) {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
        throw refused('must be an absolute https URL');
      }
      if (url.username !== '' || url.password !== '') {
        throw refused('must not hold credentials; they belong into authentication or token');
      }
      const { hostname } = url;
      // Allowed wherever it resolves to, which it need not do before there is something to deliver.
      if (names.has(hostname)) return;
      const literal = isIP(bare(hostname)) !== 0;
      const addresses = literal ? [bare(hostname)] : await addressesOf(hostname);
      if (addresses.every(isAllowed)) return;
      if (!addresses.every(mayConnect)) {
        throw refused('leads to an address that is not public, which the operator has not allowed');
      }
      if (url.protocol === 'http:') throw refused('must be https, since it leaves this machine');
    },
  };

  async function addressesOf(hostname: string): Promise<readonly string[]> {
    try {
      return (await resolve(hostname)).map(({ address }) => address);
    } catch {
      throw refused('has a host name that does not resolve');
    }
  }
}

/** Whether a text is one that `allow` may hold, for the settings to check. */
export const isAllowEntry = (text: string): boolean =>
  readNetwork(text) !== undefined || /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text);

/**
 * Of the special registries only global unicast is public: loopback, link-local, private, carrier-grade NAT, multicast,
 * unspecified, benchmarking, documentation and the forms that carry an IPv4 address inside IPv6 are not.
 */
function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An address with a zone is link-local by what it says, whatever its bits.
  return !address.includes('%') && ipaddr.process(address).range() === 'unicast';
}

interface Network {
  readonly address: ReturnType<typeof ipaddr.process>;
  readonly bits: number;
}

function readNetwork(text: string): Network | undefined {
  if (ipaddr.isValidCIDR(text)) {
    const [address, bits] = ipaddr.parseCIDR(text);
    return { address, bits };
  }
  if (isIP(bare(text)) === 0) return undefined;
  const address = ipaddr.process(bare(text));
  return { address, bits: address.kind() === 'ipv4' ? 32 : 128 };
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1');

const refused = (description: string): KediError =>
  new KediError('INVALID_PARAMS', `The webhook's URL ${description}.`, {
    fields: [{ field: 'url', description }],
  });
