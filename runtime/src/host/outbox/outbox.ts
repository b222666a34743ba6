import type { Pool } from '../../postgres/pool.js';
import type { Clock } from '../../protocol/clock.js';
import { digestOf } from '../../protocol/digest.js';
import { AipError } from '../../protocol/errors.js';
import { parseJson } from '../../protocol/json.js';
import { MAX_EVENT_BYTES, OUTBOX_BATCH, OUTBOX_LEASE_MS, OUTBOX_PENDING } from '../../protocol/limits.js';
import type { Event } from '../../protocol/types.js';
import { EventUnpublishable, normalizeEvent } from './normalize.js';

/** A staged batch; the same channel and events have the same key. */
export interface Batch {
  key: string;
  channelId: string;
  events: Event[];
  /** Failed attempts so far. */
  attempts: number;
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
  /** Stages 1 to 100 events as one batch; the same batch again changes nothing. Throws EventUnpublishable, OutboxFull, StorageUnavailable. */
  stage(channelId: string, events: readonly Event[]): Promise<void>;
  /** Takes due batches for 30 seconds. */
  take(limit: number): Promise<Batch[]>;
  delivered(key: string): Promise<void>;
  /** Gives the batch back until `nextAttemptAt` (milliseconds since the epoch). */
  postpone(key: string, error: string, nextAttemptAt: number): Promise<void>;
  /** Puts the batch aside: the central server will never take it. */
  park(key: string, error: string): Promise<void>;
  pending(): Promise<number>;
}

/** Stages a batch while places are free. The no-op update tells "was staged before" from "no place". */
const STAGE = `
INSERT INTO outbox (instance_id, key, channel_id, events, created_at, next_attempt_at)
SELECT $1, $2, $3, $4, $5, $5
WHERE (SELECT count(*) FROM outbox WHERE instance_id = $1 AND parked_at IS NULL) < $6
ON CONFLICT (instance_id, key) DO UPDATE SET channel_id = outbox.channel_id
RETURNING key`;

/** Takes due batches, oldest attempt first, past those that another replica is taking. */
const TAKE = `
UPDATE outbox SET lease_owner = $2, lease_expires_at = $4
WHERE instance_id = $1 AND key IN (
  SELECT key FROM outbox
  WHERE instance_id = $1 AND parked_at IS NULL AND next_attempt_at <= $3 AND lease_expires_at <= $3
  ORDER BY next_attempt_at LIMIT $5 FOR UPDATE SKIP LOCKED
)
RETURNING key, channel_id, events::text AS events, attempts`;

/** Only the owner of the lease may delete, so that a late answer of a slow attempt does nothing. */
const DELIVERED = 'DELETE FROM outbox WHERE instance_id = $1 AND key = $2 AND lease_owner = $3';

const POSTPONE = `
UPDATE outbox SET attempts = attempts + 1, lease_owner = NULL, lease_expires_at = 0, last_error = $4, next_attempt_at = $5
WHERE instance_id = $1 AND key = $2 AND lease_owner = $3`;

const PARK = `
UPDATE outbox SET attempts = attempts + 1, lease_owner = NULL, lease_expires_at = 0, last_error = $4, parked_at = $5
WHERE instance_id = $1 AND key = $2 AND lease_owner = $3`;

const PENDING = 'SELECT count(*) AS pending FROM outbox WHERE instance_id = $1 AND parked_at IS NULL';

/** Opens the outbox of an instance as one replica sees it. */
export function openOutbox({
  pool,
  instanceId,
  replicaId,
  clock,
}: {
  pool: Pool;
  instanceId: string;
  replicaId: string;
  clock: Clock;
}): Outbox {
  return {
    stage: async (channelId, events) => {
      if (events.length < 1 || events.length > OUTBOX_BATCH) {
        throw new EventUnpublishable(`a batch has 1 to ${OUTBOX_BATCH} events`);
      }
      const staged = events.map(normalizeEvent);
      const text = JSON.stringify(staged);
      if (staged.some((event) => Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES)) {
        throw new EventUnpublishable(`an event has at most ${MAX_EVENT_BYTES} bytes`);
      }
      const key = digestOf({ channel_id: channelId, events: staged }).replace(':', '_');
      const { rowCount } = await pool.query({
        text: STAGE,
        values: [instanceId, key, channelId, text, clock(), OUTBOX_PENDING],
      });
      if (rowCount === 0) throw new OutboxFull();
    },
    take: async (limit) => {
      const now = clock();
      const { rows } = await pool.query<{ key: string; channel_id: string; events: string; attempts: number }>({
        name: 'outbox_take',
        text: TAKE,
        values: [instanceId, replicaId, now, now + OUTBOX_LEASE_MS, limit],
      });
      return rows.map(({ key, channel_id, events, attempts }) => ({
        key,
        channelId: channel_id,
        events: parseJson(events) as Event[],
        attempts,
      }));
    },
    delivered: async (key) => {
      await pool.query({ text: DELIVERED, values: [instanceId, key, replicaId] });
    },
    postpone: async (key, error, nextAttemptAt) => {
      await pool.query({ text: POSTPONE, values: [instanceId, key, replicaId, error.slice(0, 1024), nextAttemptAt] });
    },
    park: async (key, error) => {
      await pool.query({ text: PARK, values: [instanceId, key, replicaId, error.slice(0, 1024), clock()] });
    },
    pending: async () => {
      const { rows } = await pool.query<{ pending: number }>({ text: PENDING, values: [instanceId] });
      return rows[0]?.pending ?? 0;
    },
  };
}
