import { groupCommit } from '../../postgres/group-commit.js';
import type { Pool, Queryable } from '../../postgres/pool.js';
import { isUniqueViolation } from '../../postgres/unique-violation.js';
import type { Clock } from '../../protocol/clock.js';
import { type JournalDurability, MAX_BATCH, RELAXED } from './durability.js';

/** One delivered message whose action is to be executed. */
export interface Delivery {
  messageId: string;
  /** Base64 signature of the envelope: the same message has the same one. */
  signature: string;
  /** Milliseconds since the epoch until which a copy of the message could be fresh. */
  expiresAt: number;
  actionId: string;
  capabilityId: string;
  /** Digest of what is to be done; one action id stands for one request. */
  requestDigest: string;
}

/** Rows of the parameters of ADMIT_NEW and ADMIT. */
const DELIVERED = `delivered AS (
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[])
    AS d(message_id, signature, expires_at, action_id, capability_id, request_digest)
)`;

/**
 * Records intents of many deliveries at once whose message and action are both new; the row of the execution holds the message id, too. One
 * statement, one commit. A subquery a row reads by key, whatever the plan; an insert that expects a conflict would write a WAL record more.
 */
const ADMIT_NEW = `
WITH ${DELIVERED}
INSERT INTO executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at, message_id, signature)
SELECT $7, action_id, $8, capability_id, request_digest, 'started', $9, message_id, signature FROM delivered d
WHERE (SELECT c.expires_at FROM replay_claims c WHERE c.message_id = d.message_id) IS NULL
  AND (SELECT e.started_at FROM executions e WHERE e.message_id = d.message_id) IS NULL
  AND (SELECT e.started_at FROM executions e WHERE e.instance_id = $7 AND e.action_id = d.action_id) IS NULL
RETURNING message_id`;

const ADMIT_NEW_RELAXED = ADMIT_NEW.replace('WITH delivered', `WITH ${RELAXED}, delivered`).replace(
  'FROM delivered d',
  'FROM delivered d CROSS JOIN relaxed',
);

/** The same for deliveries of which another one has the message or the action: the id is claimed for itself, the intent only where the action is new. */
const ADMIT = `
WITH ${DELIVERED}, claimed AS (
  INSERT INTO replay_claims (message_id, signature, expires_at)
  SELECT message_id, signature, expires_at FROM delivered d
  WHERE (SELECT e.started_at FROM executions e WHERE e.message_id = d.message_id) IS NULL
  ON CONFLICT (message_id) DO NOTHING RETURNING message_id
), begun AS (
  INSERT INTO executions (instance_id, action_id, replica_id, capability_id, request_digest, state, started_at)
  SELECT $7, action_id, $8, capability_id, request_digest, 'started', $9 FROM delivered JOIN claimed USING (message_id)
  ON CONFLICT (instance_id, action_id) DO NOTHING RETURNING action_id
)
SELECT message_id, claimed.message_id IS NOT NULL AS claimed, begun.action_id IS NOT NULL AS begun
FROM delivered LEFT JOIN claimed USING (message_id) LEFT JOIN begun USING (action_id)`;

const ADMIT_RELAXED = `${ADMIT.replace('WITH delivered', `WITH ${RELAXED}, delivered`)} CROSS JOIN relaxed`;

/** The outcome of a delivery: whether its message id was new, and whether its intent is recorded now. */
export interface Admitted {
  readonly claimed: boolean;
  readonly begun: boolean;
}

/** Whose intents are recorded, and where. */
export interface AdmitDeps {
  readonly pool: Pool;
  readonly instanceId: string;
  readonly replicaId: string;
  readonly clock: Clock;
}

/** Opens the admission of deliveries: what arrives at the same time shares a commit. `mutates` as Journal.admit. */
export function openAdmit(
  deps: AdmitDeps,
  durability: JournalDurability,
): (delivery: Delivery, mutates: boolean) => Promise<Admitted> {
  const { pool } = deps;
  const admitted = (relaxed: boolean) =>
    groupCommit({
      pool,
      name: 'host.admit',
      maxBatch: MAX_BATCH,
      run: (client: Queryable, deliveries: readonly Delivery[]) => admitAll(client, deliveries, relaxed, deps),
      single: () => true,
    });
  const durably = admitted(false);
  const read = durability === 'relaxed' ? admitted(true) : durably;
  return (delivery, mutates) => (mutates ? durably : read)(delivery);
}

async function admitAll(
  client: Queryable,
  deliveries: readonly Delivery[],
  relaxed: boolean,
  deps: AdmitDeps,
): Promise<Admitted[]> {
  const begun = await beginNew(client, deliveries, relaxed, deps);
  const others = deliveries.filter(({ messageId }) => !begun.has(messageId));
  if (others.length === 0) return deliveries.map(() => ({ claimed: true, begun: true }));
  const { rows } = await client.query<Admitted & { message_id: string }>({
    name: relaxed ? 'host_admit_relaxed' : 'host_admit',
    text: relaxed ? ADMIT_RELAXED : ADMIT,
    values: valuesOf(others, deps),
  });
  const byMessage = new Map(rows.map((row) => [row.message_id, row]));
  return deliveries.map(({ messageId }) =>
    begun.has(messageId) ? { claimed: true, begun: true } : (byMessage.get(messageId) as Admitted),
  );
}

/** The messages whose intent is recorded; none where another delivery of the same moment has the message or the action of one. */
async function beginNew(
  client: Queryable,
  deliveries: readonly Delivery[],
  relaxed: boolean,
  deps: AdmitDeps,
): Promise<ReadonlySet<string>> {
  try {
    const { rows } = await client.query<{ message_id: string }>({
      name: relaxed ? 'host_admit_new_relaxed' : 'host_admit_new',
      text: relaxed ? ADMIT_NEW_RELAXED : ADMIT_NEW,
      values: valuesOf(deliveries, deps),
    });
    return new Set(rows.map(({ message_id }) => message_id));
  } catch (error) {
    if (isUniqueViolation(error)) return new Set();
    throw error;
  }
}

function valuesOf(deliveries: readonly Delivery[], { instanceId, replicaId, clock }: AdmitDeps): unknown[] {
  const column = (name: keyof Delivery) => deliveries.map((delivery) => delivery[name]);
  return [
    column('messageId'),
    column('signature'),
    column('expiresAt'),
    column('actionId'),
    column('capabilityId'),
    column('requestDigest'),
    instanceId,
    replicaId,
    clock(),
  ];
}
