/** What is due is found by tenant, so that a claim passes over the backlog of one tenant without reading it. */
export const fairClaims = {
  id: 21,
  name: 'fair-claims',
  sql: `
-- Live actions, by the end of their lease; it also finds those of one state.
CREATE INDEX actions_live ON runtime.actions (lease_expires_at) WHERE completed_at IS NULL AND state <> 'pending_approval';
-- Actions that wait for a worker, by tenant; empty outside every tenant.
CREATE INDEX actions_queued ON runtime.actions ((COALESCE(tenant_id, '')), next_attempt_at, seq)
  WHERE completed_at IS NULL AND lease_expires_at IS NULL AND next_attempt_at IS NOT NULL AND state <> 'pending_approval';
DROP INDEX runtime.actions_due;

CREATE INDEX callback_deliveries_of_tenant ON runtime.callback_deliveries
  ((COALESCE(tenant_id, '')), (COALESCE(lease_expires_at, next_attempt_at)), seq) WHERE completed_at IS NULL;
DROP INDEX runtime.callback_deliveries_due;
`,
} as const;
