import { rootCertificates, type TLSSocket } from 'node:tls';
import { KEEP_ALIVE_MS } from '@aip/runtime/internal/protocol';
import { Agent, fetch as undiciFetch } from 'undici';

/**
 * An idle connection is closed after this time, in milliseconds: below the shortest time that a gateway drains for, since one that the gateway
 * closes just when it is used again loses a request that must not be repeated.
 */
const IDLE_MS = 1000;

/** A fetch of its own connections, and how to end those. */
export interface TrustedFetch {
  fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

/**
 * A fetch that trusts `ca` (PEM) besides the public roots, or that uses the connections that `connect` opens. A body that stays silent for
 * three keep-alives counts as broken: behind a tunnel a lost node says nothing.
 */
export function trustedFetch(through: { ca: string } | { connect: () => Promise<TLSSocket> }): TrustedFetch {
  const agent = new Agent({
    allowH2: false,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    bodyTimeout: 3 * KEEP_ALIVE_MS,
    connect:
      'ca' in through
        ? { ca: [...rootCertificates, through.ca] }
        : (_options, answer) => {
            through.connect().then(
              (socket) => answer(null, socket),
              (error: Error) => answer(error, null),
            );
          },
  });
  const fetch = (input: string | URL, init?: object) => undiciFetch(input, { ...init, dispatcher: agent });
  return { fetch: fetch as unknown as typeof globalThis.fetch, close: () => agent.destroy() };
}
