import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { pollUntil } from '../time/wait.js';

const LOOK_MS = 200;
const QUERY_MS = 1000;

/** Where a name leads, and what this machine has. `resolve` and `own` have defaults. */
export interface OwnNameOptions {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Called when the name does not lead here yet. */
  readonly waits?: () => void;
  readonly resolve?: (host: string) => Promise<string[]>;
  readonly own?: () => string[];
}

/**
 * Waits, for `waitMs` at most, until DNS leads the name in `publicEndpoint` to an address of this machine, and says whether it does: a gateway is
 * given work for a host as soon as that has registered, and must find it then. True at once for an address and for no wait.
 */
export async function awaitOwnName(
  publicEndpoint: string,
  { waitMs, signal, waits, resolve = askDns, own = ownAddresses }: OwnNameOptions,
): Promise<boolean> {
  const host = new URL(publicEndpoint).hostname;
  if (waitMs === 0 || host.startsWith('[') || isIP(host) !== 0) return true;
  const leadsHere = async (): Promise<true | undefined> => {
    const found = await resolve(host).catch(() => []);
    const mine = new Set(own());
    return found.some((address) => mine.has(address)) || undefined;
  };
  if (await leadsHere()) return true;
  waits?.();
  return (await pollUntil(leadsHere, { signal, longestMs: waitMs, everyMs: () => LOOK_MS, pauseFirst: true })) ?? false;
}

/** Asks the name servers themselves: the hosts file of a Pod knows the Pod before anybody else does. */
async function askDns(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: 1 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}
