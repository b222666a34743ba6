/** Sessions, and the escalations that a human resolves. */
export const sessions = {
  id: 4,
  name: 'sessions',
  sql: `
-- One row a session. Of the resume token only the hash is kept; every resume replaces it and raises token_revision.
CREATE TABLE runtime.sessions (
  session_id text COLLATE "C" PRIMARY KEY,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  principal_kind text NOT NULL,
  peer_id text COLLATE "C" NOT NULL,
  peer_kind text NOT NULL,
  status text NOT NULL CHECK (status IN ('new', 'active', 'queued', 'processing', 'streaming', 'waiting_for_human',
                                         'completed', 'failed', 'cancelled', 'settled')),
  handshake json NOT NULL,
  token_hash text NOT NULL,
  token_revision integer NOT NULL DEFAULT 1,
  expires_at bigint NOT NULL,
  close_reason text,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  closed_at bigint,
  CHECK ((closed_at IS NOT NULL) = (status IN ('completed', 'failed', 'cancelled', 'settled')))
);
CREATE INDEX sessions_owner ON runtime.sessions (tenant_id, principal_id, seq);
CREATE INDEX sessions_open ON runtime.sessions (expires_at) WHERE closed_at IS NULL;
CREATE INDEX sessions_closed ON runtime.sessions (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX actions_session ON runtime.actions (session_id) WHERE completed_at IS NULL AND session_id IS NOT NULL;

-- Escalations and their resolutions as they were received; they belong together by their correlation.
CREATE TABLE runtime.escalations (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  session_id text COLLATE "C",
  correlation_id text COLLATE "C",
  kind text NOT NULL CHECK (kind IN ('escalation', 'resolution')),
  record json NOT NULL,
  recorded_at bigint NOT NULL
);
CREATE INDEX escalations_correlation ON runtime.escalations (correlation_id, seq) WHERE correlation_id IS NOT NULL;
CREATE INDEX escalations_recorded ON runtime.escalations (recorded_at);
`,
} as const;
