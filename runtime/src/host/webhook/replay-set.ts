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

const CREATE = 'INSERT INTO webhook_replay_sets (namespace, scope) VALUES ($1, $2) ON CONFLICT DO NOTHING';

const LOCK = 'SELECT FROM webhook_replay_sets WHERE namespace = $1 AND scope = $2 FOR UPDATE';

/**
 * Removes what is too old, then as many of the oldest as the new ones need room, then adds those. It begins once the lock is had, so it sees
 * what every writer before added; one that passes over the lock is met by the compare against absence, and its identifier is not returned.
 * The set's size follows from what was really removed and added.
 */
const OBSERVE = `
WITH given AS (
  SELECT * FROM unnest($3::text[], $4::bigint[]) AS g(delivery_hash, signed_at)
), known AS (
  SELECT delivery_hash FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND delivery_hash = ANY($3::text[])
), fresh AS (
  SELECT * FROM given WHERE delivery_hash NOT IN (SELECT delivery_hash FROM known)
), room AS (
  SELECT size + (SELECT count(*) FROM fresh) - $6::bigint AS wanted FROM webhook_replay_sets WHERE namespace = $1 AND scope = $2
), expired AS (
  DELETE FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND signed_at < $5 AND EXISTS (SELECT FROM fresh) RETURNING 1
), evicted AS (
  DELETE FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND delivery_hash IN (
    SELECT delivery_hash FROM webhook_replay WHERE namespace = $1 AND scope = $2 AND signed_at >= $5
    ORDER BY signed_at, entry LIMIT CASE WHEN EXISTS (SELECT FROM fresh)
      THEN greatest(0, (SELECT wanted FROM room) - (SELECT count(*) FROM expired)) ELSE 0 END
  ) RETURNING 1
), added AS (
  INSERT INTO webhook_replay (namespace, scope, delivery_hash, signed_at)
  SELECT $1, $2, delivery_hash, signed_at FROM fresh ON CONFLICT DO NOTHING RETURNING delivery_hash
), resized AS (
  UPDATE webhook_replay_sets SET size = size
    - (SELECT count(*) FROM expired) - (SELECT count(*) FROM evicted) + (SELECT count(*) FROM added)
  WHERE namespace = $1 AND scope = $2 AND EXISTS (SELECT FROM fresh)
)
SELECT delivery_hash FROM known UNION ALL SELECT delivery_hash FROM added`;

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
  /** Whether each identifier is in the set now. The statements travel together: two round trips with the commit. */
  const observeAll = async (client: Queryable, sightings: readonly Sighting[]): Promise<boolean[]> => {
    const signedAt = new Map([...sightings].reverse().map((sighting) => [sighting.hash, sighting.signedAt]));
    const expiry = Math.floor(clock() / 1000) - RETENTION_S;
    const [, , { rows }] = await Promise.all([
      client.query({ name: 'webhook_replay_create', text: CREATE, values: set }),
      client.query({ name: 'webhook_replay_lock', text: LOCK, values: set }),
      client.query<{ delivery_hash: string }>({
        name: 'webhook_replay_observe',
        text: OBSERVE,
        values: [...set, [...signedAt.keys()], [...signedAt.values()], expiry, CAPACITY],
      }),
    ]);
    const kept = new Set(rows.map((row) => row.delivery_hash));
    return sightings.map(({ hash }) => kept.has(hash));
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
