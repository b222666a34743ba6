import { FIRST_PLACE, type Removal, removalByAge, removalByScan } from '../../postgres/retention/expired-rows.js';
import type { FamilyName } from '../metrics/families.js';
import type { RetentionRules } from './retention-rules.js';

/** The columns of the audit event that the event of a result carries. */
const AUDIT_OF_RESULT = `xid, seq, audit_id, tenant_id, principal_id, action_id, session_id, action, occurred_at, record`;
const auditOfResult = (row: string): string =>
  `${row}.xid, ${row}.seq, 'audit:action:' || ${row}.action_id || ':result', ${row}.tenant_id, ${row}.principal_id, ${row}.action_id, ${row}.session_id,
    ${row}.kind, ${row}.occurred_at, ${row}.audit`;

// Events that came into the log before $1, in the order of the log: no index of their times is written with every event. Times there follow the order
// but for the minutes that a provider may date ahead, so a batch without an expired event ends the pass. The audit event of a result takes a row of its own
// then, at the place that it had, unless it is expired too ($5).
const DELETE_EVENTS = `
WITH oldest AS MATERIALIZED (
  SELECT ctid AS row_id, xid, seq, occurred_at < $1::bigint AS expired FROM runtime.events
  WHERE (xid, seq) > ($3::text::xid8, $4::bigint) ORDER BY xid, seq LIMIT $2
), gone AS (
  DELETE FROM runtime.events WHERE ctid = ANY (ARRAY(SELECT row_id FROM oldest WHERE expired))
  RETURNING xid, seq, tenant_id, principal_id, action_id, session_id, kind, occurred_at, audit
), audited AS (
  INSERT INTO runtime.audit (${AUDIT_OF_RESULT}) SELECT ${auditOfResult('gone')}
  FROM gone WHERE audit IS NOT NULL AND occurred_at >= $5::bigint
)
SELECT (SELECT count(*) FROM gone)::int AS removed,
  CASE WHEN count(*) = $2 AND bool_or(expired) THEN (SELECT ARRAY[xid::text, seq::text] FROM oldest ORDER BY xid DESC, seq DESC LIMIT 1) END AS place
FROM oldest`;
const FIRST_EVENT = ['0', '0'];

const DELETE_REPLAY_CLAIMS = removalByScan({ table: 'runtime.replay_claims', at: 'expires_at' });
const DELETE_IDEMPOTENCY_KEYS = removalByAge({ table: 'runtime.idempotency', at: 'expires_at' });

// What an action leaves when it is removed: no chunks, its receipts, which stay, and the audit event of its result, which is found without it from then on.
const REMOVED_ACTION = `action_id, tenant_id, COALESCE(tenant_id, '') AS tenant_key, principal_id, receipts, ended_xid`;
const AFTER_ACTIONS = `, chunks AS (
  DELETE FROM runtime.chunks c USING gone WHERE c.action_id = gone.action_id AND c.tenant_key = gone.tenant_key
), kept AS (
  INSERT INTO runtime.receipts (chain_id, position, receipt_id, tenant_id, principal_id, hash, record)
  SELECT 'action:' || g.action_id, (link->>'position')::integer, link->'record'->>'id', g.tenant_id, g.principal_id,
    link->'record'->>'hash', link->'record'
  FROM gone g, unnest(g.receipts) AS link
  ON CONFLICT DO NOTHING
), carried AS MATERIALIZED (
  SELECT e.* FROM gone g JOIN runtime.events e ON e.xid = g.ended_xid AND e.action_id = g.action_id AND e.tenant_id IS NOT DISTINCT FROM g.tenant_id
  WHERE e.audit IS NOT NULL
), audited AS (
  INSERT INTO runtime.audit (${AUDIT_OF_RESULT}) SELECT ${auditOfResult('carried')} FROM carried
), bared AS (
  UPDATE runtime.events e SET audit = NULL FROM carried c WHERE e.xid = c.xid AND e.seq = c.seq
)`;
const DELETE_DEAD_LETTERS = removalByAge({
  table: 'runtime.actions',
  at: 'dead_lettered_at',
  returning: REMOVED_ACTION,
  also: AFTER_ACTIONS,
});

// Other actions that ended before $1, a tenant after the other, and in the order of their acceptance: no index of their ends is written with every
// action. None ended before its acceptance, so a batch without an action that was accepted before $1 ends a tenant, and the next one is that whose
// first action was. Actions outside every tenant come last.
const ACTIONS_OF_PLACE = (tenant: string): string => `(
  SELECT ctid AS row_id, seq, accepted_at < $1::bigint AS old, completed_at < $1::bigint AND state <> 'dead_lettered' AS expired FROM runtime.actions
  WHERE ${tenant} AND seq > $4::bigint ORDER BY seq LIMIT $2)`;
const FIRST_ACTION_BEHIND = (tenant: string): string => `
  SELECT a.tenant_id, a.accepted_at < $1::bigint AS old FROM runtime.actions a WHERE a.tenant_id > ${tenant} ORDER BY a.tenant_id, a.seq LIMIT 1`;
const DELETE_ACTIONS = `
WITH RECURSIVE oldest AS MATERIALIZED (
  ${ACTIONS_OF_PLACE('tenant_id = $3::text')} UNION ALL ${ACTIONS_OF_PLACE('$3::text IS NULL AND tenant_id IS NULL')}
), free AS MATERIALIZED (
  SELECT ctid AS row_id FROM runtime.actions WHERE ctid = ANY (ARRAY(SELECT row_id FROM oldest WHERE expired)) FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM runtime.actions WHERE ctid = ANY (ARRAY(SELECT row_id FROM free)) RETURNING ${REMOVED_ACTION}
), tenants AS (
  (${FIRST_ACTION_BEHIND('$3::text')}) UNION ALL
  SELECT behind.* FROM tenants t CROSS JOIN LATERAL (${FIRST_ACTION_BEHIND('t.tenant_id')}) behind WHERE NOT t.old
)${AFTER_ACTIONS}
SELECT (SELECT count(*) FROM gone)::int AS removed,
  CASE WHEN count(*) = $2 AND bool_or(old) THEN ARRAY[$3::text, max(seq)::text]
    WHEN $3::text IS NOT NULL THEN ARRAY[(SELECT tenant_id FROM tenants WHERE old), '0'] END AS place
FROM oldest`;
/** Before every tenant: no tenant has an empty id. */
const FIRST_ACTION = ['', '0'];

// Their receipts stay.
const DELETE_CALLBACK_DELIVERIES = removalByAge({ table: 'runtime.callback_deliveries', at: 'completed_at' });
const DELETE_DELEGATIONS = removalByAge({ table: 'runtime.delegations', at: 'completed_at' });
const DELETE_SESSIONS = removalByAge({ table: 'runtime.sessions', at: 'closed_at' });
const DELETE_ESCALATIONS = removalByAge({ table: 'runtime.escalations', at: 'recorded_at' });
const DELETE_DOCUMENTS = removalByAge({ table: 'runtime.documents', at: 'stored_at' });

// With their votes. That of an action that has not ended stays.
const DELETE_APPROVALS = removalByAge({
  table: 'runtime.approvals',
  at: 'updated_at',
  where: `status <> 'pending' AND NOT EXISTS (
    SELECT FROM runtime.actions a WHERE a.action_id = approvals.action_id AND a.tenant_id IS NOT DISTINCT FROM approvals.tenant_id
      AND a.completed_at IS NULL)`,
  returning: 'approval_id, tenant_id',
  also: `, votes AS (
  DELETE FROM runtime.approval_votes v USING gone WHERE v.approval_id = gone.approval_id AND v.tenant_key = COALESCE(gone.tenant_id, '')
)`,
});
const DELETE_SUBMITTED_CHAINS = removalByAge({ table: 'runtime.submitted_chains', at: 'submitted_at' });
const DELETE_SETTLEMENTS = removalByAge({ table: 'runtime.batch_settlements', at: 'submitted_at' });

// Audit events that this server wrote before $1, a tenant after the other, and in the order of its log: times follow that order. A batch without an
// expired event ends a tenant, and the next one is that whose first event is expired. Events outside every tenant come last.
const AUDIT_OF_PLACE = (tenant: string): string => `(
  SELECT ctid AS row_id, xid, seq, occurred_at < $1::bigint AS expired FROM runtime.audit
  WHERE ${tenant} AND NOT submitted AND (xid, seq) > ($4::text::xid8, $5::bigint) ORDER BY xid, seq LIMIT $2)`;
const FIRST_AUDIT_BEHIND = (tenant: string): string => `
  SELECT a.tenant_id, a.occurred_at < $1::bigint AS expired FROM runtime.audit a
  WHERE a.tenant_id > ${tenant} AND NOT a.submitted ORDER BY a.tenant_id, a.xid, a.seq LIMIT 1`;
const DELETE_AUDIT = `
WITH RECURSIVE oldest AS MATERIALIZED (
  ${AUDIT_OF_PLACE('tenant_id = $3::text')} UNION ALL ${AUDIT_OF_PLACE('$3::text IS NULL AND tenant_id IS NULL')}
), gone AS (
  DELETE FROM runtime.audit WHERE ctid = ANY (ARRAY(SELECT row_id FROM oldest WHERE expired)) RETURNING 1
), tenants AS (
  (${FIRST_AUDIT_BEHIND('$3::text')}) UNION ALL
  SELECT behind.* FROM tenants t CROSS JOIN LATERAL (${FIRST_AUDIT_BEHIND('t.tenant_id')}) behind WHERE NOT t.expired
)
SELECT (SELECT count(*) FROM gone)::int AS removed,
  CASE WHEN count(*) = $2 AND bool_or(expired) THEN (SELECT ARRAY[$3::text, xid::text, seq::text] FROM oldest ORDER BY xid DESC, seq DESC LIMIT 1)
    WHEN $3::text IS NOT NULL THEN ARRAY[(SELECT tenant_id FROM tenants WHERE expired), '0', '0'] END AS place
FROM oldest`;
/** Before every tenant: no tenant has an empty id. */
const FIRST_AUDIT = ['', '0', '0'];

// Those that clients submitted name times of their own.
const DELETE_SUBMITTED_AUDIT = removalByAge({ table: 'runtime.audit', at: 'occurred_at', where: 'submitted' });

// Parts of documents that were removed, and of those whose writing ended before $1 without the document: the last part says when.
const DELETE_DOCUMENT_PARTS = `
WITH oldest AS MATERIALIZED (
  SELECT ctid AS row_id, stored_at, document_id, part, action_id, tenant_id FROM runtime.document_parts
  WHERE stored_at < $1::bigint AND (stored_at, document_id, part) > ($3::bigint, $4::uuid, $5::integer)
  ORDER BY stored_at, document_id, part LIMIT $2
), gone AS (
  DELETE FROM runtime.document_parts WHERE ctid = ANY (ARRAY(
    SELECT row_id FROM oldest p
    WHERE NOT EXISTS (SELECT FROM runtime.documents d
        WHERE d.action_id = p.action_id AND d.tenant_id = p.tenant_id AND d.document_id = p.document_id)
      AND (SELECT q.stored_at FROM runtime.document_parts q WHERE q.document_id = p.document_id ORDER BY q.part DESC LIMIT 1) < $1)) RETURNING 1
)
SELECT (SELECT count(*) FROM gone)::int AS removed,
  CASE WHEN count(*) = $2 THEN (SELECT ARRAY[stored_at::text, document_id::text, part::text] FROM oldest
    ORDER BY stored_at DESC, document_id DESC, part DESC LIMIT 1) END AS place
FROM oldest`;
const FIRST_PART = ['0', '00000000-0000-0000-0000-000000000000', '-1'];

/** Parts without a document stay an hour, in milliseconds: no document is written for that long without a further part. */
const PARTS_MS = 3_600_000;

/** A kind of row that retention removes, by its name in what a pass reports. */
export interface NamedRemoval extends Removal {
  readonly name: string;
  readonly counter?: FamilyName;
}

/** What a pass at `now` (milliseconds since the epoch) removes under these rules, in order. What is kept forever is not among it. */
export function removals(rules: RetentionRules, now: number): NamedRemoval[] {
  const list: NamedRemoval[] = [
    {
      name: 'replay_claims',
      text: DELETE_REPLAY_CLAIMS,
      start: FIRST_PLACE,
      before: now + 1 - (rules.replayClaimsMs ?? 0),
      counter: 'aip_retention_replay_claims_deleted_total',
    },
    { name: 'idempotency_keys', text: DELETE_IDEMPOTENCY_KEYS, before: now + 1 },
  ];
  const add = (keptMs: number | undefined, ...kinds: Omit<NamedRemoval, 'before'>[]): void => {
    if (keptMs !== undefined) list.push(...kinds.map((kind) => ({ ...kind, before: now - keptMs })));
  };
  add(rules.eventsMs, {
    name: 'events',
    text: DELETE_EVENTS,
    start: FIRST_EVENT,
    values: [rules.auditMs === undefined ? 0 : now - rules.auditMs],
    counter: 'aip_retention_events_deleted_total',
  });
  add(rules.deadLettersMs, {
    name: 'dead_letters',
    text: DELETE_DEAD_LETTERS,
    counter: 'aip_retention_dead_letters_deleted_total',
  });
  add(rules.callbackDeliveriesMs, {
    name: 'callback_deliveries',
    text: DELETE_CALLBACK_DELIVERIES,
    counter: 'aip_retention_callback_deliveries_deleted_total',
  });
  add(rules.outboxMs, {
    name: 'outbox_records',
    text: DELETE_DELEGATIONS,
    counter: 'aip_retention_outbox_records_deleted_total',
  });
  add(rules.documentsMs, { name: 'documents', text: DELETE_DOCUMENTS });
  add(PARTS_MS, { name: 'document_parts', text: DELETE_DOCUMENT_PARTS, start: FIRST_PART });
  add(rules.actionsMs, { name: 'actions', text: DELETE_ACTIONS, start: FIRST_ACTION });
  add(
    rules.sessionsMs,
    { name: 'sessions', text: DELETE_SESSIONS, counter: 'aip_retention_sessions_deleted_total' },
    { name: 'escalations', text: DELETE_ESCALATIONS },
  );
  add(rules.approvalsMs, { name: 'approvals', text: DELETE_APPROVALS });
  add(
    rules.reportsMs,
    { name: 'submitted_chains', text: DELETE_SUBMITTED_CHAINS },
    { name: 'batch_settlements', text: DELETE_SETTLEMENTS },
  );
  add(
    rules.auditMs,
    { name: 'audit', text: DELETE_AUDIT, start: FIRST_AUDIT },
    { name: 'audit', text: DELETE_SUBMITTED_AUDIT },
  );
  return list;
}
