/** Work that a principal handed to another one, and its way to a remote delegate. */
export const delegations = {
  id: 8,
  name: 'delegations',
  sql: `
-- One row a delegation; the sender chooses the id, so it is unique within its tenant. \`delivery\` is null for a local one.
CREATE TABLE runtime.delegations (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  delegation_id text COLLATE "C" NOT NULL,
  tenant_id text COLLATE "C",
  principal_id text COLLATE "C" NOT NULL,
  delegate_id text COLLATE "C" NOT NULL,
  delegate_kind text NOT NULL,
  child_action_id text COLLATE "C" NOT NULL,
  request json NOT NULL,
  status text NOT NULL CHECK (status IN ('running', 'completed', 'failed', 'cancelled', 'requires_human')),
  result json,
  delivery text CHECK (delivery IN ('pending', 'delivered', 'dead_lettered')),
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at bigint,
  lease_id text,
  created_at bigint NOT NULL,
  completed_at bigint
);
CREATE UNIQUE INDEX delegations_id ON runtime.delegations (delegation_id, tenant_id) NULLS NOT DISTINCT;
CREATE INDEX delegations_due ON runtime.delegations (next_attempt_at) WHERE delivery = 'pending';
CREATE INDEX delegations_completed ON runtime.delegations (completed_at) WHERE completed_at IS NOT NULL;
`,
} as const;
