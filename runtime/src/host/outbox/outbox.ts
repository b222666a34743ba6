import type { Pool } from '../../postgres/pool.js';
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

/** No place is left for another batch; try again when the central server took some. */
export class OutboxFull extends AipError {
  constructor() {
    const message = `${OUTBOX_PENDING} event batches wait already; try again later`;
    super({ code: 'connector.outbox_full', category: 'temporary', message, retryable: true, retryAfterMs: 1000 });
  }
}

/** Provider events on their way to the central server: durable, shared by the replicas of the instance. */
export interface Outbox {
  /**
   * Stages 1 to 100 events as one batch. The same batch again changes nothing while it waits; one that was put aside waits again with a
   * new count. Throws EventUnpublishable, OutboxFull, StorageUnavailable.
   */
  stage(channelId: string, events: readonly Event[]): Promise<void>;
  /** Takes due batches for 30 seconds, and those that this replica had taken before. */
  take(limit: number): Promise<Batch[]>;
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
 * Stages a batch while places are free. Stagings at the same moment do not see one another, so they may pass the bound by as many as
 * there are connections. The update tells "was staged before" from "no place".
 */
const STAGE = `
INSERT INTO outbox (instance_id, key, channel_id, events, created_at, next_attempt_at)
SELECT $1, $2, $3, $4, $5, $5
WHERE EXISTS (SELECT FROM outbox WHERE instance_id = $1 AND key = $2 AND parked_at IS NULL)
  OR (SELECT count(*) FROM outbox WHERE instance_id = $1 AND parked_at IS NULL) < $6
ON CONFLICT (instance_id, key) DO UPDATE SET
  parked_at = NULL,
  attempts = CASE WHEN outbox.parked_at IS NULL THEN outbox.attempts ELSE 0 END,
  refusals = CASE WHEN outbox.parked_at IS NULL THEN outbox.refusals ELSE 0 END,
  next_attempt_at = CASE WHEN outbox.parked_at IS NULL THEN outbox.next_attempt_at ELSE $5 END
RETURNING key`;

/** Takes due batches, oldest attempt first, past those that another replica is taking. */
const TAKE = `
UPDATE outbox SET lease_owner = $2, lease_expires_at = $4
WHERE instance_id = $1 AND key IN (
  SELECT key FROM outbox
  WHERE instance_id = $1 AND parked_at IS NULL AND next_attempt_at <= $3 AND (lease_expires_at <= $3 OR lease_owner = $2)
  ORDER BY next_attempt_at LIMIT $5 FOR UPDATE SKIP LOCKED
)
RETURNING key, channel_id, events::text AS events, attempts, refusals`;

/** Only the owner of the lease may delete, so that a late answer of a slow attempt does nothing. */
const DELIVERED = 'DELETE FROM outbox WHERE instance_id = $1 AND key = $2 AND lease_owner = $3';

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

/** Opens the outbox of an instance as one replica sees it. */
export function openOutbox({ pool, publisher, clock }: { pool: Pool; publisher: Publisher; clock: Clock }): Outbox {
  const { instanceId, replicaId } = publisher;
  return {
    stage: async (channelId, events) => {
      if (events.length < 1 || events.length > OUTBOX_BATCH) {
        throw new EventUnpublishable(`a batch has 1 to ${OUTBOX_BATCH} events`);
      }
      const staged = events.map(normalizeEvent);
      checkSize(staged, channelId, publisher);
      const key = digestOf({ channel_id: channelId, events: staged }).replace(':', '_');
      const { rowCount } = await pool.query({
        text: STAGE,
        values: [instanceId, key, channelId, JSON.stringify(staged), clock(), OUTBOX_PENDING],
      });
      if (rowCount === 0) throw new OutboxFull();
    },
    take: async (limit) => {
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
        values: [instanceId, replicaId, now, now + OUTBOX_LEASE_MS, limit],
      });
      return rows.map(({ channel_id, events, ...rest }) => ({
        ...rest,
        channelId: channel_id,
        events: parseJson(events) as Event[],
      }));
    },
    delivered: async (key) => {
      await pool.query({ text: DELIVERED, values: [instanceId, key, replicaId] });
    },
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
