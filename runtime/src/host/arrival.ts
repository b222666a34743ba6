import { isIP } from 'node:net';

/** A request that was sent before the replica drained is on its way for at most this long, in milliseconds. */
const ON_THE_WAY_MS = 1000;
/** A name whose address is new is known to everyone after this time, in milliseconds: until then old answers of DNS are about. */
const NAME_SETTLES_MS = 10_000;

/**
 * How long a host whose drain has been written still takes actions, in milliseconds: those that were pinned to it before have to arrive. A
 * gateway that was given the former address of a name which listens since `listeningMs` only gets there when it learns the new one.
 */
export function arrivalMs(publicEndpoint: string, listeningMs: number): number {
  const host = new URL(publicEndpoint).hostname;
  const isName = host !== 'localhost' && !host.startsWith('[') && isIP(host) === 0;
  return isName ? Math.max(ON_THE_WAY_MS, NAME_SETTLES_MS - listeningMs) : ON_THE_WAY_MS;
}
