/** Tables of a host's own schema, shared by the replicas of an instance. Times are milliseconds since the epoch. */
export const host0001 = `
-- Message ids that were taken, until no copy of them can be fresh any more. The signature tells a repeat from a forgery.
CREATE TABLE replay_claims (
  message_id text PRIMARY KEY,
  signature text NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX replay_claims_expiry ON replay_claims (expires_at);

-- Execution journal: intent before the connector is called, effect when the provider took it, result at the end. Room is left in the
-- pages, and no index holds a column that changes, so that writing the result touches no index.
CREATE TABLE executions (
  instance_id text NOT NULL,
  action_id text NOT NULL,
  replica_id text NOT NULL,
  capability_id text NOT NULL,
  request_digest text NOT NULL,
  state text NOT NULL CHECK (state IN ('started', 'finished')),
  attempt integer NOT NULL DEFAULT 1,
  effect_at bigint,
  evidence json,
  cursor text,
  result json,
  started_at bigint NOT NULL,
  finished_at bigint,
  PRIMARY KEY (instance_id, action_id)
) WITH (fillfactor = 70);
CREATE INDEX executions_started ON executions (started_at);

-- Terminal approval records that came with actions, each as it was first seen.
CREATE TABLE approvals (
  instance_id text NOT NULL,
  approval_id text NOT NULL,
  digest text NOT NULL,
  record json NOT NULL,
  imported_at bigint NOT NULL,
  PRIMARY KEY (instance_id, approval_id)
);

-- Durable state of the connector.
CREATE TABLE connector_state (
  instance_id text NOT NULL,
  key text NOT NULL,
  value json NOT NULL,
  PRIMARY KEY (instance_id, key)
);

-- Provider events on their way to the central event log; shared by the replicas.
CREATE TABLE outbox (
  instance_id text NOT NULL,
  key text NOT NULL,
  channel_id text NOT NULL,
  events json NOT NULL,
  created_at bigint NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at bigint NOT NULL,
  lease_owner text,
  lease_expires_at bigint NOT NULL DEFAULT 0,
  last_error text,
  parked_at bigint,
  PRIMARY KEY (instance_id, key)
);
CREATE INDEX outbox_due ON outbox (instance_id, next_attempt_at) WHERE parked_at IS NULL;

-- What a replica knows of its lease, so that a new process goes on with it: the last applied lease, the digest of what was
-- registered for it, and the last signed command whose outcome is not known, byte for byte.
CREATE TABLE leases (
  replica_id text PRIMARY KEY,
  status text NOT NULL CHECK (status IN ('none', 'ready', 'draining', 'offline')),
  sequence bigint NOT NULL,
  expires_at bigint NOT NULL,
  registration text,
  pending text
);

-- One row a replica that the storage probe overwrites.
CREATE TABLE storage_probe (
  replica_id text PRIMARY KEY,
  written_at bigint NOT NULL
);
`;
