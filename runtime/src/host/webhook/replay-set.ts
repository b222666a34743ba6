import { groupCommit } from '../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { sha256Hex } from '../../protocol/digest.js';
import { StorageUnavailable } from '../../protocol/errors.js';

/** How long an identifier is kept, counted from the signed timestamp, in seconds. */
const RETENTION_S = 300;
/** Identifiers that a set keeps. */
const CAPACITY = 10_000;
/** Attempts to add one identifier before the storage counts as failed. */
const ATTEMPTS = 32;
const MAX_BATCH = 256;

/** Identifiers of authentic deliveries, one set an instance, shared by its replicas. */
export interface ReplaySet {
  /** Records an identifier with its signed timestamp (seconds); one that is known already changes nothing. Throws StorageUnavailable. */
  observe(deliveryId: string, signedAt: number): Promise<void>;
}

interface Sighting {
  hash: string;
  signedAt: number;
}

const LOCK = 'SELECT size FROM webhook_replay_sets WHERE namespace = $1 AND scope = $2 FOR UPDATE';

const CREATE = 'INSERT INTO webhook_replay_sets (namespace, scope) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const KNOWN = `
SELECT delivery_hash FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND delivery_hash = ANY($3::text[])`;

/**
 * Removes what is too old, then as many of the oldest as the new ones need room, then adds those: each compares against absence, so an
 * identifier that another writer added meanwhile is not returned. The set's size follows from what was really removed and added.
 */
const ADD = `
WITH expired AS (
  DELETE FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND signed_at < $5 RETURNING 1
), evicted AS (
  DELETE FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND delivery_hash IN (
    SELECT delivery_hash FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND signed_at >= $5
    ORDER BY signed_at, entry LIMIT greatest(0, $6::bigint - (SELECT count(*) FROM expired))
  ) RETURNING 1
), added AS (
  INSERT INTO webhook_replay (namespace, scope, delivery_hash, signed_at)
  SELECT $1, $2, g.delivery_hash, g.signed_at FROM unnest($3::text[], $4::bigint[]) AS g(delivery_hash, signed_at)
  ON CONFLICT DO NOTHING RETURNING delivery_hash
), resized AS (
  UPDATE webhook_replay_sets SET size = size
    - (SELECT count(*) FROM expired) - (SELECT count(*) FROM evicted) + (SELECT count(*) FROM added)
  WHERE namespace = $1 AND scope = $2
)
SELECT delivery_hash FROM added`;

/** Opens the set of an instance under the provider's namespace. */
export function openReplaySet({
  pool,
  namespace,
  instanceId,
  clock,
}: {
  pool: Pool;
  namespace: string;
  instanceId: string;
  clock: Clock;
}): ReplaySet {
  const set = [namespace, `instance:${instanceId}`];
  const lock = async (client: Queryable): Promise<number> => {
    const { rows } = await client.query<{ size: number }>({ name: 'webhook_replay_lock', text: LOCK, values: set });
    if (rows[0]) return rows[0].size;
    await client.query({ text: CREATE, values: set });
    return lock(client);
  };
  /** Whether each identifier is in the set now. */
  const observeAll = async (client: Queryable, sightings: readonly Sighting[]): Promise<boolean[]> => {
    const size = await lock(client);
    const signedAt = new Map([...sightings].reverse().map((sighting) => [sighting.hash, sighting.signedAt]));
    const { rows } = await client.query<{ delivery_hash: string }>({
      name: 'webhook_replay_known',
      text: KNOWN,
      values: [...set, [...signedAt.keys()]],
    });
    const known = new Set(rows.map((row) => row.delivery_hash));
    const fresh = [...signedAt].filter(([hash]) => !known.has(hash));
    if (fresh.length > 0) {
      const added = await client.query<{ delivery_hash: string }>({
        name: 'webhook_replay_add',
        text: ADD,
        values: [
          ...set,
          fresh.map(([hash]) => hash),
          fresh.map(([, at]) => at),
          Math.floor(clock() / 1000) - RETENTION_S,
          size + fresh.length - CAPACITY,
        ],
      });
      for (const { delivery_hash } of added.rows) known.add(delivery_hash);
    }
    return sightings.map(({ hash }) => known.has(hash));
  };
  const observed = groupCommit({ pool, name: 'host.webhook_replay', maxBatch: MAX_BATCH, run: observeAll });
  return {
    observe: async (deliveryId, signedAt) => {
      const sighting = { hash: sha256Hex(deliveryId), signedAt };
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) if (await observed(sighting)) return;
      throw new StorageUnavailable(`the replay set lost ${ATTEMPTS} attempts to other writers`);
    },
  };
}
