/**
 * Approval ids are chosen by clients of every tenant: unique within a tenant, not over all. Votes belong to the pair. A gateway of the
 * release before takes no decision and no request of a client on this schema; it is not ready since action-ids.
 */
export const approvalIds = {
  id: 19,
  name: 'approval-ids',
  sql: `
ALTER TABLE runtime.approvals DROP CONSTRAINT approvals_pkey;
CREATE UNIQUE INDEX approvals_id ON runtime.approvals (approval_id, tenant_id) NULLS NOT DISTINCT;

-- The tenant's id, empty outside every tenant.
ALTER TABLE runtime.approval_votes ADD COLUMN tenant_key text COLLATE "C";
UPDATE runtime.approval_votes v SET tenant_key =
  COALESCE((SELECT p.tenant_id FROM runtime.approvals p WHERE p.approval_id = v.approval_id), '');
ALTER TABLE runtime.approval_votes ALTER COLUMN tenant_key SET NOT NULL, DROP CONSTRAINT approval_votes_pkey,
  DROP CONSTRAINT approval_votes_approval_id_decision_id_key,
  ADD PRIMARY KEY (approval_id, tenant_key, position), ADD UNIQUE (approval_id, tenant_key, decision_id);
`,
} as const;
