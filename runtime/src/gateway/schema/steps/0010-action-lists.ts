/** What keeps a page of the action list as cheap among a million actions as among a thousand. */
export const actionLists = {
  id: 10,
  name: 'action-lists',
  sql: `
CREATE INDEX actions_principal ON runtime.actions (tenant_id, principal_id, seq);
-- Few actions have one of these, so that the indexes cost the common action nothing.
CREATE INDEX actions_unsuccessful ON runtime.actions (state, tenant_id, seq)
  WHERE state IN ('failed', 'cancelled', 'expired', 'dead_lettered');
CREATE INDEX actions_of_session ON runtime.actions (session_id, seq) WHERE session_id IS NOT NULL;
CREATE INDEX actions_of_approval ON runtime.actions (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX actions_of_transaction ON runtime.actions (transaction_id) WHERE transaction_id IS NOT NULL;
`,
} as const;
