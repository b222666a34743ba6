/** Votes on approvals, who may cast them, and when an approved action came into the queue. */
export const approvalVotes = {
  id: 3,
  name: 'approval-votes',
  sql: `
-- When a decision put a waiting action into the queue; null: it never waited.
ALTER TABLE runtime.actions ADD COLUMN resumed_at bigint;

-- approver_keys names everything that lets somebody decide, as in role:finance; submitted_digest is that of a request that a client sent.
ALTER TABLE runtime.approvals
  ADD COLUMN subject_id text COLLATE "C",
  ADD COLUMN approver_keys text[] NOT NULL DEFAULT '{}',
  ADD COLUMN submitted_digest text;
UPDATE runtime.approvals SET subject_id = requester_id, approver_keys = ARRAY[CASE request->'approver_selector'->>'type'
  WHEN 'principal' THEN 'principal:' || (request->'approver_selector'->>'id')
  WHEN 'external_system' THEN 'external_system:' || (request->'approver_selector'->>'system')
  WHEN 'tenant_policy' THEN 'tenant_policy'
  ELSE (request->'approver_selector'->>'type') || ':' || (request->'approver_selector'->>'name') END];
ALTER TABLE runtime.approvals ALTER COLUMN subject_id SET NOT NULL;
CREATE INDEX approvals_tenant ON runtime.approvals (tenant_id, seq);
CREATE INDEX approvals_waiting ON runtime.approvals (tenant_id, seq) WHERE status = 'pending';

-- The admitted votes of an approval, in the order of their admission, each with the authority it was cast under.
CREATE TABLE runtime.approval_votes (
  approval_id text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  decision_id text COLLATE "C" NOT NULL,
  approver_id text COLLATE "C" NOT NULL,
  decision json NOT NULL,
  authority json NOT NULL,
  evidence_hash text NOT NULL,
  recorded_at bigint NOT NULL,
  PRIMARY KEY (approval_id, position),
  UNIQUE (approval_id, decision_id)
);
`,
} as const;
