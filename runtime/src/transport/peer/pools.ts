import { createHash } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { Pool } from 'undici';
import type { Destination } from './destination.js';

/** Connections that one pool may open. */
const CONNECTIONS = 256;
/** How long an unused connection is kept when the peer says nothing about it, in milliseconds. */
const IDLE_MS = 30_000;

/** What the pool cache did so far. */
export interface PoolCacheCounts {
  entries: number;
  capacity: number;
  hits: number;
  misses: number;
  evictions: number;
}

/** Connection pools by origin, pinned address, connect time and certificate roots; the least recently used one is closed when full. */
export interface PoolCache {
  poolFor(destination: Destination): Pool;
  counts(): PoolCacheCounts;
  /** Ends every connection, also those in use. */
  close(): Promise<void>;
}

/** Gives the PEM certificates that are trusted now besides the public roots; undefined for none. */
export type ExtraRoots = () => string | undefined;

/**
 * Opens a cache of at most `capacity` pools. When `tlsCa` gives other certificates, new requests get new connections; requests that are
 * under way end on theirs.
 */
export function openPoolCache(options: {
  capacity: number;
  connectTimeoutMs: number;
  tlsCa?: ExtraRoots | undefined;
}): PoolCache {
  const pools = new Map<string, Pool>();
  const counts = { hits: 0, misses: 0, evictions: 0 };
  let roots = rootsOf(options.tlsCa?.());

  const currentRoots = (): Roots => {
    const pem = options.tlsCa?.();
    if (pem === roots.pem) return roots;
    for (const pool of pools.values()) void pool.close().catch(() => undefined);
    pools.clear();
    roots = rootsOf(pem);
    return roots;
  };
  const open = ({ origin, address, family }: Destination, ca: string[] | undefined): Pool =>
    new Pool(origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      connect: {
        timeout: options.connectTimeoutMs,
        keepAlive: true,
        lookup: (_host, { all }, answer) => {
          if (all) answer(null, [{ address, family }]);
          else answer(null, address, family);
        },
        ...(ca && { ca }),
      },
    });

  return {
    poolFor: (destination) => {
      const { id, ca } = currentRoots();
      const key = `${destination.origin}|${destination.address}|${options.connectTimeoutMs}|${id}`;
      const known = pools.get(key);
      if (known) {
        counts.hits += 1;
        pools.delete(key);
        pools.set(key, known);
        return known;
      }
      counts.misses += 1;
      if (pools.size >= options.capacity) {
        const [oldest, pool] = pools.entries().next().value as [string, Pool];
        pools.delete(oldest);
        counts.evictions += 1;
        void pool.close().catch(() => undefined);
      }
      const pool = open(destination, ca);
      pools.set(key, pool);
      return pool;
    },
    counts: () => ({ entries: pools.size, capacity: options.capacity, ...counts }),
    close: async () => {
      const all = [...pools.values()];
      pools.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
}

/** Certificate roots: the extra ones as they were given, all of them, and what distinguishes them from others. */
interface Roots {
  pem: string | undefined;
  ca: string[] | undefined;
  id: string;
}

function rootsOf(pem: string | undefined): Roots {
  if (pem === undefined) return { pem, ca: undefined, id: 'public-roots' };
  return { pem, ca: [...rootCertificates, pem], id: createHash('sha256').update(pem).digest('hex') };
}
