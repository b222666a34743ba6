/**
 * Transactions, callback deliveries, and what the audit log and receipts need so that ids that senders choose are theirs
 * within their tenant. `tenant_key` is the tenant's id, empty outside every tenant.
 */
export const transactionsCallbacksAudit = {
  id: 2,
  name: 'transactions-callbacks-audit',
  sql: `
-- One row a transaction. action_id is the action that planned it or that holds it since; revision rises with every change.
-- A due reconcile_after with status outcome_unknown makes a gateway ask the provider.
CREATE TABLE runtime.transactions (
  tenant_key text COLLATE "C" NOT NULL,
  transaction_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  principal_kind text NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  capability_id text COLLATE "C" NOT NULL,
  mode text NOT NULL,
  status text NOT NULL CHECK (status IN ('dry_run_completed', 'planned', 'prepared', 'committing', 'committed', 'compensating',
    'compensated', 'rollback_not_supported', 'failed', 'outcome_unknown', 'reconciling', 'reconciled')),
  request json NOT NULL,
  plan json,
  plan_id text COLLATE "C",
  plan_expires_at bigint,
  result json,
  effect boolean,
  provider_operation json,
  reconciliation_cursor text,
  reconcile_after bigint,
  reconcile_action_id text COLLATE "C",
  reconcile_attempts integer NOT NULL DEFAULT 0,
  compensation_for text COLLATE "C",
  revision bigint NOT NULL DEFAULT 1,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  PRIMARY KEY (tenant_key, transaction_id)
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX transactions_plan ON runtime.transactions (tenant_key, plan_id) WHERE plan_id IS NOT NULL;
CREATE INDEX transactions_action ON runtime.transactions (action_id);
CREATE INDEX transactions_reconcile ON runtime.transactions (reconcile_after)
  WHERE status = 'outcome_unknown' AND reconcile_after IS NOT NULL;
-- An effect is compensated once.
CREATE UNIQUE INDEX transactions_compensation ON runtime.transactions (tenant_key, compensation_for)
  WHERE compensation_for IS NOT NULL
    AND (status IN ('compensating', 'compensated', 'outcome_unknown', 'reconciling') OR (status = 'reconciled' AND effect));

-- One row a message to a callback. lease_id fences the write of an attempt; a live row may be claimed once
-- COALESCE(lease_expires_at, next_attempt_at) has passed.
CREATE TABLE runtime.callback_deliveries (
  delivery_id text COLLATE "C" PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  principal_kind text NOT NULL,
  action_id text COLLATE "C",
  session_id text COLLATE "C",
  correlation_id text COLLATE "C",
  message_id text COLLATE "C" NOT NULL,
  message_type text NOT NULL,
  profile text NOT NULL,
  target text NOT NULL,
  policy json NOT NULL,
  body json NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'running', 'delivered', 'failed', 'dead_lettered')),
  attempts json NOT NULL DEFAULT '[]',
  next_attempt_at bigint,
  leased_by text,
  lease_id text COLLATE "C",
  lease_expires_at bigint,
  last_error text,
  dead_letter_reason text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  completed_at bigint,
  CHECK ((completed_at IS NOT NULL) = (status IN ('delivered', 'failed', 'dead_lettered')))
) WITH (fillfactor = 80);
CREATE INDEX callback_deliveries_due ON runtime.callback_deliveries ((COALESCE(lease_expires_at, next_attempt_at)), seq)
  WHERE completed_at IS NULL;
CREATE INDEX callback_deliveries_tenant ON runtime.callback_deliveries (tenant_id, seq);
CREATE INDEX callback_deliveries_action ON runtime.callback_deliveries (action_id);
CREATE INDEX callback_deliveries_completed ON runtime.callback_deliveries (completed_at) WHERE completed_at IS NOT NULL;

-- Chains and receipts are named after ids that senders choose, so they are unique within a tenant.
ALTER TABLE runtime.receipts ADD COLUMN tenant_key text COLLATE "C" GENERATED ALWAYS AS (COALESCE(tenant_id, '')) STORED;
ALTER TABLE runtime.receipts DROP CONSTRAINT receipts_pkey, DROP CONSTRAINT receipts_receipt_id_key,
  ADD PRIMARY KEY (chain_id, tenant_key, position), ADD UNIQUE (receipt_id, tenant_key);

-- Submitted audit events have ids of their own, so that none takes the id of an event that this server writes. Readers go
-- by (xid, seq) and stop at the oldest transaction in flight, as they do in the event log.
ALTER TABLE runtime.audit ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  ADD COLUMN transaction_id text COLLATE "C", ADD COLUMN submitted boolean NOT NULL DEFAULT false,
  ADD COLUMN tenant_key text COLLATE "C" GENERATED ALWAYS AS (COALESCE(tenant_id, '')) STORED;
ALTER TABLE runtime.audit DROP CONSTRAINT audit_pkey, ADD PRIMARY KEY (audit_id, tenant_key, submitted);
DROP INDEX runtime.audit_tenant;
CREATE INDEX audit_tenant ON runtime.audit (tenant_id, xid, seq);
CREATE INDEX audit_action ON runtime.audit (action_id) WHERE action_id IS NOT NULL;
CREATE INDEX audit_occurred ON runtime.audit USING brin (occurred_at);
`,
} as const;
