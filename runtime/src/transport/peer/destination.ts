import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { DestinationRefused, PeerTransportFailed } from './errors.js';
import { isPublicAddress } from './public-address.js';

/** An address of a host, as DNS gives it. */
export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Where one exchange goes: the host name stays for TLS and the Host header, the connection goes to `address`. */
export interface Destination extends ResolvedAddress {
  host: string;
  port: number;
  tls: boolean;
  /** Scheme, host and port. */
  origin: string;
  path: string;
}

/** What may be reached. Without any option nothing may (docs/protocol/signing.md#the-signed-http-exchange). */
export interface DestinationRules {
  /** Exact host names or IP literals; no wildcards, ports play no part. */
  hosts?: readonly string[];
  /** Admits http:// besides https://. */
  allowHttp?: boolean;
  /** Admits addresses outside the public internet. */
  allowPrivate?: boolean;
  /** Every URL handed in comes from an admitted registry record, so its host counts as listed. */
  registryBound?: boolean;
  /** All addresses of a name, in the order they shall be used. */
  resolve?: (host: string) => Promise<ResolvedAddress[]>;
}

/** Decides about destinations. */
export interface DestinationPolicy {
  /**
   * Checks scheme, credentials, fragment, host, DNS and address range of a URL and pins its first address. DNS is asked on every call.
   * Throws DestinationRefused, or PeerTransportFailed when the name cannot be resolved now.
   */
  admit(url: string): Promise<Destination>;
}

/** Policy of the given rules (docs/protocol/signing.md#destinations). */
export function destinationPolicy(rules: DestinationRules = {}): DestinationPolicy {
  const hosts = new Set((rules.hosts ?? []).map((host) => bareHost(host.toLowerCase())));
  const resolve = rules.resolve ?? systemResolve;

  return {
    admit: async (text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (!url) throw new DestinationRefused('the peer URL is not absolute');
      const tls = url.protocol === 'https:';
      if (!tls && !(rules.allowHttp && url.protocol === 'http:')) {
        throw new DestinationRefused(`the scheme ${url.protocol} is not allowed for peers`);
      }
      if (url.username !== '' || url.password !== '' || text.includes('#')) {
        throw new DestinationRefused('a peer URL must have no credentials and no fragment');
      }
      const host = bareHost(url.hostname);
      if (!rules.registryBound && !hosts.has(host))
        throw new DestinationRefused(`the host ${host} is not an allowed peer`);
      const pinned = await addressOf(host, resolve, rules.allowPrivate ?? false);
      const port = url.port === '' ? (tls ? 443 : 80) : Number(url.port);
      return { ...pinned, host, port, tls, origin: url.origin, path: url.pathname + url.search };
    },
  };
}

async function addressOf(
  host: string,
  resolve: (host: string) => Promise<ResolvedAddress[]>,
  allowPrivate: boolean,
): Promise<ResolvedAddress> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolved(host, resolve) : [{ address: host, family: family as 4 | 6 }];
  const [first] = addresses;
  if (!first) throw new DestinationRefused(`the host ${host} has no address`);
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw new DestinationRefused(
      `the host ${host} has an address outside the public internet, which is not allowed for peers`,
    );
  }
  return { address: first.address, family: first.family };
}

async function resolved(
  host: string,
  resolve: (host: string) => Promise<ResolvedAddress[]>,
): Promise<ResolvedAddress[]> {
  try {
    return await resolve(host);
  } catch (cause) {
    throw new PeerTransportFailed(`the host ${host} cannot be resolved`, { reached: false, attempts: 0 }, { cause });
  }
}

async function systemResolve(host: string): Promise<ResolvedAddress[]> {
  const found = await lookup(host, { all: true, order: 'verbatim' });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

function bareHost(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
