import type { Queryable } from '../../postgres/pool.js';
import { parseJson } from '../../protocol/json.js';
import { formatTime } from '../../protocol/time.js';
import type { Body, CallbackDeliveryPolicy, CallbackDeliveryRecord, ReceiptChain } from '../../protocol/types.js';
import type { NewDelivery } from './delivery.js';

export const DELIVERY_STATUSES = ['pending', 'running', 'delivered', 'failed', 'dead_lettered'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One attempt, counted from 1. */
export interface DeliveryAttempt {
  readonly attempt: number;
  readonly started_at: string;
  readonly finished_at?: string;
  readonly error?: string;
}

/** One row of runtime.callback_deliveries. Times in ms since the epoch. */
export interface StoredDelivery extends Omit<NewDelivery, 'policy' | 'body'> {
  readonly seq: number;
  readonly policy: CallbackDeliveryPolicy;
  readonly body: Body;
  readonly status: DeliveryStatus;
  readonly attempts: readonly DeliveryAttempt[];
  readonly next_attempt_at: number | null;
  readonly leased_by: string | null;
  readonly lease_id: string | null;
  readonly lease_expires_at: number | null;
  readonly last_error: string | null;
  readonly dead_letter_reason: string | null;
  readonly updated_at: number;
  readonly completed_at: number | null;
}

/** A row as the database gives it: documents are still text. */
export type DeliveryRow = Omit<StoredDelivery, 'policy' | 'body' | 'attempts'> & {
  readonly policy: string;
  readonly body: string;
  readonly attempts: string;
};

/** The columns of a StoredDelivery, documents as text; for a SELECT or RETURNING list of table alias `d`. */
export const DELIVERY_COLUMNS = `d.delivery_id, d.seq, d.tenant_id, d.principal_id, d.principal_kind, d.action_id, d.session_id,
  d.correlation_id, d.message_id, d.message_type, d.policy::text AS policy, d.body::text AS body, d.status,
  d.attempts::text AS attempts, d.next_attempt_at, d.leased_by, d.lease_id, d.lease_expires_at, d.last_error, d.dead_letter_reason,
  d.created_at, d.updated_at, d.completed_at`;

// Stores deliveries that may begin at once; one that is there already stays.
const INSERT = `
INSERT INTO runtime.callback_deliveries (delivery_id, tenant_id, principal_id, principal_kind, action_id, session_id, correlation_id,
  message_id, message_type, profile, target, policy, body, status, next_attempt_at, created_at, updated_at)
SELECT i.delivery_id, i.tenant_id, i.principal_id, i.principal_kind, i.action_id, i.session_id, i.correlation_id, i.message_id,
  i.message_type, i.profile, i.target, i.policy, d.body::json, 'pending', i.created_at, i.created_at, i.created_at
FROM unnest($2::text[]) WITH ORDINALITY AS d(body, ord)
JOIN json_to_recordset($1::json) AS i(ord bigint, delivery_id text, tenant_id text, principal_id text, principal_kind text,
  action_id text, session_id text, correlation_id text, message_id text, message_type text, profile text, target text, policy json,
  created_at bigint) USING (ord)
ON CONFLICT (delivery_id, tenant_id) DO NOTHING`;

/** Stores deliveries in the transaction of `client`. */
export async function insertDeliveries(client: Queryable, deliveries: readonly NewDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const rows = deliveries.map(({ body: _body, ...delivery }, index) => ({
    ord: index + 1,
    ...delivery,
    profile: delivery.policy.target.profile,
    target: delivery.policy.target.target,
  }));
  await client.query({
    name: 'runtime.callbacks.insert',
    text: INSERT,
    values: [JSON.stringify(rows), deliveries.map(({ body }) => JSON.stringify(body))],
  });
}

/** Turns a row into a delivery. */
export function decodedDelivery(row: DeliveryRow): StoredDelivery {
  return {
    ...row,
    policy: JSON.parse(row.policy) as CallbackDeliveryPolicy,
    body: parseJson(row.body) as Body,
    attempts: JSON.parse(row.attempts) as DeliveryAttempt[],
  };
}

/** The view of a delivery (docs/protocol/records.md#callback-deliveries). */
export function deliveryView(delivery: StoredDelivery, chain: ReceiptChain | undefined): CallbackDeliveryRecord {
  const text = <K extends string>(name: K, value: string | null) =>
    (value === null ? {} : { [name]: value }) as { [P in K]?: string };
  const time = <K extends string>(name: K, ms: number | null) => text(name, ms === null ? null : formatTime(ms));
  return {
    delivery_id: delivery.delivery_id,
    policy: delivery.policy,
    message_id: delivery.message_id,
    message_type: delivery.message_type,
    ...text('action_id', delivery.action_id),
    ...text('session_id', delivery.session_id),
    ...text('correlation_id', delivery.correlation_id),
    ...text('tenant_id', delivery.tenant_id),
    status: delivery.status,
    ...(delivery.attempts.length > 0 && { attempts: [...delivery.attempts] }),
    ...time('next_attempt_at', delivery.next_attempt_at),
    ...text('leased_by', delivery.leased_by),
    ...time('lease_expires_at', delivery.lease_expires_at),
    ...text('last_error', delivery.last_error),
    ...text('dead_letter_reason', delivery.dead_letter_reason),
    ...(chain && { receipt_chain: chain }),
    created_at: formatTime(delivery.created_at),
    updated_at: formatTime(delivery.updated_at),
    ...time('completed_at', delivery.completed_at),
  };
}
