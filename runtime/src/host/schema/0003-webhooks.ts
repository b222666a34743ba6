/** Webhook deliveries: the identifiers seen lately, and the events that deliveries became, as they were first mapped. */
export const host0003 = `
-- One row a set; locked while identifiers are added, so that its size is exact over all replicas.
CREATE TABLE webhook_replay_sets (
  namespace text NOT NULL,
  scope text NOT NULL,
  size integer NOT NULL DEFAULT 0,
  PRIMARY KEY (namespace, scope)
);
-- Identifiers by their hash, since a provider chooses their length. Times are seconds since the epoch, as the provider signed them.
CREATE TABLE webhook_replay (
  namespace text NOT NULL,
  scope text NOT NULL,
  delivery_hash text NOT NULL,
  signed_at bigint NOT NULL,
  entry bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (namespace, scope, delivery_hash)
);
CREATE INDEX webhook_replay_oldest ON webhook_replay (namespace, scope, signed_at, entry);

-- The local event log.
CREATE TABLE events (
  instance_id text NOT NULL,
  event_id text NOT NULL,
  event json NOT NULL,
  appended_at bigint NOT NULL,
  PRIMARY KEY (instance_id, event_id)
);
CREATE INDEX events_age ON events (instance_id, appended_at);
`;
