import type { Queryable } from '../../../postgres/pool.js';
import type { ActionResult, ApprovalDecision, AuditEvent } from '../../../protocol/types.js';
import { FREED_COLUMNS, type HeldRelease, releaseHeld } from '../../../registry/allotments/release-held.js';
import type { RouteSettlement } from '../../../registry/routes/settle.js';
import type { NewDelivery } from '../../callbacks/delivery.js';
import { insertDeliveries } from '../../callbacks/record.js';
import {
  appendEvents,
  EVENT_COLUMNS,
  EVENT_VALUES,
  EVENTS_CHANNEL,
  eventArrays,
  eventColumns,
  type NewEvent,
} from '../../events/log/append.js';
import { linkOf, type StoredReceipt } from '../../records/receipts/action-chain.js';
import type { TerminalState } from '../record/states.js';
import type { TransactionEnd } from '../transaction/step/end.js';
import { finishTransactions } from '../transaction/step/finish.js';

/**
 * What happens to the idempotency key of a settled action: its result is kept for repeats, or the key is free again.
 */
export type KeySettlement = 'keep' | 'release';

/**
 * One action to be brought to its terminal state, with everything that is written in the same commit. The write happens
 * only while the record still stands as described: the same lease (none for an action that is not being executed) and
 * the same length of its receipt chain; and a requested cancellation admits no other end than a cancelled one.
 */
export interface Settlement {
  readonly action_id: string;
  readonly tenant_id: string | null;
  readonly lease_id: string | null;
  readonly state: TerminalState;
  readonly result: ActionResult;
  readonly completed_at: number;
  /** What its duration is measured by. */
  readonly measured: { readonly acceptedAt: number; readonly capabilityId: string };
  readonly dead_letter_reason: string | null;
  readonly key: KeySettlement;
  /** What the action holds from its acceptance on: its stored idempotency key, and the approval that it waited for. */
  readonly holds: { readonly key: string | null; readonly approval: string | null };
  /**
   * Receipts to append to the action's chain; the first one's position is the length that the chain must still have.
   */
  readonly receipts: readonly StoredReceipt[];
  /** Receipts of other chains that become true with it. */
  readonly furtherReceipts?: readonly StoredReceipt[];
  readonly audit: AuditEvent;
  readonly events: readonly NewEvent[];
  /** The decision with which the approval that the action waited for ends. */
  readonly withdrawal?: ApprovalDecision | undefined;
  /** What the end makes of the action's transaction. */
  readonly transaction?: TransactionEnd | undefined;
  /** The message to the action's callback. */
  readonly delivery?: NewDelivery | undefined;
  /** The route that ends with it. */
  readonly release?: RouteSettlement | undefined;
  /** Nothing in a gateway reads the route after this end, so that it may be removed. */
  readonly spendsRoute?: boolean;
}

/** Where parts of settlements are stored. */
export interface SettleOptions {
  readonly storesRoutes?: boolean;
  readonly auditsWithEvents?: boolean;
}

/** What became of one; `freed`: its route was released in the same commit. */
export interface SettleOutcome {
  /** false: the fence was lost and nothing was written. */
  readonly written: boolean;
  readonly freed?: HeldRelease | undefined;
}

// The columns of the items of a batch, and what follows from the end of each action. The id list is a parameter of every joined
// UPDATE: a plan that was made while the table was empty would read all of it later. Several rows are locked in the order of their
// ids, as the chunk ingress does it, so that neither waits for the other in a ring; one alone needs no lock before its update.
const ITEM = `item AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::integer[], $9::integer[],
    $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[]) AS i(action_id, lease_id, state, result, error_code, completed_at,
    dead_letter_reason, position, receipt_count, receipt_head, audit_id, audit_action, audit, tenant_id, receipts)
)`;
const LOCKED = `locked AS MATERIALIZED (
  SELECT a.action_id FROM runtime.actions a WHERE cardinality($1::text[]) > 1 AND a.action_id = ANY($1::text[])
    AND EXISTS (SELECT FROM item i WHERE i.action_id = a.action_id AND i.tenant_id IS NOT DISTINCT FROM a.tenant_id)
  ORDER BY a.action_id, a.tenant_id FOR NO KEY UPDATE
)`;
// No index of actions names a column whose value changes when an action completes: lease_expires_at stays as it was.
const SETTLED = `settled AS (
  UPDATE runtime.actions a SET state = i.state, result = i.result::json, error_code = i.error_code, completed_at = i.completed_at,
    updated_at = i.completed_at, dead_letter_reason = i.dead_letter_reason, receipt_head = i.receipt_head,
    receipt_count = i.receipt_count, receipts = a.receipts || ARRAY(SELECT link FROM json_array_elements(i.receipts::json) AS link),
    lease_id = NULL, lease_acquired_at = NULL, next_attempt_at = NULL, unsuccessful_state = NULLIF(i.state, 'completed'),
    dead_lettered_at = CASE WHEN i.state = 'dead_lettered' THEN i.completed_at END, open_session_id = NULL,
    ended_xid = pg_current_xact_id()
  FROM item i, (SELECT count(*) AS n FROM locked) first
  WHERE first.n >= 0 AND a.action_id = ANY($1::text[]) AND a.action_id = i.action_id AND a.tenant_id IS NOT DISTINCT FROM i.tenant_id
    AND a.completed_at IS NULL
    AND a.lease_id IS NOT DISTINCT FROM i.lease_id AND a.receipt_count = i.position AND (NOT a.cancel_requested OR i.state = 'cancelled')
  RETURNING a.action_id, a.tenant_id, a.principal_id, a.session_id, a.transaction_id, a.idempotency_key, a.approval_id,
    i.result, i.completed_at, i.audit_id, i.audit_action, i.audit
)`;
const AUDITED = `audited AS (
  INSERT INTO runtime.audit (audit_id, tenant_id, principal_id, action_id, session_id, transaction_id, action, occurred_at, record)
  SELECT audit_id, tenant_id, principal_id, action_id, session_id, transaction_id, audit_action, completed_at, audit::json FROM settled
)`;
const RESULT_EVENT = 'aip.action.result';
const EVENTS = `unnest($16::text[], ${eventArrays(17)}) WITH ORDINALITY AS e(settles, ${EVENT_COLUMNS}, place)
  JOIN settled s ON s.action_id = e.settles ORDER BY e.place`;
const APPENDED = `appended AS (INSERT INTO runtime.events (${EVENT_COLUMNS}) SELECT ${EVENT_VALUES} FROM ${EVENTS})`;
// The event of a result carries its audit event, which is found by the columns that both have, and by the same time. A transaction is none of them.
const AUDITED_OTHERS = `${AUDITED.slice(0, -1)} WHERE transaction_id IS NOT NULL)`;
const APPENDED_AUDITED = `appended AS (
  INSERT INTO runtime.events (${EVENT_COLUMNS}, audit)
  SELECT e.event_id, e.kind, e.action_id, e.session_id, e.tenant_id, e.principal_id,
    CASE WHEN e.kind = '${RESULT_EVENT}' THEN s.completed_at ELSE greatest(e.occurred_at, (extract(epoch FROM now()) * 1000)::bigint) END,
    e.record::json, CASE WHEN e.kind = '${RESULT_EVENT}' AND s.transaction_id IS NULL THEN s.audit::json END
  FROM ${EVENTS}
)`;
const HELD_PARTS = `held AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $25::boolean[], $26::text[]) AS h(action_id, keep_key, withdrawal)
), kept AS (
  UPDATE runtime.idempotency k SET result = s.result::json, settled_at = s.completed_at, expires_at = s.completed_at + k.ttl_ms
  FROM settled s JOIN held h USING (action_id)
  WHERE k.stored_key = ANY($27::text[]) AND k.stored_key = s.idempotency_key AND k.owner_action_id = s.action_id AND h.keep_key
), released AS (
  DELETE FROM runtime.idempotency k USING settled s JOIN held h USING (action_id)
  WHERE k.stored_key = ANY($27::text[]) AND k.stored_key = s.idempotency_key AND k.owner_action_id = s.action_id AND NOT h.keep_key
), withdrawn AS (
  UPDATE runtime.approvals p SET status = 'expired', decision = h.withdrawal::json, updated_at = s.completed_at
  FROM settled s JOIN held h USING (action_id)
  WHERE p.approval_id = ANY($28::text[]) AND p.approval_id = s.approval_id AND p.tenant_id IS NOT DISTINCT FROM s.tenant_id
    AND p.status = 'pending'
), receipted AS (
  INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
  SELECT r.chain_id, r.position, r.receipt_id, s.tenant_id, s.principal_id, r.hash, r.record::json
  FROM unnest($29::text[], $30::text[], $31::integer[], $32::text[], $33::text[], $34::text[])
    AS r(action_id, chain_id, position, receipt_id, hash, record) JOIN settled s USING (action_id)
)`;

const SETTLED_IDS = 'SELECT action_id FROM settled';
const FREED_IDS = `SELECT s.action_id, ${FREED_COLUMNS} FROM settled s LEFT JOIN freed f USING (action_id)`;
const statement = (name: string, parts: readonly string[], answer: string): { name: string; text: string } => ({
  name: `runtime.action.${name}`,
  text: `WITH ${parts.join(', ')} ${answer}`,
});

// Settle a batch of actions in one statement, which is one commit. The fenced update decides which items count; all else follows it.
// Most actions hold no idempotency key, no approval and no receipts of other chains: with those it costs about a third more.
const forms = (name: string, parts: readonly string[]) => ({
  plain: statement(name, parts, SETTLED_IDS),
  holding: statement(`${name}_holding`, [...parts, HELD_PARTS], SETTLED_IDS),
  plainFreeing: statement(`${name}_freeing`, [...parts, releaseHeld(25)], FREED_IDS),
  holdingFreeing: statement(`${name}_holding_freeing`, [...parts, HELD_PARTS, releaseHeld(35)], FREED_IDS),
});
const SETTLE = {
  apart: forms('settle', [ITEM, LOCKED, SETTLED, AUDITED, APPENDED]),
  withEvents: forms('settle_audited', [ITEM, LOCKED, SETTLED, AUDITED_OTHERS, APPENDED_AUDITED]),
};

/**
 * Settles a batch in one commit. Made to be the `run` of a group commit: returns for each item, in order, whether it was written; false
 * means that the fence was lost and nothing of the item was. Needs a transaction around it unless isOneStatement says otherwise. Routes are
 * released with it only where `storesRoutes` says that they are stored in the same database. `auditsWithEvents`: the audit event of a result is
 * kept in the row of its event.
 */
export async function settleBatch(
  client: Queryable,
  items: readonly Settlement[],
  options: SettleOptions = {},
): Promise<SettleOutcome[]> {
  const outcomes = new Map<Settlement, SettleOutcome>();
  for (let open = items; open.length > 0; ) {
    const { distinct, later } = apart(open);
    const settled = await settleDistinct(client, distinct, options);
    for (const [index, item] of distinct.entries()) outcomes.set(item, settled[index] as SettleOutcome);
    open = later;
  }
  return items.map((item) => outcomes.get(item) as SettleOutcome);
}

async function settleDistinct(
  client: Queryable,
  items: readonly Settlement[],
  { storesRoutes = false, auditsWithEvents = false }: SettleOptions,
): Promise<SettleOutcome[]> {
  const first = firstOfEach(items);
  // The result stays the last event of an action, after those of its transaction.
  const steps = items.some(({ transaction }) => transaction !== undefined);
  const holding = first.some(
    ({ holds, furtherReceipts }) => holds.key !== null || holds.approval !== null || furtherReceipts !== undefined,
  );
  const releases = storesRoutes ? first.filter(({ release }) => release) : [];
  const freeing = releases.length > 0;
  const form = SETTLE[auditsWithEvents && !steps && first.every(hasResultEvent) ? 'withEvents' : 'apart'];
  const { rows } = await client.query<{ action_id: string } & Partial<HeldRelease>>({
    ...(holding ? form[freeing ? 'holdingFreeing' : 'holding'] : form[freeing ? 'plainFreeing' : 'plain']),
    values: [
      ...valuesOf(first, !steps),
      ...(holding ? heldValuesOf(first) : []),
      ...(freeing ? releaseValuesOf(releases) : []),
    ],
  });
  const answers = new Map(rows.map(({ action_id, ...freed }) => [action_id, freed]));
  const outcomes = items.map(({ action_id }): SettleOutcome => {
    const freed = answers.get(action_id);
    if (!freed) return { written: false };
    answers.delete(action_id);
    return { written: true, ...(freed.fenceToken ? { freed: freed as HeldRelease } : {}) };
  });
  const settled = items.filter((_, index) => outcomes[index]?.written);
  await insertDeliveries(
    client,
    settled.flatMap(({ delivery }) => delivery ?? []),
  );
  if (steps) {
    const ended = await finishTransactions(
      client,
      settled.flatMap(({ transaction }) => transaction ?? []),
    );
    await appendEvents(client, [...ended, ...settled.flatMap((item) => item.events)]);
  } else if (settled.length > 0) client.announce?.(EVENTS_CHANNEL);
  return outcomes;
}

function hasResultEvent({ events }: Settlement): boolean {
  return events.some(({ event }) => event.kind === RESULT_EVENT);
}

/** Whether a batch of settlements is written by one statement, which needs no transaction around it. */
export function isOneStatement(items: readonly Settlement[]): boolean {
  const alone = items.every(({ transaction, delivery }) => transaction === undefined && delivery === undefined);
  return alone && apart(items).later.length === 0;
}

/** Splits off the actions that have the id of another tenant's action before them: a statement goes by the id alone where it joins its parts. */
function apart(items: readonly Settlement[]): { distinct: Settlement[]; later: Settlement[] } {
  const tenants = new Map<string, string | null>();
  const distinct: Settlement[] = [];
  const later: Settlement[] = [];
  for (const item of items) {
    const { action_id, tenant_id } = item;
    if (!tenants.has(action_id)) tenants.set(action_id, tenant_id);
    if (tenants.get(action_id) === tenant_id) distinct.push(item);
    else later.push(item);
  }
  return { distinct, later };
}

/** Two settlements of one action in one batch: only the first may win. */
function firstOfEach(items: readonly Settlement[]): Settlement[] {
  const seen = new Set<string>();
  return items.filter((item) => !seen.has(item.action_id) && seen.add(item.action_id));
}

/** The values of $1 to $24; the events stay away where they are appended later. */
function valuesOf(items: readonly Settlement[], withEvents: boolean): unknown[] {
  const column = <T>(value: (item: Settlement) => T): T[] => items.map(value);
  const events = withEvents
    ? items.flatMap(({ action_id, events }) => events.map((event) => ({ action_id, event })))
    : [];
  return [
    column(({ action_id }) => action_id),
    column(({ lease_id }) => lease_id),
    column(({ state }) => state),
    column(({ result }) => JSON.stringify(result)),
    column(({ result }) => result.error?.code ?? null),
    column(({ completed_at }) => completed_at),
    column(({ dead_letter_reason }) => dead_letter_reason),
    column(({ receipts }) => receipts[0]?.position),
    column(({ receipts }) => (receipts.at(-1)?.position ?? 0) + 1),
    column(({ receipts }) => receipts.at(-1)?.hash),
    column(({ audit }) => audit.id),
    column(({ audit }) => audit.action),
    column(({ audit }) => JSON.stringify(audit)),
    column(({ tenant_id }) => tenant_id),
    column(({ receipts }) => JSON.stringify(receipts.map(linkOf))),
    events.map(({ action_id }) => action_id),
    ...eventColumns(events.map(({ event }) => event)),
  ];
}

/** The values of $25 to $34. */
function heldValuesOf(items: readonly Settlement[]): unknown[] {
  const receipts = items.flatMap(({ action_id, furtherReceipts = [] }) =>
    furtherReceipts.map((receipt) => ({ action_id, ...receipt })),
  );
  return [
    items.map(({ key }) => key === 'keep'),
    items.map(({ withdrawal }) => (withdrawal === undefined ? null : JSON.stringify(withdrawal))),
    items.flatMap(({ holds }) => holds.key ?? []),
    items.flatMap(({ holds }) => holds.approval ?? []),
    receipts.map(({ action_id }) => action_id),
    receipts.map(({ chain_id }) => chain_id),
    receipts.map(({ position }) => position),
    receipts.map(({ receipt_id }) => receipt_id),
    receipts.map(({ hash }) => hash),
    receipts.map(({ record }) => JSON.stringify(record)),
  ];
}

/** The values of the last four parameters where routes are released. */
function releaseValuesOf(items: readonly Settlement[]): unknown[] {
  return [
    items.map(({ release }) => release?.actionId),
    items.map(({ release }) => release?.fenceToken),
    items.map(({ release }) => release?.settlement),
    items.map(({ spendsRoute }) => spendsRoute === true),
  ];
}
