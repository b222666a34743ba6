import { groupCommit } from '../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { digestOf } from '../../protocol/digest.js';
import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import { OUTBOX_BATCH, OUTBOX_LEASE_MS, OUTBOX_PENDING } from '../../protocol/limits.js';
import type { Event } from '../../protocol/types.js';
import { EventUnpublishable, normalizeEvent } from './normalize.js';
import { checkSize, type Publisher } from './size.js';

/** Longest reason that is kept of a failure, in characters. */
const MAX_REASON = 1024;

/** A staged batch; the same channel and events have the same key. */
export interface Batch {
  key: string;
  channelId: string;
  events: Event[];
  /** Attempts so far, refused ones included. */
  attempts: number;
  /** Those of them that the central server refused. */
  refusals: number;
}

/** How many batches wait for delivery, and how many were put aside because the central server will never take them. */
export interface OutboxCounts {
  pending: number;
  parked: number;
}

/** Provider events on their way to the central server: durable, shared by the replicas of the instance. */
export interface Outbox {
  /**
   * Stages 1 to 100 events as one batch. The same batch again changes nothing while it waits; one that was put aside waits again with a
   * new count. With `take` the batch is taken for 30 seconds in the same commit and returned, unless it waits for its time or is taken.
   * Throws EventUnpublishable, StorageUnavailable; fails with `connector.outbox_full` when no place is left.
   */
  stage(channelId: string, events: readonly Event[], options?: { take?: boolean }): Promise<Batch | undefined>;
  /** Refuses events that can never be published, as `stage` would. Throws EventUnpublishable. */
  check(channelId: string, events: readonly Event[]): void;
  /** Takes due batches for 30 seconds, and those that this replica had taken before; never those named in `except`. */
  take(limit: number, except?: readonly string[]): Promise<Batch[]>;
  /** When the next batch is due at the earliest, in milliseconds since the epoch; null when none waits. */
  next(): Promise<number | null>;
  delivered(key: string): Promise<void>;
  /** Gives the batch back until `nextAttemptAt` (milliseconds since the epoch). */
  postpone(key: string, failure: { reason: string; refused: boolean }, nextAttemptAt: number): Promise<void>;
  /** Puts the batch aside: the central server will never take it. */
  park(key: string, reason: string): Promise<void>;
  counts(): Promise<OutboxCounts>;
  /** Forgets batches that were put aside before this time (milliseconds since the epoch); says how many. */
  prune(parkedBefore: number): Promise<number>;
}

/**
 * Stages batches while places are free. Commits at the same moment do not see one another, so they may pass the bound by as many as
 * there are connections. A batch that is taken at once belongs to its lease; one that waits for its time, or that somebody has, does not.
 */
const STAGE = `
WITH given AS (
  SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS g(key, channel_id, events, owner, n)
), fresh AS (
  SELECT key, row_number() OVER (ORDER BY n) AS place FROM given WHERE NOT EXISTS (
    SELECT FROM outbox WHERE instance_id = $1 AND outbox.key = given.key AND parked_at IS NULL)
), pending AS (
  SELECT count(*) AS n FROM outbox WHERE instance_id = $1 AND parked_at IS NULL
)
INSERT INTO outbox AS o (instance_id, key, channel_id, events, created_at, next_attempt_at, lease_owner, lease_expires_at)
SELECT $1, key, channel_id, given.events::json, $6, $6, owner, CASE WHEN owner IS NULL THEN 0 ELSE $7::bigint END
FROM given LEFT JOIN fresh USING (key) CROSS JOIN pending
WHERE place IS NULL OR pending.n + place <= $8
ORDER BY key
ON CONFLICT (instance_id, key) DO UPDATE SET
  parked_at = NULL,
  attempts = CASE WHEN o.parked_at IS NULL THEN o.attempts ELSE 0 END,
  refusals = CASE WHEN o.parked_at IS NULL THEN o.refusals ELSE 0 END,
  next_attempt_at = CASE WHEN o.parked_at IS NULL THEN o.next_attempt_at ELSE $6 END,
  lease_owner = CASE WHEN o.parked_at IS NOT NULL OR (o.next_attempt_at <= $6 AND o.lease_expires_at <= $6)
    THEN excluded.lease_owner ELSE o.lease_owner END,
  lease_expires_at = CASE WHEN o.parked_at IS NOT NULL OR (o.next_attempt_at <= $6 AND o.lease_expires_at <= $6)
    THEN excluded.lease_expires_at ELSE o.lease_expires_at END
RETURNING key, attempts, refusals, coalesce(lease_owner = $9 AND lease_expires_at = $7, false) AS taken`;

/** Takes due batches, oldest attempt first, past those that another replica is taking. */
const TAKE = `
UPDATE outbox SET lease_owner = $2, lease_expires_at = $4
WHERE instance_id = $1 AND key IN (
  SELECT key FROM outbox
  WHERE instance_id = $1 AND parked_at IS NULL AND next_attempt_at <= $3 AND (lease_expires_at <= $3 OR lease_owner = $2)
    AND key <> ALL($6::text[])
  ORDER BY next_attempt_at LIMIT $5 FOR UPDATE SKIP LOCKED
)
RETURNING key, channel_id, events::text AS events, attempts, refusals`;

/** When the next batch is due; a batch that another replica has taken counts too. */
const NEXT = 'SELECT min(next_attempt_at) AS at FROM outbox WHERE instance_id = $1 AND parked_at IS NULL';

/** Only the owner of the lease may delete, so that a late answer of a slow attempt does nothing. Many in one commit. */
const DELIVERED = 'DELETE FROM outbox WHERE instance_id = $1 AND key = ANY($2::text[]) AND lease_owner = $3';

const POSTPONE = `
UPDATE outbox SET attempts = attempts + 1, refusals = refusals + $6::int, lease_owner = NULL, lease_expires_at = 0, last_error = $4,
  next_attempt_at = $5
WHERE instance_id = $1 AND key = $2 AND lease_owner = $3`;

const PARK = `
UPDATE outbox SET attempts = attempts + 1, lease_owner = NULL, lease_expires_at = 0, last_error = $4, parked_at = $5
WHERE instance_id = $1 AND key = $2 AND lease_owner = $3`;

/** Two counts, so that each can be answered by its index. */
const COUNTS = `
SELECT (SELECT count(*) FROM outbox WHERE instance_id = $1 AND parked_at IS NULL) AS pending,
  (SELECT count(*) FROM outbox WHERE instance_id = $1 AND parked_at IS NOT NULL) AS parked`;

const PRUNE = 'DELETE FROM outbox WHERE instance_id = $1 AND parked_at < $2';

/** Batches that one commit stages. */
const MAX_STAGED = 64;

/** A batch on its way into the outbox. */
interface Staging {
  key: string;
  channelId: string;
  events: string;
  take: boolean;
}

/** A batch that is in the outbox, and whether this staging took it. */
interface Staged {
  attempts: number;
  refusals: number;
  taken: boolean;
}

/** Opens the outbox of an instance as one replica sees it. */
export function openOutbox({ pool, publisher, clock }: { pool: Pool; publisher: Publisher; clock: Clock }): Outbox {
  const { instanceId, replicaId } = publisher;
  const stagedAll = groupCommit<Staging, Staged>({
    pool,
    name: 'host.outbox',
    maxBatch: MAX_STAGED,
    single: () => true,
    run: async (client: Queryable, items: readonly Staging[]): Promise<(Staged | AipError)[]> => {
      // A statement may touch a row once: the same batch twice is one, and the first takes it.
      const first = new Map([...items].reverse().map((item) => [item.key, item]));
      const column = <K extends keyof Staging>(name: K) => [...first.values()].map((item) => item[name]);
      const now = clock();
      const { rows } = await client.query<Staged & { key: string }>({
        name: 'outbox_stage',
        text: STAGE,
        values: [
          instanceId,
          column('key'),
          column('channelId'),
          column('events'),
          column('take').map((take) => (take ? replicaId : null)),
          now,
          now + OUTBOX_LEASE_MS,
          OUTBOX_PENDING,
          replicaId,
        ],
      });
      const stored = new Map(rows.map((row) => [row.key, row]));
      return items.map((item) => {
        const row = stored.get(item.key);
        return row ? { ...row, taken: row.taken && item.take && first.get(item.key) === item } : outboxFull();
      });
    },
  });
  const deliveredAll = groupCommit({
    pool,
    name: 'host.outbox.delivered',
    maxBatch: MAX_STAGED,
    single: () => true,
    run: async (client: Queryable, keys: readonly string[]): Promise<undefined[]> => {
      await client.query({ name: 'outbox_delivered', text: DELIVERED, values: [instanceId, keys, replicaId] });
      return keys.map(() => undefined);
    },
  });
  return {
    check: (channelId, events) => void prepared(channelId, events, publisher),
    stage: async (channelId, events, { take = false } = {}) => {
      const staged = prepared(channelId, events, publisher);
      const key = digestOf({ channel_id: channelId, events: staged }).replace(':', '_');
      const { attempts, refusals, taken } = await stagedAll({ key, channelId, events: JSON.stringify(staged), take });
      return taken ? { key, channelId, events: staged, attempts, refusals } : undefined;
    },
    take: async (limit, except = []) => {
      const now = clock();
      const { rows } = await pool.query<{
        key: string;
        channel_id: string;
        events: string;
        attempts: number;
        refusals: number;
      }>({
        name: 'outbox_take',
        text: TAKE,
        values: [instanceId, replicaId, now, now + OUTBOX_LEASE_MS, limit, except],
      });
      return rows.map(({ channel_id, events, ...rest }) => ({
        ...rest,
        channelId: channel_id,
        events: parseJson(events) as Event[],
      }));
    },
    next: async () => {
      const { rows } = await pool.query<{ at: number | null }>({
        name: 'outbox_next',
        text: NEXT,
        values: [instanceId],
      });
      return rows[0]?.at ?? null;
    },
    delivered: deliveredAll,
    postpone: async (key, { reason, refused }, nextAttemptAt) => {
      const values = [instanceId, key, replicaId, reason.slice(0, MAX_REASON), nextAttemptAt, Number(refused)];
      await pool.query({ text: POSTPONE, values });
    },
    park: async (key, reason) => {
      await pool.query({ text: PARK, values: [instanceId, key, replicaId, reason.slice(0, MAX_REASON), clock()] });
    },
    counts: async () => {
      const { rows } = await pool.query<OutboxCounts>({ name: 'outbox_counts', text: COUNTS, values: [instanceId] });
      return rows[0] ?? { pending: 0, parked: 0 };
    },
    prune: async (parkedBefore) =>
      (await pool.query({ text: PRUNE, values: [instanceId, parkedBefore] })).rowCount ?? 0,
  };
}

/** The events as they are staged. Throws EventUnpublishable. */
function prepared(channelId: string, events: readonly Event[], publisher: Publisher): Event[] {
  if (events.length < 1 || events.length > OUTBOX_BATCH) {
    throw new EventUnpublishable(`a batch has 1 to ${OUTBOX_BATCH} events`);
  }
  const staged = events.map(normalizeEvent);
  checkSize(staged, channelId, publisher);
  return staged;
}

/** No place is left for another batch; there is one when the central server took some. */
function outboxFull(): AipError {
  return new AipError('connector.outbox_full', `${OUTBOX_PENDING} event batches wait already; try again later`);
}
