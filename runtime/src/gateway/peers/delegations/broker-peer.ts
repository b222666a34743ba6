import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Clock } from '../../../protocol/clock.js';
import type { Envelope } from '../../../protocol/envelope.js';
import type { SignerSource } from '../../../transport/http/error-response.js';
import { openBrokerClient } from '../../../transport/nats/client.js';
import { type BrokerAddress, type BrokerConnection, openBrokerConnection } from '../../../transport/nats/connection.js';
import { DestinationRefused, PeerTransportFailed } from '../../../transport/peer/errors.js';
import { isPublicAddress } from '../../../transport/peer/public-address.js';
import type { Logger } from '../../../transport/process/logger.js';
import type { BrokerRoute } from './settings.js';

/** Sends delegations over the message brokers of their routes. */
export interface BrokerPeer {
  /**
   * Sends a signed envelope once and returns the verified answer. Throws DestinationRefused for a broker outside the public internet,
   * PeerTransportFailed, NotAuthorized and RemoteError.
   */
  send(envelope: Envelope, route: BrokerRoute): Promise<Envelope>;
  close(): Promise<void>;
}

/** What the peer is made of. */
export interface BrokerPeerOptions {
  readonly signer: SignerSource;
  readonly allowPrivate: boolean;
  /** How to log in to a server; undefined for one that takes anybody. */
  readonly credentialsOf: (server: string) => Pick<BrokerAddress, 'username' | 'password'> | undefined;
  readonly tlsCa: () => string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Opens the peer: one connection a server, made with the first message to it. */
export function openBrokerPeer(options: BrokerPeerOptions): BrokerPeer {
  const { signer, clock, log, name, tlsCa } = options;
  const connections = new Map<string, BrokerConnection>();
  const connectionTo = (server: string): BrokerConnection => {
    const known = connections.get(server);
    if (known) return known;
    const address = { servers: [server], ...options.credentialsOf(server), tlsCa };
    const opened = openBrokerConnection({ address, name, log });
    connections.set(server, opened);
    return opened;
  };
  return {
    send: async (envelope, { server, subject, principal, did, timeoutMs, trustDomain }) => {
      if (!options.allowPrivate) await checkPublic(new URL(server).hostname);
      const client = openBrokerClient({
        connection: connectionTo(server),
        signer,
        timeoutMs: options.timeoutMs,
        clock,
      });
      return client.request(envelope, { subject, peer: { principal, did, trustDomain }, timeoutMs });
    },
    close: async () => {
      await Promise.all([...connections.values()].map((connection) => connection.close()));
    },
  };
}

async function addressesOf(host: string): Promise<string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (cause) {
    throw new PeerTransportFailed(`the broker ${host} cannot be resolved`, { reached: false, attempts: 0 }, { cause });
  }
}

async function checkPublic(host: string): Promise<void> {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  const addresses = isIP(bare) > 0 ? [bare] : await addressesOf(bare);
  if (addresses.every(isPublicAddress)) return;
  throw new DestinationRefused(
    `the broker ${bare} has an address outside the public internet; set DELEGATION_ALLOW_PRIVATE_NETWORKS to use it`,
  );
}
