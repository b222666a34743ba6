/**
 * The first tables of schema `runtime`: what every gateway of a deployment shares. All times are integer milliseconds
 * since the epoch; every document is kept as `json` (never `jsonb`), so that numbers and member order stay as received.
 */
export const durableRuntime = {
  id: 1,
  name: 'durable-runtime',
  sql: `
-- One row an action, from the moment it is accepted. A row with completed_at is terminal and never changes again.
-- lease_id fences every write of an execution; a live row may be claimed once COALESCE(lease_expires_at, next_attempt_at) has passed.
CREATE TABLE runtime.actions (
  action_id text COLLATE "C" PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  principal_kind text NOT NULL,
  capability_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C",
  correlation_id text COLLATE "C",
  message_id text COLLATE "C" NOT NULL,
  mode text NOT NULL CHECK (mode IN ('sync', 'async', 'streaming')),
  state text NOT NULL CHECK (state IN ('accepted', 'queued', 'running', 'streaming', 'pending_approval', 'cancelling',
                                       'completed', 'failed', 'cancelled', 'expired', 'dead_lettered')),
  request json NOT NULL,
  plan json NOT NULL,
  result json,
  error_code text,
  attempts integer NOT NULL DEFAULT 0,
  last_error json,
  dead_letter_reason text,
  worker_id text,
  lease_id text COLLATE "C",
  lease_acquired_at bigint,
  lease_expires_at bigint,
  next_attempt_at bigint,
  cancel_requested boolean NOT NULL DEFAULT false,
  cancel_reason text,
  last_chunk_sequence bigint,
  receipt_head text,
  receipt_count integer NOT NULL DEFAULT 0,
  approval_id text COLLATE "C",
  transaction_id text COLLATE "C",
  idempotency_key text COLLATE "C",
  accepted_at bigint NOT NULL,
  started_at bigint,
  updated_at bigint NOT NULL,
  completed_at bigint,
  CHECK ((completed_at IS NOT NULL) = (state IN ('completed', 'failed', 'cancelled', 'expired', 'dead_lettered')))
) WITH (fillfactor = 80);
CREATE INDEX actions_due ON runtime.actions ((COALESCE(lease_expires_at, next_attempt_at)), seq)
  WHERE completed_at IS NULL AND state <> 'pending_approval';
CREATE INDEX actions_tenant ON runtime.actions (tenant_id, seq);
CREATE INDEX actions_completed ON runtime.actions (completed_at) WHERE completed_at IS NOT NULL;

-- The event log. Readers order by (xid, seq) and stop at the oldest transaction still in flight, so that a position never
-- passes an event that commits late.
CREATE TABLE runtime.events (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  event_id text COLLATE "C" NOT NULL UNIQUE,
  kind text COLLATE "C" NOT NULL,
  action_id text COLLATE "C",
  session_id text COLLATE "C",
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C",
  occurred_at bigint NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (xid, seq)
);
CREATE INDEX events_action ON runtime.events (action_id, xid, seq) WHERE action_id IS NOT NULL;
CREATE INDEX events_tenant ON runtime.events (tenant_id, xid, seq);
CREATE INDEX events_occurred ON runtime.events USING brin (occurred_at);

-- Stream chunks of an action, in the order of their sequence.
CREATE TABLE runtime.chunks (
  action_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  kind text NOT NULL,
  received_at bigint NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (action_id, sequence)
);

-- Hash-chained receipts; position counts from 0 inside a chain.
CREATE TABLE runtime.receipts (
  chain_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  receipt_id text COLLATE "C" NOT NULL UNIQUE,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C",
  hash text NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (chain_id, position)
);

-- One row a received message until its window has passed: the first live claim wins.
CREATE TABLE runtime.replay_claims (
  message_id text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL
);
CREATE INDEX replay_claims_expiry ON runtime.replay_claims (expires_at);

-- One row a used idempotency key (scope, partition, raw key). result is null while the owner still works; a lapsed
-- reservation may be taken over; expires_at is null for a key that is kept for good.
CREATE TABLE runtime.idempotency (
  stored_key text COLLATE "C" PRIMARY KEY,
  owner_action_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  capability_id text COLLATE "C" NOT NULL,
  input_hash text NOT NULL,
  reserved_until bigint NOT NULL,
  ttl_ms bigint,
  result json,
  settled_at bigint,
  expires_at bigint
);
CREATE INDEX idempotency_expiry ON runtime.idempotency (expires_at) WHERE expires_at IS NOT NULL;

-- Audit events, one of them for each action result.
CREATE TABLE runtime.audit (
  audit_id text COLLATE "C" PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  action_id text COLLATE "C",
  session_id text COLLATE "C",
  action text NOT NULL,
  occurred_at bigint NOT NULL,
  record json NOT NULL
);
CREATE INDEX audit_tenant ON runtime.audit (tenant_id, occurred_at, seq);

-- One row an approval that an action waits for.
CREATE TABLE runtime.approvals (
  approval_id text COLLATE "C" PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  action_id text COLLATE "C" NOT NULL,
  capability_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C",
  requester_id text COLLATE "C" NOT NULL,
  status text NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'revoked')),
  request json NOT NULL,
  decision json,
  policy_hash text NOT NULL,
  expires_at bigint,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX approvals_action ON runtime.approvals (action_id);
CREATE INDEX approvals_pending ON runtime.approvals (expires_at) WHERE status = 'pending';
`,
} as const;
