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

/** Opens a cache of at most `capacity` pools. `tlsCa` (PEM) is trusted besides the public roots. */
export function openPoolCache(options: {
  capacity: number;
  connectTimeoutMs: number;
  tlsCa?: string | undefined;
}): PoolCache {
  const pools = new Map<string, Pool>();
  const counts = { hits: 0, misses: 0, evictions: 0 };
  const roots = options.tlsCa === undefined ? undefined : [...rootCertificates, options.tlsCa];
  const rootsId =
    options.tlsCa === undefined ? 'public-roots' : createHash('sha256').update(options.tlsCa).digest('hex');

  const open = ({ origin, address, family }: Destination): Pool =>
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
        ...(roots && { ca: roots }),
      },
    });

  return {
    poolFor: (destination) => {
      const key = `${destination.origin}|${destination.address}|${options.connectTimeoutMs}|${rootsId}`;
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
      const pool = open(destination);
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
